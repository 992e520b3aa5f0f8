import { filter, findKey, findLastIndex, maxBy, reject, some, uniq, uniqBy } from 'lodash';

import { readName } from '../shared/companyName';
import { normaliseCompanyNumber } from '../shared/companyNumber';
import { isFilled, isLikely, isWords, lineOf, textOf, writtenLength } from './cells';
import { findTable, saidBy } from './columns';
import { rowsOfItems, rowsOfLines, rowsOfText, type Row } from './rows';
import type { Doubt } from './words';

/** A company as somebody has listed it. */
export interface Listed extends Row {
	/** What the column of numbers is called; empty in a list of numbers. */
	column: string;
	/** What stands where the number is expected. */
	entry: unknown;
	/** In the register's form; undefined if the entry is no company number, or is doubtful. */
	number: string | undefined;
	name: string | null;
	/** Why the entry is not taken for a number although it could be one. */
	doubt?: Doubt;
	/** As the user has written them; undefined where there are none. */
	headings?: string[];
}

/** What was read; or, where that is not clear, which columns could hold the numbers, or where another table begins. */
export type List = { listed: Listed[] } | { candidates: string[]; otherTable?: number };

/** A total or a count, unless it is a company's name; or a date that stands in the same cell or in that of the number. */
const NOTES = [
	/^(?:(?:grand |overall |sub-? ?)?totals?|count|sum|average|balance|(?:number|no\.?) of)\b(?!.*\b(?:ltd|limited|plc|llp|lp|cic)\b)/i,
	/\b(?:totals?|count|checksum)\W*$/i,
	/^(?:(?:\w+ )?dated?(?: (?:of )?\w+)?|as (?:at|of|on)|(?:last )?(?:updated|printed|exported|extracted|generated|produced)(?: on)?|last (?:reviewed|checked)|(?:prepared|reviewed|checked) (?:by\b.* )?on|year(?: end(?:ed)?)?)[\s:.\d/-]*$/i,
];
const COMPANY_NAME = /\S\s(?:limited|ltd|plc|llp|lp|cic)\b/i;

/**
 * Reads the companies in a text: a number in each line, lines of whole numbers, or a table as a spreadsheet
 * copies or saves it. Takes time in proportion to the text.
 */
export function readListText(text: string): List {
	const bare = text.replace(/^\uFEFF/, '');
	const separator = separatorOf(bare);
	const rows = rowsOfText(bare, separator);
	const table = findTable(rows);
	// Several columns of numbers, with nothing but separators between them.
	const isGrid = (table.candidates ?? []).length > 1 && !bare.includes(`${separator} `);
	if (table.headings || isTable(rows, separator === '\t', isGrid)) return readTable(table);
	const lines = rowsOfLines(bare);
	// What stands above the numbers says something else of them.
	const titled = table.candidates && rows[0]?.cells.some(isWords) && !rows[0].cells.some(isLikely);
	if (titled && lines.some(({ cells }) => cells.some(writtenLength))) return table;
	return readTable({ body: lines, number: 0, name: -1, column: '' });
}

/** Reads the companies in rows as n8n's nodes for tables and files put them out. */
export function readListItems(items: Array<Record<string, unknown>>): List {
	const rows = rowsOfItems(items);
	return rows.length > 0 ? readTable(findTable(rows, true)) : { listed: [] };
}

/** Each company once, and each row without a number; in their order. */
export function withoutRepeats(listed: Listed[]): Listed[] {
	return uniqBy(listed, (one) => one.number ?? one);
}

/** The one under which headings are found, or that stands in most rows; a comma may stand in a name, too. */
function separatorOf(text: string): string {
	const weightOf = (separator: string) => {
		const rows = rowsOfText(text.slice(0, 2000), separator);
		const { headings = [] } = findTable(rows);
		return headings.length > 1 ? Infinity : rows.filter(({ cells }) => cells.length > 1).length;
	};
	return maxBy(['\t', ';', ','], weightOf) ?? ',';
}

/** Whether these rows, of which no heading says that they hold company numbers, are no list of numbers. */
function isTable(rows: Row[], isTabbed: boolean, isGrid: boolean): boolean {
	const [width = 0, ...others] = uniq(rows.map(({ cells }) => cells.length));
	const isName = (cell: unknown) => isWords(cell) && !/^\S*\d\S*$/.test(textOf(cell));
	const named = rows.filter(({ cells }) => cells.some(isName)).length;
	if (width + others.length < 2) return false;
	if (isTabbed) return rows.length > 1 || !rows[0].cells.every(isLikely);
	return rows.length > 1 && others.length === 0 && (isGrid || named >= rows.length * 0.9);
}

function readTable(table: ReturnType<typeof findTable>): List {
	if (table.candidates) return table;
	const { body, number: place, name, headings, column } = table;
	const listed = body.map(({ cells, row, item }): Listed => {
		const entry = cells[place];
		const number = normaliseCompanyNumber(entry);
		const named = lineOf(cells[name]) || null;
		// A copy takes less room than an array that has grown.
		return { row, item, column, entry, number, name: named, cells: [...cells], headings };
	});
	// What stands under other headings may be anything. Of items, those between may have been taken out.
	const last = findLastIndex(listed, 'number');
	const isWordy = ({ cells }: Listed) => cells.filter(isFilled).every(isWords);
	const isApart = (one: Listed, before = one) => one.item === undefined && one.row > before.row + 1;
	const other = listed.slice(0, last + 1).find((one, index) => {
		if (!isWords(one.entry)) return false;
		const [first, before = one] = [listed[index - 2], listed[index - 1]];
		// With a title above those headings; or these headings, where a number stands beside their title.
		const isTitled = !isFilled(before.entry) && isApart(before, first) && isWordy(before);
		const isSaid = !headings && saidBy([one.entry]).numbers.length > 0;
		return isSaid || ((isTitled || isApart(one, before)) && isWordy(one));
	});
	if (other) return { candidates: [], otherTable: other.row };
	settle(listed);
	return { listed };
}

/** Takes the number from each entry that is doubtful among the others. */
function settle(listed: Listed[]): void {
	// Where no heading tells of names, what ends as a company's is one.
	const isNamed = some(listed, 'name');
	const nameOf = ({ name, cells }: Listed) =>
		isNamed ? name : cells.map(lineOf).find((cell) => COMPANY_NAME.test(cell));
	const lettersOf = (one: Listed) => readName(nameOf(one) ?? '').letters || undefined;
	const companies = new Map<string | undefined, Listed>();
	const unclear = new Set<string | undefined>();
	for (const one of filter(listed, 'number')) {
		const first = companies.get(one.number) ?? one;
		companies.set(one.number, first);
		first.name ??= one.name;
		const named = first === one ? undefined : lettersOf(one);
		if (named !== undefined && named !== lettersOf(first)) unclear.add(one.number);
	}
	const lengthOf = ({ entry, number }: Listed) => (number ? writtenLength(entry) : 8);
	const isSmall = ({ number = '' }: Listed) =>
		Number(number) <= listed.length || /^0000(?:19|20)/.test(number);
	const [, asShort = 8] = reject(listed, isSmall).map(lengthOf).sort();
	const width = findLastIndex(listed[0]?.headings, isFilled) + 1 || Infinity;
	const isMet: Record<Doubt, (one: Listed, before?: Listed) => unknown> = {
		longer: ({ item, cells, headings = cells }) =>
			item === undefined && (cells.length > headings.length || cells.slice(width).some(isFilled)),
		total: ({ number, entry, name, cells }, before) => {
			const label = cells.find((cell) => cell !== entry && isFilled(cell));
			const texts = [before?.entry, name, label].map(textOf);
			return number && texts.some((text) => NOTES.some((note) => note.test(text)));
		},
		named: ({ number }) => unclear.has(number),
		letter: ({ number = '' }) => /^\d+[A-Z]|^O\d/.test(number),
		count: (one) => lengthOf(one) < (isSmall(one) ? 8 : asShort),
	};
	for (const [index, one] of listed.entries()) {
		one.doubt = findKey(isMet, (is) => is(one, listed[index - 1])) as Doubt | undefined;
		if (one.doubt) one.number = undefined;
	}
}
