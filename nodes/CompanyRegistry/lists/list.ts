import { uniqBy } from 'lodash';

import type { Row } from './rows';

/** A row of a list, and the company in it. */
export interface ListRow extends Row {
	/** The heading of the column with the numbers; empty in a list of numbers. */
	column: string;
	/** The cell that should hold the number. */
	entry: unknown;
	/** In the register's form; undefined if the row is unreadable. */
	number: string | undefined;
	/** Null where the rows of its number have different names. */
	name: string | null;
	/** The name in this row, where the rows of its number have different ones. */
	unclearName?: string;
	/** Why the row is unreadable, although its cell may be a number. */
	guard?: Guard;
	headings?: string[];
	/** Whether only a list on hold has it, so that the list in force does not count it. */
	isOnHold?: boolean;
}

/** Why a row is unreadable, although its cell may be a number. */
export type Guard = 'longer' | 'total' | 'otherCountry';

/** Why nothing is read of a list, and what to do about it. */
export type ListProblem = Record<'message' | 'description', string>;

export type List = { listed: ListRow[] } | ListProblem;

/** Each company once, as its first row has it, and each row without a number; in their order. */
export function withoutRepeats(listed: ListRow[]): ListRow[] {
	return uniqBy(listed, (one) => one.number ?? one);
}
