import {
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { invalidCompanyNumber, normaliseCompanyNumber } from '../../shared/companyNumber';
import { eventNames } from '../../shared/events';
import { showValue } from '../../shared/showValue';
import { customSchemeProblem } from '../signatures/customScheme';
import { readCustomScheme } from './deliveryOptions';

/** Entries that a message names. */
const MAXIMUM_NAMED = 20;

/** What the user wants watched: company numbers in the register's form and event names. */
export interface Watchlist {
	companies: string[];
	events: string[];
}

/**
 * Reads what to watch from the node's parameters. Messages hold the next step themselves: when a
 * publish fails, n8n shows the message and nothing else.
 * @throws NodeOperationError naming the entry that cannot be used
 */
export function readWatchlist(context: IHookFunctions): Watchlist {
	const entries = readEntries(context);
	if (entries.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			"No company is chosen. Add at least one under 'Companies', or set 'Companies From' to 'Company Numbers' and paste them.",
		);
	}

	const companies = entries.map(normaliseCompanyNumber);
	const invalid = entries.flatMap((entry, index) =>
		companies[index] === undefined ? [{ entry, place: index + 1 }] : [],
	);
	if (invalid.length > 0) {
		throw new NodeOperationError(context.getNode(), describeInvalid(invalid, entries.length));
	}

	const events = readEvents(context);
	if (events.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			"No event is chosen. Choose at least one under 'Trigger On'.",
		);
	}
	refuseUnsoundScheme(context);
	const valid = companies.filter((company) => company !== undefined);
	return { companies: [...new Set(valid)], events };
}

/** All at once, so that a long list has to be corrected once: 20 by name and place, and how many more. */
function describeInvalid(invalid: Array<{ entry: unknown; place: number }>, of: number): string {
	const [{ entry, place }] = invalid;
	const { message, description } = invalidCompanyNumber(entry);
	if (invalid.length === 1) return `Company ${place} of ${of}: ${message}. ${description}`;
	const named = invalid
		.slice(0, MAXIMUM_NAMED)
		.map((one) => `${showValue(one.entry) || '(empty)'} (number ${one.place})`);
	const more = invalid.length - named.length;
	return `${invalid.length} of ${of} companies are not company numbers: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}. ${description}`;
}

/** Whether the node's parameters ask for this company, in the register's form. */
export function choosesCompany(
	context: IHookFunctions | IWebhookFunctions,
	company: string,
): boolean {
	return readEntries(context).some((entry) => normaliseCompanyNumber(entry) === company);
}

function readEntries(context: IHookFunctions | IWebhookFunctions): unknown[] {
	return context.getNodeParameter('companiesFrom', 'list') === 'numbers'
		? numberEntries(context.getNodeParameter('companyNumbers', ''))
		: listEntries(context.getNodeParameter('companies.company', []));
}

/** Names of the events that the node's parameters ask for. */
export function readEvents(context: IHookFunctions | IWebhookFunctions): string[] {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	return eventNames(context.getNodeParameter('events', []), options.additionalEvents);
}

/** A scheme that signs too little would accept forgeries: better not to publish at all. */
function refuseUnsoundScheme(context: IHookFunctions): void {
	const scheme = readCustomScheme(context.getNodeParameter('options', {}) as IDataObject);
	const problem = scheme && customSchemeProblem(scheme);
	if (problem) {
		throw new NodeOperationError(
			context.getNode(),
			`The custom signature scheme cannot be used: ${problem}. Correct it under 'Options' > 'Signature', or remove it to use automatic detection.`,
		);
	}
}

function numberEntries(value: unknown): unknown[] {
	if (Array.isArray(value)) return value.flatMap(numberEntries);
	if (typeof value !== 'string') return value === undefined || value === null ? [] : [value];
	return value.split(/[\s,;]/).filter((entry) => entry !== '');
}

/** Rows of the company list; each holds a resource locator, or what an expression gave in its place. */
function listEntries(rows: unknown): unknown[] {
	if (!Array.isArray(rows)) return [];
	return rows.map((row: { companyNumber?: unknown }) => {
		const { companyNumber } = row;
		return typeof companyNumber === 'object' && companyNumber !== null && 'value' in companyNumber
			? companyNumber.value
			: companyNumber;
	});
}
