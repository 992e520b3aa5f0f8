import type { INodeProperties } from 'n8n-workflow';

import { triggerOnOptions } from '../../shared/events';
import { companyNumberLocator } from '../../shared/companyNumberLocator';
import {
	addressChanged,
	alreadyWatched,
	checkWebhooks,
	companiesFrom,
	optionsOf,
	refusedCompanies,
	repeatedDeliveries,
	testEvent,
	unreadableRows,
} from './choices';
import { signatureSchemeProperties } from './customSchemeFields';

/** What is under Options. */
export const optionsProperty: INodeProperties = {
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
			options: optionsOf(addressChanged),
			default: 'ask',
			description: 'What to do when the webhooks of this trigger deliver to another n8n address',
		},
		{
			displayName: 'Already Watched',
			name: 'alreadyWatched',
			type: 'options',
			options: optionsOf(alreadyWatched),
			default: 'ask',
			description:
				'What to do with companies that already have a webhook which this trigger does not know, such as that of another workflow',
		},
		{
			displayName: 'Check Webhooks',
			name: 'checkWebhooks',
			type: 'options',
			options: optionsOf(checkWebhooks),
			default: 'hour',
			description:
				'How often the trigger looks whether all webhooks at the service are as it needs them, and puts right what is not. A check is one request.',
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
			options: optionsOf(refusedCompanies),
			default: 'fail',
			description: 'What to do with companies that the service does not accept',
		},
		{
			displayName: 'Repeated Deliveries',
			name: 'repeatedDeliveries',
			type: 'options',
			options: optionsOf(repeatedDeliveries),
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
				'How deliveries are signed. Common formats are recognised without this: fill it in only if genuine deliveries are refused and the service documents a different format. What is filled in replaces recognition.',
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
			options: optionsOf(testEvent),
			default: 'sample',
			description: "What 'Execute step' shows. A published workflow is not affected.",
		},
		{
			displayName: 'Unreadable Rows',
			name: 'unreadableRows',
			type: 'options',
			options: optionsOf(unreadableRows),
			default: 'fail',
			description:
				'What to do with rows that hold no company number, such as a sole trader or a total',
		},
	],
};

/** What the user fills in. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Companies From',
		name: 'companiesFrom',
		type: 'options',
		options: optionsOf(companiesFrom),
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
		placeholder: 'e.g. 99000001, SC990001',
		displayOptions: { show: { companiesFrom: ['numbers'] } },
		description:
			'Company numbers separated by commas, spaces or new lines, thousands if you like, or the rows of a spreadsheet with their headings. Leading zeros may be left out, and duplicates are counted once.',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: triggerOnOptions,
		default: ['filing.new'],
		description:
			"What starts the workflow. Other events that the service offers go under 'Options' > 'Additional Events'.",
	},
	optionsProperty,
];
