import type { INodePropertyOptions } from 'n8n-workflow';

import { CREDENTIALS } from '../../registry/describeFailure';
import { SERVICE_PATHS, type RecordName } from '../../registry/servicePaths';
import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber } from '../readParameters';
import type { Item, Operation } from '../run';
import { readPath } from './readPath';

/** How messages name each record, and the label of its field in the credential. */
const RECORDS: Record<RecordName, { label: string; field: string }> = {
	company: { label: 'the company record', field: 'Company Path' },
	officers: { label: 'officers', field: 'Officers Path' },
	pscs: { label: 'PSCs', field: 'PSCs Path' },
	filings: { label: 'filings', field: 'Filings Path' },
};

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

/** @throws NodeOperationError for a missing or invalid path */
function readNamedPath(item: Item, record: RecordName, companyNumber: string): string {
	const { registry } = item.account;
	const { label, field } = RECORDS[record];
	const credential = `the credential '${CREDENTIALS[registry.credentialType].name}'`;
	const path = SERVICE_PATHS[record] ?? registry.enteredPath(record);
	if (path !== '') return readPath(item, path, companyNumber, `'${field}' in ${credential}`);
	throw item.refuse({
		message: `The path of ${label} is not set`,
		description: `Enter it in ${credential} under Record Paths. A path is the part of an address after the Base URL, and the service's reference lists one for each record.`,
	});
}
