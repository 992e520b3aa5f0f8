import { compact, filter } from 'lodash';
import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { listedEmail } from '../../lists/email';
import { withoutRepeats, type List, type ListRow } from '../../lists/list';
import { unreadableProblem, unreadableRows, type UnreadableRow } from '../../lists/messages';
import { readListText } from '../../lists/readList';
import { columnsOf, storedText } from '../../lists/storedList';
import { nameInLabel } from '../../shared/companyNumberLocator';
import { hasRegisterForm, normaliseCompanyNumber, writtenNumber } from '../../shared/companyNumber';
import { digestOf } from '../../shared/digest';
import { chosenEvents } from '../../shared/events';
import { keepNewest } from '../../shared/keepNewest';
import { readCompaniesFrom, type CompaniesFrom, type TriggerOptions } from './options';

const NEXT_STEPS: Record<CompaniesFrom, string> = {
	list: "Add at least one under 'Companies', or set 'Company Source' to 'Paste Numbers or a Table'",
	numbers: "Paste numbers, or a table with its headings, into 'Numbers or Table'",
	link: 'Check the list behind the link: each row below the headings needs a company number',
};

type Context = IHookFunctions | ITriggerFunctions;

/** V8 reads a string of more than 128 KB in JSON many times as slowly. */
const BLOCKS = /[^]{1,60000}/g;
/** Lists that one process remembers. One of 10,000 rows takes about 4 MB. */
const MAXIMUM_REMEMBERED = 100;
/** Companies by number. */
const remembered = new Map<string, Map<string, ListRow>>();

/** The companies of a list, with the rows that have none. */
export interface Companies {
	/** In the register's form, without repeats. */
	companies: string[];
	/** Each company once. */
	rows: ListRow[];
	/** By company number. */
	names: ReadonlyMap<string, string>;
	/** Company numbers with the names of their rows, where these differ. */
	unclearNames: Array<[company: string, name: string]>;
	/** Rows without a company number. */
	unreadable: UnreadableRow[];
	/** Numbers that were not written in full: `7654321 → 07654321, Kite Ltd`. */
	completed: string[];
}

/** The list that the user has entered; undefined where it is behind a link. */
export function enteredList(context: Context): List | undefined {
	const from = readCompaniesFrom(context);
	if (from === 'link') return undefined;
	if (from === 'list') return readRows(context.getNodeParameter('companies.company', []));
	const text = enteredText(context.getNodeParameter('companyNumbers', ''));
	return readListText(text);
}

/** Why no company of a list can be read, with the next step. */
export class UnreadableList extends Error {}

/** @throws UnreadableList */
export function readCompanies(list: List, from: CompaniesFrom): Companies {
	if ('message' in list) throw new UnreadableList(`${list.message}. ${list.description}`);
	const { listed } = list;
	if (listed.length === 0) throw new UnreadableList(`No company is chosen. ${NEXT_STEPS[from]}.`);

	const byNumber = companiesIn(list);
	const unreadable = unreadableRows(listed);
	// Otherwise a wrong column would look like a list that lost most of its companies.
	const isWrong = filter(unreadable, 'looksMistyped').length > listed.length - unreadable.length;
	if (byNumber.size === 0 || isWrong) throw new UnreadableList(refusalOf(listed));

	const rows = [...byNumber.values()];
	return {
		companies: [...byNumber.keys()],
		rows,
		names: namesIn(rows),
		unclearNames: listed.flatMap(({ number, unclearName }) =>
			number && unclearName ? [[number, unclearName] as [string, string]] : [],
		),
		unreadable,
		completed: completedNumbers(rows),
	};
}

function refusalOf(listed: ListRow[]): string {
	const problem = unreadableProblem(listed);
	return problem ? `${problem.message}. ${problem.description} ${problem.rows}` : '';
}

/** Numbers to which zeros were added, because they were not written in full: `7654321 → 07654321, Kite Ltd`. */
function completedNumbers(rows: ListRow[]): string[] {
	return rows.flatMap(({ entry, number, name }) => {
		if (number === undefined || writtenNumber(entry) === number) return [];
		return [compact([`${String(entry).trim()} → ${number}`, name]).join(', ')];
	});
}

/** @throws Error where the user has chosen no event */
export function readEvents(context: Context, options: TriggerOptions): string[] {
	const events = chosenEvents(context.getNodeParameter('events', []), options.additionalEvents);
	if (events.length > 0) return events;
	throw new Error(
		"No event is chosen. Choose one under 'Trigger On', or enter its name in 'Additional Events' (under Options). 'Watch Report' alone is not enough.",
	);
}

/** The list that is in force. Its text is read again with the same numbers, names and columns. */
export interface ListInForce {
	/** Of the text. */
	digest: string;
	/** The text, cut into blocks. */
	blocks: string[];
}

export function toListInForce(rows: ListRow[]): { list: ListInForce; leftOut: string[] } {
	const { text, leftOut } = storedText(rows);
	return { list: { digest: digestOf(text), blocks: text.match(BLOCKS) ?? [] }, leftOut };
}

/** The rows of the list in force, each company once. */
export function rowsInForce(list?: ListInForce): ListRow[] {
	return list ? [...byNumberIn(list).values()] : [];
}

/** What the list in force says of one company. Its columns are null without headings. */
export function rowInForce(list: ListInForce | undefined, company: string) {
	const row = list && byNumberIn(list).get(company);
	const columns = columnsOf(row ?? {}) as IDataObject | null;
	const name = row?.name ?? null;
	return { isListed: row !== undefined, name, email: listedEmail(row ?? {}), columns };
}

export function namesIn(rows: ListRow[]): ReadonlyMap<string, string> {
	return new Map(rows.flatMap(({ number, name }) => (number && name ? [[number, name]] : [])));
}

/** The text, or the result of an expression: a number, or a list with one entry per line. */
function enteredText(value: unknown): string {
	if (Array.isArray(value)) return value.map(enteredText).join('\n');
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** Reads a list once, because every delivery asks for a company in it. */
function byNumberIn({ digest, blocks }: ListInForce): Map<string, ListRow> {
	const byNumber = remembered.get(digest) ?? companiesIn(readListText(blocks.join('')));
	keepNewest(remembered, digest, byNumber, MAXIMUM_REMEMBERED);
	return byNumber;
}

function companiesIn(list: List): Map<string, ListRow> {
	const listed = 'listed' in list ? withoutRepeats(list.listed) : [];
	return new Map(listed.flatMap((one) => (one.number ? [[one.number, one]] : [])));
}

/** Reads rows with resource locators, or the result of an expression. */
function readRows(rows: unknown): List {
	const listed = (Array.isArray(rows) ? rows : []).map(
		({ companyNumber: field }: { companyNumber?: unknown }, index) => {
			// A picked company is an object; an expression may give the number alone.
			const { value: entry = field, cachedResultName, mode } = Object(field) as IDataObject;
			const entered = normaliseCompanyNumber(entry);
			// The service may know a form of number that is not in the table.
			const isKnown = mode === 'list' || hasRegisterForm(entered ?? '');
			const number = isKnown ? entered : undefined;
			const name = number ? nameInLabel(cachedResultName, number) : null;
			return { row: index + 1, cells: [entry], column: "'Companies'", entry, number, name };
		},
	);
	return { listed };
}
