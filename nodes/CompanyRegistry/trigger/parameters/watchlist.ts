import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';

import { nameInLabel } from '../../shared/companyLabel';
import { invalidCompanyNumber, normaliseCompanyNumber } from '../../shared/companyNumber';
import { eventNames } from '../../shared/events';
import { showValue } from '../../shared/showValue';
import { customSchemeProblem } from '../signatures/customScheme';
import type { TriggerOptions } from './options';
import { readPasted, type EnteredCompany } from './pastedCompanies';

const UNCLEAR_COLUMNS =
	"It is not clear which column of 'Company Numbers' holds the numbers. Paste number and name only, or paste the headings too and call that column 'Company Number'.";
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
export function readWatchlist(context: IHookFunctions, options: TriggerOptions): Watchlist {
	const entered = readEntered(context);
	if (entered === undefined) throw new NodeOperationError(context.getNode(), UNCLEAR_COLUMNS);
	if (entered.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			"No company is chosen. Add at least one under 'Companies', or set 'Companies From' to 'Company Numbers' and paste them.",
		);
	}

	const invalid = entered.flatMap(({ entry, number }, index) =>
		number === undefined ? [{ entry, place: index + 1 }] : [],
	);
	if (invalid.length > 0) {
		throw new NodeOperationError(context.getNode(), describeInvalid(invalid, entered.length));
	}

	const chosen = context.getNodeParameter('events', []);
	const events = eventNames(chosen, options.additionalEvents);
	if (events.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			"No event is chosen. Choose at least one under 'Trigger On', or enter its name under 'Options' > 'Additional Events'.",
		);
	}
	// A scheme that signs too little would accept forgeries: better not to publish at all.
	const { scheme } = options.signature;
	const problem = scheme && customSchemeProblem(scheme);
	if (problem) {
		throw new NodeOperationError(
			context.getNode(),
			`The custom signature scheme cannot be used: ${problem}. Correct it under 'Options' > 'Signature', or remove it to use automatic detection.`,
		);
	}
	const companies = entered.flatMap(({ number }) => number ?? []);
	return { companies: [...new Set(companies)], events };
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
	return (readEntered(context) ?? []).some(({ number }) => number === company);
}

/** The name that the node's parameters hold for this company, in the register's form; null if none. */
export function companyNameOf(
	context: IHookFunctions | IWebhookFunctions,
	company: string,
): string | null {
	const entered = readEntered(context) ?? [];
	return entered.find(({ number, name }) => number === company && name !== null)?.name ?? null;
}

/** Undefined if it is not clear which column of what was pasted holds the numbers. */
function readEntered(context: IHookFunctions | IWebhookFunctions): EnteredCompany[] | undefined {
	return context.getNodeParameter('companiesFrom', 'list') === 'numbers'
		? fromNumbers(context.getNodeParameter('companyNumbers', ''))
		: fromRows(context.getNodeParameter('companies.company', []));
}

/** A text, a number, or what an expression gave in their place: also a list of such. */
function fromNumbers(value: unknown): EnteredCompany[] | undefined {
	if (Array.isArray(value)) {
		const parts = value.map(fromNumbers);
		return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
	}
	if (typeof value === 'string') return readPasted(value);
	if (value === undefined || value === null) return [];
	return [{ entry: value, number: normaliseCompanyNumber(value), name: null }];
}

/** Rows of the company list; each holds a resource locator, or what an expression gave in its place. */
function fromRows(rows: unknown): EnteredCompany[] {
	if (!Array.isArray(rows)) return [];
	return rows.map(({ companyNumber: field }: { companyNumber?: unknown }) => {
		const { value: entry, cachedResultName = null } = isLocator(field) ? field : { value: field };
		const number = normaliseCompanyNumber(entry);
		return { entry, number, name: number ? nameInLabel(cachedResultName, number) : null };
	});
}

/** What n8n stores of a company that was picked; not all that it stores has the mark of a locator. */
function isLocator(field: unknown): field is { value: unknown; cachedResultName?: unknown } {
	return typeof field === 'object' && field !== null && 'value' in field;
}
