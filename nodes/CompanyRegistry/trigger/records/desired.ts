import type { TriggerOptions } from '../parameters/options';
import type { Companies } from '../parameters/watchlist';

/** The webhooks that a published trigger should have at the service. */
export interface DesiredState {
	/** In the order of the list. Those that wait for a decision are among them. */
	companies: string[];
	/** Event names of the service. */
	events: string[];
	/** n8n's URL of the trigger. */
	url: string;
	options: TriggerOptions;
	/** Whether *Watch Report* is chosen, and whether the parameter says so without an expression. */
	reports: { isChosen: boolean; isLiteral: boolean };
	/** Whether the list is read from a link, again at each pass. */
	followsLink: boolean;
}

/** A company that stays watched although the latest list lacks it. */
export interface Waiting {
	company: string;
	/** `large`: the list lacks more than half. `row`: a row that looks mistyped may be this company. */
	why: 'large' | 'row';
}

/** A name that has another number in a later list. */
export interface ChangedNumber {
	name: string;
	before: string;
	now: string;
}

/** What was read of the list, for reports and the preview. Its names are also those of companies that have left. */
export interface Reading extends Omit<Companies, 'companies' | 'rows'> {
	/** Columns that are not stored, because the list is too large. */
	leftOut: string[];
	waiting: Waiting[];
	changedNumbers: ChangedNumber[];
	/** Why the parameters or the link cannot be read: the previous state stays in force. */
	problem?: Error;
}

export function noReading(more: Partial<Reading> = {}): Reading {
	return {
		names: new Map(),
		unreadable: [],
		completed: [],
		unclearNames: [],
		leftOut: [],
		waiting: [],
		changedNumbers: [],
		...more,
	};
}
