import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ITriggerFunctions,
	type ITriggerResponse,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { searchCompanies } from './listSearch';
import { receiveDelivery } from './trigger/deliveries/receiveDelivery';
import { triggerProperties, triggerSubtitle } from './trigger/parameters/properties';
import { startSample } from './trigger/samples/startSample';
import { create, remove, trigger } from './trigger/lifecycle/activation';
import { execute } from './trigger/lifecycle/emission';

export class CompanyRegistryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Company Registry Trigger',
		name: 'companyRegistryTrigger',
		icon: {
			light: 'file:../../icons/companyRegistry.svg',
			dark: 'file:../../icons/companyRegistry.dark.svg',
		},
		group: ['trigger'],
		// At each delivery, n8n evaluates an expression for a node of version 1, which takes longer than our own work.
		version: 1.1,
		subtitle: triggerSubtitle,
		description: 'Starts the workflow when a watched company has a new filing, officer or PSC',
		eventTriggerDescription: 'Waiting for a sample event, which arrives within seconds',
		activationMessage:
			"The workflow is published. If your list is long, setup continues in the background. To learn when it has finished, choose 'Watch Report' under 'Trigger On'.",
		triggerPanel: {
			header: 'Watch companies',
			executionsHelp: {
				inactive:
					"<b>While you build the workflow</b>, click 'Execute step'. Within seconds, you see a sample event of your first company and a preview of your list. Nothing changes at the registry service.<br /><br /><b>When the workflow is ready</b>, publish it. Each event for your companies then starts it. See the runs under 'Executions'.",
				active:
					"<b>Your workflow is published.</b> Each event for your companies starts it. See the runs under 'Executions'.<br /><br /><b>While you change it</b>, click 'Execute step' to see a sample event and what your next publish will change. The published version keeps running.",
			},
			activationHint: 'When the workflow is ready, publish it. Real events then start it.',
		},
		defaults: { name: 'Company Registry Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'companyRegistryApi', required: true },
			{
				name: 'companyRegistryListApi',
				required: true,
				displayOptions: { show: { companiesFrom: ['link'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				path: 'webhook',
				responseMode: 'onReceived',
				// Without this n8n answers an accepted delivery with the name of a setting.
				responseData: 'noData',
			},
		],
		properties: triggerProperties,
	};

	methods = { listSearch: { searchCompanies } };

	webhookMethods = {
		default: {
			/** Always false: `create` reconciles with the service. */
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				// A test shows a sample, and nothing changes at the service.
				const isTest = this.getActivationMode() === 'manual';
				await (isTest ? startSample(this) : create(this));
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				await remove(this);
				return true;
			},
		},
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await trigger(this);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveDelivery(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return execute(this);
	}
}
