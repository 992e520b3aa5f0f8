import type { INodeProperties } from 'n8n-workflow';

import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber } from '../readParameters';
import type { Operation } from '../run';
import { readPath } from './readPath';

const recordPathField: INodeProperties = {
	displayName: 'Record Path',
	name: 'recordPath',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. /v1/…/{company_number}/…',
	description:
		"Path from the service's reference, with {company_number} in place of the number. The leading /v1 is optional. You can add a query such as ?page=2.",
};

export const getByPath = {
	option: {
		name: 'Get by Path',
		value: 'getByPath',
		description: 'Read any other record of a company',
		action: 'Get company record by path',
	},
	fields: [companyNumberField, recordPathField],
	prepare: (item) => {
		const entered = item.parameter('recordPath', '');
		const path = readPath(item, entered, readCompanyNumber(item), "'Record Path'");
		return async () => await item.account.record(path);
	},
} satisfies Operation;
