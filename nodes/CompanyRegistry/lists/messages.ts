import { compact, map, reject, sortBy, uniq } from 'lodash';

import { hasUnknownPrefix } from '../shared/companyNumber';
import { cellText, pluralise, formatList, formatValue } from '../shared/format';
import type { Guard, ListProblem, ListRow } from './list';
import { isLikely, type Form } from './rows';

export const NOT_UTF8: ListProblem = {
	message: 'The text cannot be read',
	description: 'Save the file as UTF-8, then try again.',
};

/** Why a guard makes a row unreadable, and what to do about it. */
const GUARDS: Record<Guard, [string, string]> = {
	longer: [
		'in a row with more cells than headings',
		'Put a heading above each column, and names with a comma in quotes.',
	],
	total: ['may be a total', 'Remove totals.'],
	otherCountry: [
		"may be a number of another country's register",
		'Write all 8 characters if the company is on the UK register.',
	],
};

const UNKNOWN_PREFIX =
	"The register is not known to use this prefix. If the number is right, set 'Company Source' to 'Search and Pick' and search for the company.";

/** A row without a company number. */
export interface UnreadableRow {
	/** With the client's name from the row: `row 61 ("sole trader", Jane Doe)`. */
	words: string;
	/** Whether its cell has a digit or a spreadsheet's error, and is no total. */
	looksMistyped: boolean;
	/** Its cell, and the client's name; empty where it has none. */
	cell: string;
	name: string;
}

/** What a spreadsheet shows where a formula fails. */
const SHEET_ERROR = /^#(?:REF|N\/A|NAME|VALUE|DIV\/0|NUM|NULL|SPILL|ERROR)/i;

export function otherTable(row: number): ListProblem {
	return {
		message: `Another table seems to begin in row ${row}`,
		description: `Keep only one table. If this is one table, remove the empty row above row ${row}.`,
	};
}

/** @param columns those that could hold the numbers */
export function unclearColumn(columns: string[], isHeaded: boolean, form: Form): ListProblem {
	const step = isHeaded
		? "Give only the right column the heading 'Company number'."
		: headingsFor(columns, form);
	if (columns.length === 0) return { message: 'No column has company numbers', description: step };
	return {
		message: isHeaded
			? 'The column with company numbers is unclear'
			: 'The list has no heading above its company numbers',
		description: `The numbers could be in ${columns.slice(0, 10).join(' or ')}. ${step}`,
	};
}

function headingsFor(columns: string[], form: Form): string {
	const [only, another] = columns;
	const right = only && !another ? only : 'the right column';
	const quotes = form === ',' ? ', and put names with a comma in quotes' : '';
	const list = another ? ' If this is a list of numbers, put one on each line.' : '';
	return `Add a row of headings, with 'Company number' above ${right}${quotes}.${list}`;
}

/** The rows without a company number. Those whose cell is empty come last. */
export function unreadableRows(listed: ListRow[]): UnreadableRow[] {
	const unreadable = sortBy(reject(listed, 'number'), ({ entry }) => formatValue(entry) === '');
	return unreadable.map(({ column, row, entry, name, guard }) => {
		const cells = compact([formatValue(entry) || 'empty', name]).join(', ');
		const content = compact([cells, guard && GUARDS[guard][0]]).join('; ');
		const words = `${column ? 'row' : 'line'} ${row} (${content})`;
		const isTotal = guard === 'total' && !isLikely(entry);
		const cell = cellText(entry);
		const isNumberLike = /\d/.test(cell) || SHEET_ERROR.test(cell);
		const looksMistyped = (isNumberLike && !isTotal) || guard === 'longer';
		return { words, looksMistyped, cell, name: name ?? '' };
	});
}

/** Names the problem, the next step, and at most a hundred of the rows, so that a long list can be corrected at once. */
export function unreadableProblem(listed: ListRow[]) {
	const unreadable = reject(listed, 'number');
	if (unreadable.length === 0) return undefined;
	const [{ column }] = unreadable;
	const have = unreadable.length === 1 ? 'has' : 'have';
	const message = `${unreadable.length} of ${pluralise(listed.length, 'row')} ${have} no readable company number${column && ` in ${column}`}`;
	const description = uniq(unreadable.map(fixFor)).slice(0, 2).join(' ');
	const rows = `Unreadable: ${formatList(map(unreadableRows(listed), 'words'), 100)}`;
	return { message, description, rows };
}

function fixFor({ entry, guard }: ListRow): string {
	if (guard) return GUARDS[guard][1];
	if (hasUnknownPrefix(entry)) return UNKNOWN_PREFIX;
	return /\b(?:[A-Z]{2}|R)?\d{6,8}\b/i.test(cellText(entry))
		? 'Write each company number alone, in a row of its own.'
		: 'Enter all 8 characters, such as 99000001 or SC990001.';
}
