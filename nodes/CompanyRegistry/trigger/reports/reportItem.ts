import { compact, groupBy, mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { REPORT_EVENT, REPORT_NAME } from '../../shared/events';
import type { Report } from './report';
import type { Status } from './status';
import { MAXIMUM_LISTED, quote } from './words';

/** The parts of a status that an item lists. */
type ShownStatus = Pick<
	Status,
	| 'desired'
	| 'reading'
	| 'watched'
	| 'added'
	| 'removed'
	| 'changedNumbers'
	| 'gaps'
	| 'unwatched'
	| 'refused'
>;

/**
 * The item of *Watch Report*, with the fields of any event.
 * @param at milliseconds since the epoch
 */
export function reportItem(
	{ verdict, text, state }: Pick<Report, 'verdict' | 'text' | 'state'>,
	status: ShownStatus,
	at: number,
): IDataObject {
	const checkedAt = new Date(at).toISOString();
	return {
		...baseItem(verdict, text, checkedAt),
		payload: {
			state,
			summary: compact([verdict, text]).join('\n\n'),
			...payloadOf(status),
			checked_at: checkedAt,
		},
	};
}

/** An item about the trigger and no company. */
export function baseItem(subject: string, text: string, receivedAt: string): IDataObject {
	return {
		subject,
		text,
		event: REPORT_EVENT,
		event_name: REPORT_NAME,
		company_number: null,
		company_name: null,
		list_email: null,
		list_columns: null,
		webhook_id: null,
		delivery_id: null,
		received_at: receivedAt,
	};
}

function payloadOf(status: ShownStatus): IDataObject {
	const { desired, reading, watched, added, removed, changedNumbers, gaps, unwatched, refused } =
		status;
	const list = (companies: string[], more: (company: string) => IDataObject = () => ({})) => ({
		count: companies.length,
		companies: companies.slice(0, MAXIMUM_LISTED).map((company) => ({
			company_number: company,
			company_name: reading.names.get(company) ?? null,
			...more(company),
		})),
	});
	const byCompany = mapValues(groupBy(gaps, 'company'), ([{ gap }]) => gap);
	const timeOf = (time?: number) => (time === undefined ? null : new Date(time).toISOString());
	const repaired = gaps.filter(({ gap }) => gap.to !== undefined).map(({ company }) => company);

	return {
		wanted: desired.companies.length,
		watched: watched.length,
		added: list(added),
		removed: list(removed),
		changed: changedNumbers.map(({ name, before, now }) => ({ name, before, now })),
		repaired: list(repaired),
		missing: list(Object.keys(byCompany), (company) => ({
			from: timeOf(byCompany[company].from),
			to: timeOf(byCompany[company].to),
		})),
		left: list(unwatched, (company) => ({
			reason: refused.has(company) ? quote(refused.get(company)) : 'Not watched yet',
		})),
	};
}
