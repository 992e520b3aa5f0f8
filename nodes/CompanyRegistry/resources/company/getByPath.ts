import type { INodeProperties } from 'n8n-workflow';

import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber } from '../readParameters';
import type { Item, Operation } from '../run';
import { recordPath } from './recordPath';

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
		return async () => (await item.account.get(path)).entries;
	},
} satisfies Operation;

/** @throws NodeOperationError for an invalid path */
export function readRecordPath(item: Item, companyNumber: string): string {
	const { baseUrl } = item.account.registry;
	const result = recordPath(item.parameter('recordPath', ''), companyNumber, baseUrl);
	if ('path' in result) return result.path;
	throw item.refuse({
		message: `'Record Path' cannot be used: ${result.refusal}`,
		description:
			"Copy the path from the service's reference, with {company_number} in place of the number. It must stay under /v1.",
	});
}
