import type { IDataObject } from 'n8n-workflow';

import { STATUS_EVENT, STATUS_NAME } from '../../shared/events';

/** Companies in one list of an item. */
const MAXIMUM_LISTED = 100;

export interface StatusCompany {
	company: string;
	reason?: string;
}

/** What an item of *Watch Status* says. */
export interface WatchStatus {
	state: 'settingUp' | 'complete' | 'incomplete' | 'mended';
	summary: string;
	wanted: number;
	watched: number;
	added: StatusCompany[];
	removed: StatusCompany[];
	mended: StatusCompany[];
	left: StatusCompany[];
}

/**
 * The item, shaped as that of any event.
 * @param names by company number
 * @param at milliseconds since the epoch
 */
export function statusItem(
	status: WatchStatus,
	names: ReadonlyMap<string, string>,
	at: number,
): IDataObject {
	const list = (companies: StatusCompany[]) => ({
		count: companies.length,
		companies: companies.slice(0, MAXIMUM_LISTED).map(({ company, reason }) => ({
			company_number: company,
			company_name: names.get(company) ?? null,
			...(reason && { reason }),
		})),
	});
	const { state, summary, wanted, watched, added, removed, mended, left } = status;
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
			state,
			summary,
			wanted,
			watched,
			added: list(added),
			removed: list(removed),
			mended: list(mended),
			left: list(left),
			checked_at: checkedAt,
		},
	};
}
