import { compact, uniq } from 'lodash';
import {
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { readListText, withoutRepeats, type List, type Listed } from '../../lists/readList';
import { columnsOf } from '../../lists/rows';
import {
	unreadableProblem,
	unreadableRows,
	whichColumn,
	type UnreadableRow,
} from '../../lists/words';
import { nameInLabel } from '../../shared/companyNumberLocator';
import { normaliseCompanyNumber } from '../../shared/companyNumber';
import { eventNames } from '../../shared/events';
import { customSchemeProblem } from '../signatures/customScheme';
import { companiesFromSchema, type TriggerOptions } from './options';

const LEAVE_OUT = "To watch the others, set 'Options' > 'Unreadable Rows' to 'Leave Out'.";

type Context = IHookFunctions | IWebhookFunctions;

/** Rows of pasted texts that one process remembers: 25 lists of 10,000, and some. They take about 100 MB. */
const MAXIMUM_REMEMBERED = 300_000;
/** Characters that count as a row. */
const USUAL_ROW = 100;
const remembered = new Map<string, ReadList>();
let rememberedRows = 0;

/** What the user wants watched: company numbers in the register's form and event names. */
export interface Watchlist {
	companies: string[];
	events: string[];
	/** Those that are left out; more than one with nothing in it are one entry. */
	unreadable: UnreadableRow[];
	/** Rows of the list, without headings and empty ones. */
	rows: number;
	/** Rows that name a company once more. */
	repeated: number;
}

/**
 * Reads what to watch from the node's parameters.
 * @throws NodeOperationError naming the entry that cannot be used
 */
export function readWatchlist(context: IHookFunctions, options: TriggerOptions): Watchlist {
	// When a publish fails, n8n shows the message and nothing else: the next step is in it.
	const refused = (words: string) => new NodeOperationError(context.getNode(), words);
	const { list, byNumber } = readEntered(context);
	if ('candidates' in list) {
		const { message, description } = whichColumn(list);
		throw refused(`${message} ${description}`);
	}
	const { listed } = list;
	if (listed.length === 0) {
		const isPasted = context.getNodeParameter('companiesFrom', 'list') === 'numbers';
		const step = isPasted
			? "Paste numbers, or a table with numbers below its headings, into 'Company Numbers'"
			: "Add at least one under 'Companies', or set 'Companies From' to 'Company Numbers' and paste them";
		throw refused(`No company is chosen. ${step}.`);
	}
	const companies = [...byNumber.keys()];
	const isStrict = options.unreadableRows === 'fail' || companies.length === 0;
	const problem = isStrict ? unreadableProblem(listed) : undefined;
	if (problem) {
		const { message, description, rows } = problem;
		const step = compact([description, companies.length > 0 && LEAVE_OUT, rows]).join(' ');
		throw refused(`${message}. ${step}`);
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
	const unreadable = unreadableRows(listed);
	const read = listed.filter(({ number }) => number !== undefined).length;
	const repeated = read - companies.length;
	return { companies, events, unreadable, rows: listed.length, repeated };
}

/** What the node's parameters hold of one company. */
interface ListedCompany {
	/** Null if none is given. */
	name: string | null;
	/** The columns of its row in a pasted table, by their headings; null where there are none. */
	columns: IDataObject | null;
}

/** A list that is read, and its companies by their number in the register's form. */
interface ReadList {
	list: List;
	byNumber: Map<string, Listed>;
}

/** Whether the node's parameters ask for this company, in the register's form. */
export function choosesCompany(context: Context, company: string): boolean {
	return readEntered(context).byNumber.has(company);
}

/** What the node's parameters hold of this company, in the register's form. */
export function listedCompany(context: Context, company: string): ListedCompany {
	const listed = readEntered(context).byNumber.get(company);
	const columns = columnsOf(listed ?? {}).columns as IDataObject | null;
	return { name: listed?.name ?? null, columns };
}

/** Names by company number, as the node's parameters have them. */
export function companyNames(context: Context): Map<string, string> {
	const named = [...readEntered(context).byNumber].filter(([, { name }]) => name !== null);
	return new Map(named.map(([number, { name }]) => [number, name ?? '']));
}

/** Headings of what `list_columns` leaves out, in any row: it is bounded. */
export function columnsLeftOut(context: Context): string[] {
	const { list } = readEntered(context);
	return 'listed' in list ? uniq(list.listed.flatMap((one) => columnsOf(one).leftOut)) : [];
}

function readEntered(context: Context): ReadList {
	const from = companiesFromSchema.parse(context.getNodeParameter('companiesFrom', 'list'));
	return from === 'numbers'
		? readPasted(textOf(context.getNodeParameter('companyNumbers', '')))
		: byNumber(fromRows(context.getNodeParameter('companies.company', [])));
}

/** The text, or what an expression gave in its place: a number, or a list of such, one in each line. */
function textOf(value: unknown): string {
	if (Array.isArray(value)) return value.map(textOf).join('\n');
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** The companies in a text. Each delivery asks for one of them, so a text is read once. */
export function readPasted(text: string): ReadList {
	const known = remembered.get(text);
	const read = known ?? byNumber(readListText(text));
	// What was asked for last is kept longest.
	remembered.delete(text);
	remembered.set(text, read);
	if (known === undefined) rememberedRows += sizeOf(text, read);
	for (const [oldest, one] of remembered) {
		if (rememberedRows <= MAXIMUM_REMEMBERED) break;
		remembered.delete(oldest);
		rememberedRows -= sizeOf(oldest, one);
	}
	return read;
}

function sizeOf(text: string, read: ReadList): number {
	return 1 + Math.max(read.byNumber.size, text.length / USUAL_ROW);
}

function byNumber(list: List): ReadList {
	const listed = 'listed' in list ? withoutRepeats(list.listed) : [];
	const named = listed.flatMap(
		(one): Array<[string, Listed]> => (one.number === undefined ? [] : [[one.number, one]]),
	);
	return { list, byNumber: new Map(named) };
}

/** Rows of the company list; each holds a resource locator, or what an expression gave in its place. */
function fromRows(rows: unknown): List {
	if (!Array.isArray(rows)) return { listed: [] };
	const listed = rows.map(({ companyNumber: field }: { companyNumber?: unknown }, index) => {
		const { value: entry, cachedResultName = null } = isLocator(field) ? field : { value: field };
		const number = normaliseCompanyNumber(entry);
		const name = number ? nameInLabel(cachedResultName, number) : null;
		return { row: index + 1, cells: [entry], column: "'Companies'", entry, number, name };
	});
	return { listed };
}

/** What n8n stores of a company that was picked; not all that it stores has the mark of a locator. */
function isLocator(field: unknown): field is { value: unknown; cachedResultName?: unknown } {
	return typeof field === 'object' && field !== null && 'value' in field;
}
