import type { INodeProperties } from 'n8n-workflow';

import { eventOptions } from '../../shared/events';
import { companyNumberLocator } from '../../shared/companyNumberLocator';
import { signatureSchemeProperties } from './customSchemeFields';

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Additional Events',
			name: 'additionalEvents',
			type: 'string',
			default: '',
			placeholder: "e.g. event names from the service's reference",
			description:
				"Names of events that the service offers and 'Trigger On' does not list, separated by commas",
		},
		{
			displayName: 'Address Changed',
			name: 'addressChanged',
			type: 'options',
			options: [
				{
					name: 'Ask',
					value: 'ask',
					description: 'Stop publishing and name both addresses',
				},
				{
					name: 'Moved to This Address',
					value: 'move',
					description: 'Have the same webhooks deliver to this n8n from now on',
				},
				{
					name: 'Copy: Make New Webhooks',
					value: 'copy',
					description: 'Leave those webhooks to the other n8n and create new ones',
				},
			],
			default: 'ask',
			description: 'What to do when the webhooks of this trigger deliver to another n8n address',
		},
		{
			displayName: 'Include Request',
			name: 'includeRequest',
			type: 'boolean',
			default: false,
			description:
				'Whether to add the delivery to the output as it arrived, technical details included, for troubleshooting or as evidence. Details that may hold a password are left out.',
		},
		{
			displayName: 'Refused Companies',
			name: 'refusedCompanies',
			type: 'options',
			options: [
				{
					name: 'Leave Out',
					value: 'leaveOut',
					description:
						'Watch the others. The log of n8n names the companies left out, and each publish tries them again.',
				},
				{
					name: 'Stop Publishing',
					value: 'fail',
					description: 'Watch no company until all are accepted',
				},
			],
			default: 'fail',
			description: 'What to do with companies that the service does not accept',
		},
		{
			displayName: 'Repeated Deliveries',
			name: 'repeatedDeliveries',
			type: 'options',
			options: [
				{
					name: 'Ignore',
					value: 'ignore',
					description: 'Start the workflow once when the service sends the same delivery again',
				},
				{
					name: 'Run Workflow',
					value: 'run',
					description: 'Start the workflow each time, for example to remove duplicates yourself',
				},
			],
			default: 'ignore',
			description: 'What to do when the service sends a delivery that was already accepted',
		},
		{
			displayName: 'Signature',
			name: 'signature',
			type: 'fixedCollection',
			placeholder: 'Add Custom Scheme',
			default: {},
			description:
				'How deliveries are signed. Common formats are recognised without this: fill it in only if genuine deliveries are refused and the service documents a different format.',
			options: [
				{ displayName: 'Custom Scheme', name: 'scheme', values: signatureSchemeProperties },
			],
		},
		{
			displayName: 'Signature Tolerance (Seconds)',
			name: 'tolerance',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 300,
			description:
				'How many seconds the time in a signature may differ from now, earlier or later, before the delivery is refused',
		},
		{
			displayName: 'Test Event',
			name: 'testEvent',
			type: 'options',
			options: [
				{
					name: 'Next Real Event',
					value: 'real',
					description:
						'Watch the companies for two minutes, with webhooks of their own, and show the first event that the service reports',
				},
				{
					name: 'Sample Event',
					value: 'sample',
					description:
						'Show an event of the first company within seconds. The service is not asked, and the output is marked as a sample.',
				},
			],
			default: 'sample',
			description: "What 'Execute step' shows. A published workflow is not affected.",
		},
	],
};

/** What the user fills in. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Companies From',
		name: 'companiesFrom',
		type: 'options',
		options: [
			{
				name: 'List',
				value: 'list',
				description: 'Pick each company by name or number',
			},
			{
				name: 'Company Numbers',
				value: 'numbers',
				description:
					'Paste many company numbers at once, for example from a spreadsheet, with or without names',
			},
		],
		default: 'list',
		description: 'How to choose the companies to watch',
	},
	{
		displayName: 'Companies',
		name: 'companies',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Company' },
		placeholder: 'Add Company',
		default: { company: [{ companyNumber: { mode: 'list', value: '' } }] },
		displayOptions: { show: { companiesFrom: ['list'] } },
		description: 'The companies whose events start the workflow',
		options: [
			{
				displayName: 'Company',
				name: 'company',
				values: [companyNumberLocator()],
			},
		],
	},
	{
		displayName: 'Company Numbers',
		name: 'companyNumbers',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'e.g. 00445790, SC123456',
		displayOptions: { show: { companiesFrom: ['numbers'] } },
		description:
			'Company numbers separated by commas, spaces or new lines, thousands if you like, or columns copied from a spreadsheet, such as number and name. Leading zeros may be left out, and duplicates are counted once.',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: eventOptions,
		default: ['filing.new'],
		description:
			"What starts the workflow. Other events that the service offers go under 'Options' > 'Additional Events'.",
	},
	options,
];
