import { compact, map } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { formatCompany, pluralise } from '../../shared/format';
import { plainLine } from '../../shared/itemText';
import { isTemporary } from '../records/failures';

export const MAXIMUM_VERDICT = 120;
/** Lines of one list in a text, and companies of one list in an item. */
export const MAXIMUM_LISTED = 100;
const MAXIMUM_LINE = 500;

export const RETRIES = 'The trigger retries automatically';
export const PAUSE = 'Pause those that no other workflow uses with Webhook → Pause';

/** A sentence or two, and what they list. */
export interface Part {
	words: string;
	list?: string[];
}

/** The part as plain lines. */
export function linesOf({ words, list = [] }: Part): string {
	const more = list.length - MAXIMUM_LISTED;
	const text = plainLine(sentences([words]), Infinity);
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

/** `58 companies are watched`. */
export function areWatched(count: number): string {
	return `${pluralise(count, 'company')} ${forCount(count, 'is', 'are')} watched`;
}

/** The words that fit one, or several. */
export function forCount(count: number, one: string, several: string): string {
	return count === 1 ? one : several;
}

export function named(companies: string[], names: ReadonlyMap<string, string>): string[] {
	return companies.map((company) => formatCompany(company, names));
}

/** Why one company is not watched: the words of the service, if it gave any. */
export function quote(reason: unknown): string {
	return (reason instanceof RegistryFailure && reason.quotation) || messageOf(reason);
}

/** Why a pass failed. @param next what to say where the same may succeed later */
export function explain(reason: unknown, next = RETRIES): string {
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	const isBrief = isTemporary(reason) && reason.kind !== 'notSent';
	const advice = isBrief ? [reason.quotation, next] : [reason.description];
	return sentences([reason.message, ...advice]);
}
