import type { INodeProperties } from 'n8n-workflow';

import { eventOptions } from '../shared/events';
import { companyNumberLocator } from '../shared/companyNumberLocator';

const signatureScheme: INodeProperties[] = [
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		type: 'options',
		options: [
			{ name: 'HMAC-SHA256', value: 'sha256' },
			{ name: 'HMAC-SHA512', value: 'sha512' },
		],
		default: 'sha256',
		description: 'How the signature is calculated',
	},
	{
		displayName: 'Encoding',
		name: 'encoding',
		type: 'options',
		options: [
			{ name: 'Base64', value: 'base64' },
			{ name: 'Hex', value: 'hex' },
		],
		default: 'hex',
		description: 'How the signature is written in its header',
	},
	{
		displayName: 'Header',
		name: 'header',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Signature',
		description: 'The header that carries the signature',
	},
	{
		displayName: 'ID Header',
		name: 'idHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Delivery-ID',
		description: 'The header that carries the delivery ID, if the signature covers it',
	},
	{
		displayName: 'Prefix',
		name: 'prefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'Text that stands before the signature in its header',
	},
	{
		displayName: 'Secret Encoding',
		name: 'secretEncoding',
		type: 'options',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'The secret is decoded first, without a leading whsec_',
			},
			{ name: 'Text', value: 'utf8', description: 'The secret is used as it is' },
		],
		default: 'utf8',
		description: 'How the signing secret becomes a key',
	},
	{
		displayName: 'Signed Content',
		name: 'content',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description:
			'What the signature covers. {body}, {timestamp} and {ID} stand for the parts of the delivery; {body} must be among them.',
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Timestamp',
		description: 'The header that carries the time of sending, if the signature covers it',
	},
];

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
			displayName: 'Include Request',
			name: 'includeRequest',
			type: 'boolean',
			default: false,
			description:
				'Whether to add the delivery to the output exactly as it arrived, technical details included, for troubleshooting or as evidence',
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
				'How deliveries are signed. The common ways are recognised without this; fill it in only if genuine deliveries are refused and the service documents a way of its own.',
			options: [{ displayName: 'Custom Scheme', name: 'scheme', values: signatureScheme }],
		},
		{
			displayName: 'Tolerance',
			name: 'tolerance',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 300,
			description:
				'How many seconds the time in a signature may differ from now, earlier or later, before the delivery is refused',
		},
	],
};

const companies: INodeProperties[] = [
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
				description: 'Paste many company numbers at once, for example from a spreadsheet',
			},
		],
		default: 'list',
		description: 'How you say which companies to watch',
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
			'Company numbers separated by commas, spaces or new lines, thousands if you like. Leading zeros may be left out and duplicates are counted once.',
	},
];

const events: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: eventOptions,
		required: true,
		default: ['filing.new'],
	},
];

/** What the user fills in. */
export const triggerProperties: INodeProperties[] = [...companies, ...events, options];
