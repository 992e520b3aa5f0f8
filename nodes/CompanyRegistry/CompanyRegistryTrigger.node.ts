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
import { triggerProperties } from './trigger/parameters/properties';
import { showsSample } from './trigger/parameters/options';
import { startSample } from './trigger/samples/startSample';
import { passOn } from './trigger/subscriptions/hands';
import { publish } from './trigger/subscriptions/publish';
import { unpublish } from './trigger/subscriptions/unpublish';
import { watch } from './trigger/subscriptions/watch';

export class CompanyRegistryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Company Registry Trigger',
		name: 'companyRegistryTrigger',
		icon: {
			light: 'file:../../icons/companyRegistry.svg',
			dark: 'file:../../icons/companyRegistry.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{[].concat($parameter["events"] ?? [], $parameter["options"]?.["additionalEvents"] || []).join(", ")}}',
		description: 'Starts the workflow when a watched company has a new filing, officer or PSC',
		eventTriggerDescription:
			'Waiting for the event: a sample comes within seconds, a real one when it happens',
		activationMessage:
			"Your companies are being set up with the registry service, which may go on after the workflow is shown as published. Choose 'Watch Status' under 'Trigger On' to be told when all are watched.",
		triggerPanel: {
			header: 'Watch companies',
			executionsHelp: {
				inactive:
					"<b>While building your workflow</b>, click 'Execute step'. Within seconds you see a sample event of your first company; nothing is set up at the registry service for it. To wait for a real event, set 'Options' > 'Test Event' to 'Next Real Event': the companies are then watched for two minutes.<br /><br /><b>When it is ready</b>, publish the workflow. You need not copy any address: publishing tells the registry service where to send events. Each event starts the workflow then, and you find its runs under 'Executions'. With many companies that takes a while: 'Watch Status' under 'Trigger On' says when all are watched.",
				active:
					"<b>Your workflow is published</b>: each event of the watched companies starts it, and you find its runs under 'Executions'. You need not copy any address.<br /><br /><b>While changing it</b>, click 'Execute step' to try it with a sample event, or with the next real one if you choose so under 'Options' > 'Test Event'. The published version keeps running.",
			},
			activationHint:
				'Once you have finished building, publish the workflow. Real events start it then.',
		},
		defaults: { name: 'Company Registry Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'companyRegistryApi', required: true }],
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
			/** Whatever exists, `create` asks the service how it is. */
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				await (showsSample(this) ? startSample(this) : publish(this));
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				await unpublish(this);
				return true;
			},
		},
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await watch(this);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveDelivery(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return passOn(this);
	}
}
