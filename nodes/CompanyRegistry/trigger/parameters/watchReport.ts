import { difference, groupBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { readName } from '../../shared/companyName';
import { REPORT_EVENT, REPORT_NAME } from '../../shared/events';
import { plainLine, MAXIMUM_SUBJECT } from '../../shared/itemText';
import { formatCompany, pluralise } from '../../shared/format';
import type { Companies } from './watchlist';

/** Companies in one list of an item. */
const MAXIMUM_LISTED = 100;
const MAXIMUM_LINE = 500;

type NamedCompanies = Pick<Companies, 'companies' | 'names'>;

export interface Changes {
	added: string[];
	removed: string[];
}

export function changesOf(previous: string[], companies: string[]): Changes {
	return { added: difference(companies, previous), removed: difference(previous, companies) };
}

/**
 * Removed companies whose name now has another number, as a slip makes it:
 * `99306165 was Kite Ltd's number, now 09930616`.
 */
export function renumbered(removed: string[], { companies, names }: NamedCompanies): string[] {
	const nameOf = (company: string) => JSON.stringify(readName(names.get(company) ?? ''));
	const wanted = removed.length > 0 ? groupBy(companies, nameOf) : {};
	return removed
		.filter((company) => names.has(company) && wanted[nameOf(company)])
		.map((company) => {
			const numbers = wanted[nameOf(company)].join(' or ');
			return `${company} was ${names.get(company)}'s number, now ${numbers}`;
		});
}

/** `1 of 2 companies is`, before a verb. */
export function countOf(count: number, all: number): string {
	return `${count} of ${pluralise(all, 'company')} ${count === 1 ? 'is' : 'are'}`;
}

/** An item of *Watch Report*; `repaired` and `left` have the reason by company. */
export interface WatchReport extends Changes, Record<'repaired' | 'left', Map<string, string>> {
	state: 'settingUp' | 'complete' | 'incomplete' | 'repaired';
	summary: string;
	wanted: number;
	watched: number;
}

/**
 * The item, with the fields of any event.
 * @param names by company number
 * @param at milliseconds since the epoch
 */
export function reportItem(
	status: WatchReport,
	names: ReadonlyMap<string, string>,
	at: number,
): IDataObject {
	const { added, removed, repaired, left, ...facts } = status;
	const list = (companies: string[], reasons?: Map<string, string>) => ({
		count: companies.length,
		companies: companies.slice(0, MAXIMUM_LISTED).map((company) => ({
			company_number: company,
			company_name: names.get(company) ?? null,
			...(reasons && { reason: reasons.get(company) }),
		})),
	});
	const checkedAt = new Date(at).toISOString();
	return {
		subject: reportSubject(status),
		text: reportText(status, names),
		event: REPORT_EVENT,
		event_name: REPORT_NAME,
		company_number: null,
		company_name: null,
		list_email: null,
		list_columns: null,
		webhook_id: null,
		delivery_id: null,
		received_at: checkedAt,
		payload: {
			...facts,
			added: list(added),
			removed: list(removed),
			repaired: list([...repaired.keys()], repaired),
			left: list([...left.keys()], left),
			checked_at: checkedAt,
		},
	};
}

function reportSubject({ state, wanted, watched, repaired }: WatchReport): string {
	const words =
		state === 'settingUp'
			? `${countOf(watched, wanted)} watched; setup continues`
			: watched < wanted
				? `${countOf(wanted - watched, wanted)} not watched`
				: repaired.size > 0
					? `events may be missing for ${pluralise(repaired.size, 'company')}`
					: `${countOf(watched, wanted)} watched${state === 'incomplete' ? '; action needed' : ''}`;
	return plainLine(`Watch report: ${words}`, MAXIMUM_SUBJECT);
}

function reportText(
	{ summary, added, removed, repaired, left }: WatchReport,
	names: ReadonlyMap<string, string>,
): string {
	const section = (title: string, companies: string[], reasons?: Map<string, string>) => {
		if (companies.length === 0) return [];
		const shown = companies.slice(0, MAXIMUM_LISTED).map((company) => {
			const reason = reasons?.get(company);
			return plainLine(formatCompany(company, names) + (reason ? `: ${reason}` : ''), MAXIMUM_LINE);
		});
		const more = companies.length - shown.length;
		return ['', `${title}:`, ...shown, ...(more > 0 ? [`… and ${more} more`] : [])];
	};
	return [
		...summary.split('\n').map((line) => plainLine(line, Infinity)),
		...section('Not watched', [...left.keys()], left),
		...section('Repaired', [...repaired.keys()], repaired),
		...section('Added', added),
		...section('No longer watched', removed),
	].join('\n');
}
