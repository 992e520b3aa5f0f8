import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber } from '../readParameters';
import type { Operation } from '../run';
import { readRecordPath, recordPathField } from './readPath';

export const getByPath = {
	option: {
		name: 'Get by Path',
		value: 'getByPath',
		description: 'Read any other record of a company',
		action: 'Get company record by path',
	},
	fields: [companyNumberField, recordPathField],
	prepare: (item) => {
		const path = readRecordPath(item, readCompanyNumber(item));
		return async () => await item.account.record(path);
	},
} satisfies Operation;
