import { compact } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { REPORT_EVENT, REPORT_NAME } from '../../shared/events';
import type { Outcome } from '../lifecycle/outcome';
import type { Report } from './report';
import { MAXIMUM_LISTED } from './words';

/**
 * The item of *Watch Report*, with the fields of any event.
 * @param at milliseconds since the epoch
 */
export function reportItem(
	{ id, verdict, text, state, lists }: Pick<Report, 'id' | 'verdict' | 'text' | 'state' | 'lists'>,
	{ desired, watched }: Pick<Outcome, 'desired' | 'watched'>,
	at: number,
): IDataObject {
	const { added, removed, repaired, left } = lists;
	const list = (companies: string[], reasons?: ReadonlyMap<string, string>) =>
		listOf(companies, desired.names, reasons);
	const checkedAt = new Date(at).toISOString();

	return {
		subject: verdict,
		text,
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
			state,
			summary: compact([verdict, text]).join('\n\n'),
			wanted: desired.companies.length,
			watched: watched.length,
			added: list(added),
			removed: list(removed),
			repaired: list([...repaired.keys()], repaired),
			left: list([...left.keys()], left),
			checked_at: checkedAt,
			report_id: id,
		},
	};
}

function listOf(
	companies: string[],
	names: ReadonlyMap<string, string>,
	reasons?: ReadonlyMap<string, string>,
) {
	const shown = companies.slice(0, MAXIMUM_LISTED).map((company) => ({
		company_number: company,
		company_name: names.get(company) ?? null,
		...(reasons && { reason: reasons.get(company) }),
	}));
	return { count: companies.length, companies: shown };
}
