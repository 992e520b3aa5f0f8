import { mapValues, omit, uniq } from 'lodash';

import type { Listed } from '../../lists/readList';
import { columnsOf } from '../../lists/rows';
import { lineOf } from '../../lists/cells';

/** A company as the trigger's pasted table has it. */
export interface Pasted {
	company_number: string;
	company_name: string | null;
	/** Its other columns by their headings. */
	details: Record<string, string>;
}

const OWN_HEADINGS = ['Company number', 'Name'];

/** Rows that have a number, with all their columns: those that hold the number or the name once. */
export function pastedOf(listed: Listed[]): Pasted[] {
	const rows = listed.map((one) => ({
		one,
		columns: mapValues(columnsOf(one).columns ?? {}, cellText),
	}));
	const headings = uniq(rows.flatMap(({ columns }) => Object.keys(columns)));
	const isSaid = (heading: string) =>
		OWN_HEADINGS.some((own) => own.toLowerCase() === heading.toLowerCase()) ||
		rows.every(({ one, columns }) => columns[heading] === lineOf(one.entry)) ||
		rows.every(({ one, columns }) => columns[heading] === (one.name ?? ''));
	const said = headings.filter(isSaid);
	return rows.map(({ one: { number = '', name }, columns }) => ({
		company_number: number,
		company_name: name,
		details: omit(columns, said),
	}));
}

/** The companies as the trigger reads them again. */
export function pastedText(companies: Pasted[]): string {
	const headings = uniq(companies.flatMap(({ details }) => Object.keys(details)));
	const isNamed = companies.some(({ company_name }) => company_name !== null);
	if (!isNamed && headings.length === 0) {
		return companies.map(({ company_number }) => company_number).join('\n');
	}
	const rows = companies.map(({ company_number, company_name, details }) => [
		company_number,
		company_name ?? '',
		...headings.map((heading) => details[heading] ?? ''),
	]);
	return [[...OWN_HEADINGS, ...headings], ...rows]
		.map((cells) => cells.map(quoted).join('\t'))
		.join('\n');
}

function cellText(cell: unknown): string {
	return typeof cell === 'boolean' ? String(cell) : lineOf(cell);
}

/** Other quotes than the first are characters like any. */
function quoted(cell: string): string {
	return cell.startsWith('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
}
