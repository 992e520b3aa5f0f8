import type { INodeProperties } from 'n8n-workflow';

import { CREDENTIALS } from '../../registry/describeFailure';
import { SERVICE_PATHS, type RecordName } from '../../registry/servicePaths';
import type { Item } from '../run';
import { recordPath } from './recordPath';

const COPY_PATH =
	"Copy the path from the service's reference, with {company_number} in place of the number. It must stay under /v1.";

/** How messages name each record, and the label of its field in the credential. */
const RECORDS: Record<RecordName, { label: string; field: string }> = {
	company: { label: 'the company record', field: 'Company Path' },
	officers: { label: 'officers', field: 'Officers Path' },
	pscs: { label: 'PSCs', field: 'PSCs Path' },
	filings: { label: 'filings', field: 'Filings Path' },
};

export const recordPathField: INodeProperties = {
	displayName: 'Record Path',
	name: 'recordPath',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. /v1/…/{company_number}/…',
	description:
		"Path from the service's reference, with {company_number} in place of the number. The leading /v1 is optional. You can add a query such as ?page=2.",
};

/** The path in 'Record Path'. @throws NodeOperationError for an invalid path */
export function readRecordPath(item: Item, companyNumber: string): string {
	const entered = item.parameter('recordPath', '');
	return completePath(item, entered, companyNumber, "'Record Path'");
}

/** The path of a record that has an operation. @throws NodeOperationError for a missing or invalid path */
export function readNamedPath(item: Item, record: RecordName, companyNumber: string): string {
	const { label, field } = RECORDS[record];
	const credential = `the credential '${CREDENTIALS[item.account.registry.credentialType].name}'`;

	const path = SERVICE_PATHS[record] ?? item.account.registry.enteredPath(record);
	if (path === '') {
		throw item.refuse({
			message: `The path of ${label} is not set`,
			description: `Enter it in ${credential} under Record Paths. A path is the part of an address after the Base URL, and the service's reference lists one for each record.`,
		});
	}

	return completePath(item, path, companyNumber, `'${field}' in ${credential}`);
}

function completePath(item: Item, path: unknown, companyNumber: string, where: string): string {
	const result = recordPath(path, companyNumber, item.account.registry.baseUrl);
	if ('path' in result) return result.path;
	throw item.refuse({
		message: `${where} cannot be used: ${result.refusal}`,
		description: COPY_PATH,
	});
}
