import { map } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import { triggerOnOptions } from '../../shared/events';
import { companyNumberField } from '../../shared/companyNumberLocator';
import { signatureSchemeProperties } from './customSchemeFields';
import { CHECK_PERIODS } from './options';

/** The chosen events by the names that the user sees. A space parts the braces that n8n would take for the end. */
const NAMES = Object.fromEntries(triggerOnOptions.map(({ name, value }) => [value, name]));
export const triggerSubtitle = `={{ [].concat($parameter["events"] ?? []).map((one) => (${JSON.stringify(NAMES)} )[one] ?? one).concat($parameter["options"]?.["additionalEvents"] || []).join(", ") }}`;

export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Company Source',
		name: 'companiesFrom',
		type: 'options',
		options: [
			{
				name: 'Paste Numbers or a Table',
				value: 'numbers',
				description: 'Paste company numbers, or rows of a spreadsheet with their headings',
			},
			{
				name: 'Search and Pick',
				value: 'list',
				description: 'Pick each company by name or number',
			},
			{
				name: 'Follow a Link',
				value: 'link',
				description: 'Read the list from a URL when you publish, when n8n starts and at each check',
			},
		],
		default: 'numbers',
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
		description: 'The companies to watch',
		options: [
			{
				displayName: 'Company',
				name: 'company',
				values: [companyNumberField],
			},
		],
	},
	{
		displayName: 'Numbers or Table',
		name: 'companyNumbers',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'e.g. 99000001, SC990001',
		displayOptions: { show: { companiesFrom: ['numbers'] } },
		description:
			'Company numbers separated by commas, spaces or new lines, or rows of a spreadsheet with their headings. Repeated numbers count once.',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: triggerOnOptions,
		default: ['filing.new'],
		description:
			"The events that start the workflow. The service also reports status changes: enter their names, from the service's reference, in 'Additional Events' (under Options).",
	},
	{
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
					'Names of other events of the service, separated by commas, spaces or new lines. If you use this option, the workflow starts on every event the service sends, including events you did not choose.',
			},
			{
				displayName: 'Allow Large Removals',
				name: 'allowLargeRemovals',
				type: 'boolean',
				default: false,
				description:
					'Whether publishing may remove more than half of the watched companies. If off, they stay watched and the trigger reports it.',
			},
			{
				displayName: 'Check Every',
				name: 'checkEvery',
				type: 'options',
				options: map(CHECK_PERIODS, ({ name }, value) => ({ name, value })),
				default: 'hour',
				description:
					"How often to check and repair webhooks, and to read the list again with 'Follow a Link'",
			},
			{
				displayName: 'If Address Changed',
				name: 'addressChanged',
				type: 'options',
				options: [
					{
						name: 'Stop Publishing',
						value: 'stop',
						description: 'Change nothing, and show both addresses in the error',
					},
					{
						name: 'Move Webhooks Here',
						value: 'move',
						description: 'Redirect the existing webhooks to this n8n',
					},
					{
						name: 'Create New Webhooks',
						value: 'new',
						description:
							'Leave the existing webhooks on the other n8n and create new ones here. Both then receive each event.',
					},
				],
				default: 'stop',
				description: 'What to do when the webhooks of this trigger deliver to another n8n address',
			},
			{
				displayName: 'Signature',
				name: 'signature',
				type: 'fixedCollection',
				placeholder: 'Add Signature Setting',
				default: {},
				description:
					'The trigger recognises common signature formats. Add a custom scheme only if it refuses genuine deliveries: your scheme then replaces the automatic recognition.',
				options: [
					{ displayName: 'Custom Scheme', name: 'scheme', values: signatureSchemeProperties },
					{
						displayName: 'Tolerance',
						name: 'tolerance',
						values: [
							{
								displayName: 'Seconds',
								name: 'seconds',
								type: 'number',
								typeOptions: { minValue: 1 },
								default: 300,
								description: "How far the signed time of a delivery may differ from n8n's clock",
							},
						],
					},
				],
			},
		],
	},
];
