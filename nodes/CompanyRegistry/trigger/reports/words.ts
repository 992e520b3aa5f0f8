import { compact, map } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { pluralise } from '../../shared/format';
import { plainLine } from '../../shared/itemText';
import { isTemporary } from '../records/failures';

export const MAXIMUM_VERDICT = 120;
/** Lines of one list in a text, and companies of one list in an item. */
export const MAXIMUM_LISTED = 100;
const MAXIMUM_LINE = 500;

export const RETRIES = 'The trigger retries automatically';
export const PAUSE = 'Pause these webhooks with Webhook → Pause, unless something else uses them';

/** The key of failures that may pass; those of the list and of the whole check end with it. */
export const MAY_PASS = 'may pass';
/** The end of keys that count companies, whatever the reason. */
export const COUNTED = 'not watched';

/** Whether a key alone is no reason to alarm a person soon. */
export function mayPass(key: string): boolean {
	return key.endsWith(MAY_PASS) || key.endsWith(COUNTED);
}

/** One statement of a report, with the next step. */
export interface Fact {
	/** One statement; empty where the parts say all. */
	says: string;
	/** The statement as a verdict, where that says more. */
	verdict?: string;
	/** How many companies, rows or webhooks it concerns. */
	count: number;
	parts: Part[];
	/**
	 * Undefined where no one has to act. It stays the same while the fact does; empty where the fact may pass. One line
	 * for each thing that a person has to learn of.
	 */
	key?: string;
	/** Whether it is over by now, or said once only: the next report does not have it. */
	isOver?: boolean;
	/** Whether a person may overlook it below a worse fact: then a report says it again, once none is worse. */
	needsVerdict?: boolean;
	/** Whether the verdict is about it. */
	leads?: boolean;
	/** Whether the trigger has restored what someone else had changed. */
	isRepair?: boolean;
}

/** A sentence or two, and what they list. */
export interface Part {
	words: string;
	list?: string[];
}

/** The part as plain lines. @param before sentences that belong in front */
export function linesOf({ words, list = [] }: Part, before = ''): string {
	const more = list.length - MAXIMUM_LISTED;
	const text = plainLine(sentences([before, words]), Infinity);
	if (list.length === 0) return text;
	const shown = list.slice(0, MAXIMUM_LISTED).map((line) => `- ${plainLine(line, MAXIMUM_LINE)}`);
	return [text.replace(/\.$/, ':'), ...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join(
		'\n',
	);
}

/** Joins sentences, each with one full stop. */
export function sentences(parts: Array<string | false | undefined>): string {
	return map(compact(parts), (part) => `${part.trim().replace(/[.:\s]+$/, '')}.`).join(' ');
}

/** `1 of 2 companies is`, before a verb. */
export function countOf(count: number, all: number): string {
	return `${count} of ${pluralise(all, 'company')} ${count === 1 ? 'is' : 'are'}`;
}

/** The words that fit one, or several. */
export function forCount(count: number, one: string, several: string): string {
	return count === 1 ? one : several;
}

/** Why one company is not watched: the words of the service, if it gave any. */
export function quote(reason: unknown): string {
	return (reason instanceof RegistryFailure && reason.quotation) || messageOf(reason);
}

/** Why a pass failed. Without advice where the trigger tries again. */
export function explain(reason: unknown): string {
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	const isBrief = isTemporary(reason) && reason.kind !== 'notSent';
	return sentences([reason.message, isBrief ? reason.quotation : reason.description]);
}
