import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { searchCompanies } from './listSearch/searchCompanies';
import { searchWebhooks } from './listSearch/searchWebhooks';
import { accountProperties } from './resources/account';
import { companyFields, companyOperations } from './resources/company';
import { companyNumberField } from './resources/shared/companyNumberField';
import { resourceProperties } from './resources/shared/authenticationAndResource';
import { webhookFields, webhookOperations } from './resources/webhook';

export class CompanyRegistry implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Company Registry',
		name: 'companyRegistry',
		icon: {
			light: 'file:../../icons/companyRegistry.svg',
			dark: 'file:../../icons/companyRegistry.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description:
			'Search UK companies, read company records, and manage webhooks for new filings, officers and PSCs',
		defaults: { name: 'Company Registry' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'companyRegistryApi',
				required: true,
				displayOptions: { show: { authentication: ['apiKey'] } },
			},
			{
				name: 'companyRegistrySessionApi',
				required: true,
				displayOptions: { show: { authentication: ['session'] } },
			},
		],
		requestDefaults: {
			json: true,
			// Every status is put into words by the operations; n8n's helper would also send a
			// refused POST a second time.
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		},
		properties: [
			...resourceProperties,
			companyOperations,
			webhookOperations,
			...accountProperties,
			companyNumberField,
			...companyFields,
			...webhookFields,
		],
	};

	methods = { listSearch: { searchCompanies, searchWebhooks } };
}
