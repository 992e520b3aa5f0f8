import { groupBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { readName } from '../../shared/companyName';
import { STATUS_EVENT, STATUS_NAME } from '../../shared/events';
import { called } from '../../shared/words';

/** Companies in one list of an item. */
const MAXIMUM_LISTED = 100;

/** Companies that a change adds and removes. */
export interface Changes {
	added: string[];
	removed: string[];
}

/**
 * Removed companies whose name now has another number, as a typing error makes it: `99000001 Kite Ltd, now 99000010`.
 * @param companies the desired ones
 * @param names by company number
 */
export function renumbered(
	removed: string[],
	companies: string[],
	names: ReadonlyMap<string, string>,
): string[] {
	const nameOf = (company: string) => JSON.stringify(readName(names.get(company) ?? ''));
	const wanted = removed.length > 0 ? groupBy(companies, nameOf) : {};
	return removed
		.filter((company) => names.has(company) && wanted[nameOf(company)])
		.map((company) => `${called(company, names)}, now ${wanted[nameOf(company)].join(' or ')}`);
}

/** An item of *Watch Status*; `repaired` and `left` have the reason by company. */
export interface WatchStatus extends Changes, Record<'repaired' | 'left', Map<string, string>> {
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
export function statusItem(
	{ added, removed, repaired, left, ...status }: WatchStatus,
	names: ReadonlyMap<string, string>,
	at: number,
): IDataObject {
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
		event: STATUS_EVENT,
		event_name: STATUS_NAME,
		company_number: null,
		company_name: null,
		list_columns: null,
		webhook_id: null,
		delivery_id: null,
		received_at: checkedAt,
		payload: {
			...status,
			added: list(added),
			removed: list(removed),
			repaired: list([...repaired.keys()], repaired),
			left: list([...left.keys()], left),
			checked_at: checkedAt,
		},
	};
}
