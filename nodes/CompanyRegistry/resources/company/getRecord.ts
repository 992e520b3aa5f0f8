import { readCompanyNumber } from '../readParameters';
import type { Operation } from '../run';
import { recordPath } from './recordPath';

export const getRecord: Operation = {
	option: {
		name: 'Get Record',
		value: 'getRecord',
		description: 'Read details, officers, PSCs or filings of a company',
		action: 'Get company record',
	},
	fields: [
		{
			displayName: 'Record Path',
			name: 'recordPath',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. /v1/…/{company_number}/…',
			description:
				"Path of the record in the service's reference, with {company_number} where the number goes. The leading /v1 is optional. You can add a query such as ?page=2.",
			displayOptions: { show: { resource: ['company'], operation: ['getRecord'] } },
		},
	],
	prepare: (item) => {
		const companyNumber = readCompanyNumber(item);
		const result = recordPath(item.parameter('recordPath', ''), companyNumber);
		if ('refusal' in result) {
			throw item.refuse({
				message: `'Record Path' cannot be used: ${result.refusal}`,
				description:
					"Copy the path from the service's reference, with {company_number} where the number goes. It starts with /v1 and stays under it.",
			});
		}
		return async () => await item.account.get(result.path);
	},
};
