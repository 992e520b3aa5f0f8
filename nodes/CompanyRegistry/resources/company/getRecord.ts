import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { payloadSchema } from '../../registry/schemas';
import { payloadItems } from '../shared/payload';
import { operationRouting } from '../shared/operationRouting';
import { refuse } from '../shared/refuse';
import { readCompanyNumber } from '../../shared/companyNumberLocator';
import { recordPath } from './recordPath';

const showOnlyForCompanyGetRecord = { resource: ['company'], operation: ['getRecord'] };

export const getRecordOperation: INodePropertyOptions = {
	name: 'Get Record',
	value: 'getRecord',
	description: 'Read details, officers, PSCs or filings of a company',
	action: 'Get company record',
	routing: operationRouting(async (context, send) => {
		const companyNumber = readCompanyNumber(context);
		const result = recordPath(context.getNodeParameter('recordPath', ''), companyNumber);
		if ('refusal' in result) {
			throw refuse(context, {
				message: `'Record Path' cannot be used: ${result.refusal}`,
				description:
					"Copy the path from the service's reference, with {company_number} where the number goes. It starts with /v1 and stays under it.",
			});
		}
		return payloadItems(await send({ method: 'GET', url: result.path }, payloadSchema));
	}),
};

export const getRecordFields: INodeProperties[] = [
	{
		displayName: 'Record Path',
		name: 'recordPath',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. /v1/…/{company_number}/…',
		description:
			"Path of the record in the service's reference, with {company_number} where the number goes. The leading /v1 is optional. You can add a query such as ?page=2.",
		displayOptions: { show: showOnlyForCompanyGetRecord },
	},
];
