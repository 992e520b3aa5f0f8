import type { INodePropertyOptions } from 'n8n-workflow';

import type { RecordName } from '../../registry/servicePaths';
import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber } from '../readParameters';
import type { Operation } from '../run';
import { readNamedPath } from './readPath';

/** An operation that reads one record of a company. Its only field is the company. */
export function readNamedRecord(record: RecordName, option: INodePropertyOptions) {
	return {
		option,
		fields: [companyNumberField],
		prepare: (item) => {
			const path = readNamedPath(item, record, readCompanyNumber(item));
			return async () => await item.account.record(path);
		},
	} satisfies Operation;
}
