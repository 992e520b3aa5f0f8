import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { searchCompanies, searchWebhooks } from './listSearch';
import { accountOperations } from './resources/account';
import { get as getCompany } from './resources/company/get';
import { getByPath } from './resources/company/getByPath';
import { getFilings } from './resources/company/getFilings';
import { getOfficers } from './resources/company/getOfficers';
import { getPscs } from './resources/company/getPscs';
import { search } from './resources/company/search';
import { compare } from './resources/companyList/compare';
import { findNumbers } from './resources/companyList/findNumbers';
import { authenticationField, fieldsOf, operationField, resourceField } from './resources/fields';
import { runOperation, type Operation } from './resources/run';
import { create } from './resources/webhook/create';
import { get } from './resources/webhook/get';
import { getAll } from './resources/webhook/getAll';
import { pause, resume } from './resources/webhook/pauseResume';
import { update } from './resources/webhook/update';

const OPERATIONS: Record<string, Operation[]> = {
	company: [getCompany, getByPath, getFilings, getOfficers, getPscs, search],
	companyList: [compare, findNumbers],
	webhook: [create, get, getAll, pause, resume, update],
	account: accountOperations,
};

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
				// Hidden, not shown, by the field: n8n's editor would otherwise offer both credentials everywhere.
				displayOptions: { hide: { authentication: ['session'], resource: ['account'] } },
			},
			{
				name: 'companyRegistrySessionApi',
				required: true,
				displayOptions: { hide: { authentication: ['apiKey'] } },
			},
		],
		properties: [
			resourceField,
			operationField('company', OPERATIONS.company, 'search'),
			operationField('companyList', OPERATIONS.companyList, 'compare'),
			operationField('webhook', OPERATIONS.webhook, 'getAll'),
			operationField('account', OPERATIONS.account, 'getUsage'),
			...Object.entries(OPERATIONS).flatMap(([resource, all]) => fieldsOf(resource, all)),
			authenticationField,
		],
	};

	methods = { listSearch: { searchCompanies, searchWebhooks } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const name = this.getNodeParameter('operation', 0);
		const operation = OPERATIONS[resource]?.find(({ option }) => option.value === name);
		if (operation === undefined) {
			// Such as n8n's own 'Custom API Call'.
			const message = `This node has no operation '${resource}: ${name}'`;
			throw new NodeOperationError(this.getNode(), message, {
				description: "Choose another 'Operation', or use n8n's HTTP Request node.",
			});
		}
		return [await runOperation(this, operation)];
	}
}
