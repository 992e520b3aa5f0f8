import { uniq } from 'lodash';
import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';

import { readListText, type List, type Listed } from '../../lists/readList';
import { describeUnreadable, unreadableProblem, whichColumn } from '../../lists/words';
import { dropOldest } from '../../shared/dropOldest';
import { nameInLabel } from '../../shared/companyNumberLocator';
import { normaliseCompanyNumber } from '../../shared/companyNumber';
import { eventNames } from '../../shared/events';
import { customSchemeProblem } from '../signatures/customScheme';
import { companiesFromSchema, type TriggerOptions } from './options';

const LEAVE_OUT = " To watch the others, set 'Options' > 'Unreadable Rows' to 'Leave Out'.";

type Context = IHookFunctions | IWebhookFunctions;

/** Texts of which one process remembers what is in them. */
const MAXIMUM_REMEMBERED = 10;
const remembered = new Map<string, List>();

/** A row that holds no company number that can be read. */
export interface UnreadableRow {
	row: number;
	/** `row 61 ("sole trader")` */
	words: string;
	/** Whether it has three digits or more: a cell that went wrong. */
	mayBeNumber: boolean;
}

/** What the user wants watched: company numbers in the register's form and event names. */
export interface Watchlist {
	companies: string[];
	events: string[];
	/** Rows that are left out. */
	unreadable: UnreadableRow[];
}

/**
 * Reads what to watch from the node's parameters.
 * @throws NodeOperationError naming the entry that cannot be used
 */
export function readWatchlist(context: IHookFunctions, options: TriggerOptions): Watchlist {
	// When a publish fails, n8n shows the message and nothing else: the next step is in it.
	const refused = (words: string) => new NodeOperationError(context.getNode(), words);
	const list = readEntered(context);
	if ('candidates' in list) {
		throw refused(whichColumn(list.candidates, 'paste number and name only'));
	}
	const { listed } = list;
	if (listed.length === 0) {
		throw refused(
			"No company is chosen. Add at least one under 'Companies', or set 'Companies From' to 'Company Numbers' and paste them.",
		);
	}
	const companies = uniq(listed.flatMap(({ number }) => number ?? []));
	const problem = unreadableProblem(listed);
	if (problem !== undefined && (options.unreadableRows === 'fail' || companies.length === 0)) {
		const { message, description } = problem;
		throw refused(`${message}. ${description}${companies.length > 0 ? LEAVE_OUT : ''}`);
	}
	const events = eventNames(context.getNodeParameter('events', []), options.additionalEvents);
	if (events.length === 0) {
		throw refused(
			"No event is chosen. Choose at least one under 'Trigger On', or enter its name under 'Options' > 'Additional Events'.",
		);
	}
	// A scheme that signs too little would accept forgeries: better not to publish at all.
	const { scheme } = options.signature;
	const fault = scheme && customSchemeProblem(scheme);
	if (fault) {
		throw refused(
			`The custom signature scheme cannot be used: ${fault}. Correct it under 'Options' > 'Signature', or remove it to use automatic detection.`,
		);
	}
	return {
		companies,
		events,
		unreadable: describeUnreadable(listed).map((words, row) => ({
			row,
			words,
			mayBeNumber: /\d.*\d.*\d/.test(words.replace(/^row \d+/, '')),
		})),
	};
}

/** Whether the node's parameters ask for this company, in the register's form. */
export function choosesCompany(context: Context, company: string): boolean {
	return listedIn(context).some(({ number }) => number === company);
}

/** The name that the node's parameters hold for this company, in the register's form; null if none. */
export function companyNameOf(context: Context, company: string): string | null {
	const named = listedIn(context).filter(({ name }) => name !== null);
	return named.find(({ number }) => number === company)?.name ?? null;
}

/** Names by company number, as the node's parameters have them. */
export function companyNames(context: Context): Map<string, string> {
	const named = listedIn(context).filter(({ name }) => name !== null);
	return new Map(named.reverse().map(({ number = '', name }) => [number, name ?? '']));
}

function listedIn(context: Context): Listed[] {
	const list = readEntered(context);
	return 'listed' in list ? list.listed : [];
}

function readEntered(context: Context): List {
	const from = companiesFromSchema.parse(context.getNodeParameter('companiesFrom', 'list'));
	return from === 'numbers'
		? fromNumbers(context.getNodeParameter('companyNumbers', ''))
		: fromRows(context.getNodeParameter('companies.company', []));
}

/** A text, a number, or what an expression gave in their place: also a list of such. */
function fromNumbers(value: unknown): List {
	if (Array.isArray(value)) {
		const parts = value.map(fromNumbers);
		const unclear = parts.find((part) => 'candidates' in part);
		return unclear ?? { listed: parts.flatMap((part) => ('listed' in part ? part.listed : [])) };
	}
	if (typeof value === 'string') return readPasted(value);
	if (value === undefined || value === null) return { listed: [] };
	const number = normaliseCompanyNumber(value);
	return { listed: [{ row: 1, entry: value, number, name: null }] };
}

/** The companies in a text. Each delivery asks for a name, so a text is read once. */
export function readPasted(text: string): List {
	const list = remembered.get(text) ?? readListText(text);
	remembered.set(text, list);
	dropOldest(remembered, MAXIMUM_REMEMBERED);
	return list;
}

/** Rows of the company list; each holds a resource locator, or what an expression gave in its place. */
function fromRows(rows: unknown): List {
	if (!Array.isArray(rows)) return { listed: [] };
	const listed = rows.map(({ companyNumber: field }: { companyNumber?: unknown }, index) => {
		const { value: entry, cachedResultName = null } = isLocator(field) ? field : { value: field };
		const number = normaliseCompanyNumber(entry);
		const name = number ? nameInLabel(cachedResultName, number) : null;
		return { row: index + 1, entry, number, name };
	});
	return { listed };
}

/** What n8n stores of a company that was picked; not all that it stores has the mark of a locator. */
function isLocator(field: unknown): field is { value: unknown; cachedResultName?: unknown } {
	return typeof field === 'object' && field !== null && 'value' in field;
}
