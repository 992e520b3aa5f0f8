// Rows 9, 10 and 17 of the table of situations: what a pass could not do.
import { pluralise } from '../../shared/format';
import { reasonKey } from '../records/failures';
import { UnreadableList } from '../parameters/watchlist';
import { problemOf, type Statement, type ReportContext } from './statement';
import type { Status } from './status';
import { clockIn } from './times';
import { areWatched, explain, forCount, named, RETRIES, sentences } from './words';

/** Row 10. */
export function cannotCheck(
	status: Status,
	{ timezone, at, lastEventAt }: ReportContext,
): Statement[] {
	const { failing, watched, unwatched, desired, reading } = status;
	if (!failing) return [];
	const clock = clockIn(timezone, at);
	const seen = `${watched.length} of ${desired.companies.length} watched`;
	const last = lastEventAt
		? `The last event that this n8n has seen came at ${clock.timeOf(lastEventAt)}`
		: 'This n8n has seen no event since it started';
	const events = `Webhooks that are set up still deliver, unless the service has stopped them. ${last}`;
	const waiting = {
		words: 'Not watched. The trigger sets them up when checks work again',
		list: named(unwatched, reading.names),
	};
	return [
		{
			says: `Could not check since ${clock.timeOf(failing.since)} (last seen: ${seen})`,
			parts: [
				{ words: sentences([explain(failing.reason, ''), RETRIES]) },
				...(unwatched.length > 0 ? [waiting] : []),
				{ words: events },
			],
			problem: problemOf('check', [reasonKey(failing.reason)]),
		},
	];
}

/** Row 17. */
export function addressInQuestion({
	addressQuestion,
	existing,
	desired,
	watched,
}: Status): Statement[] {
	if (addressQuestion === undefined) return [];
	const count = existing.length || watched.length || desired.companies.length;
	const deliver = forCount(count, 'delivers', 'deliver');
	return [
		{
			says: `n8n's address has changed: ${pluralise(count, 'company')} still ${deliver} to the earlier one`,
			parts: [{ words: addressQuestion }],
			problem: problemOf('address', [addressQuestion]),
		},
	];
}

/** Row 9. */
export function cannotRead(
	{ unreadList, watched, desired }: Status,
	context: ReportContext,
): Statement[] {
	if (!unreadList) return [];
	const { reason, since } = unreadList;
	const clock = clockIn(context.timezone, context.at);
	const isOfList = desired.followsLink || reason instanceof UnreadableList;
	const what = isOfList ? 'your list' : "this trigger's settings";
	return [
		{
			says: `Could not read ${what} since ${clock.timeOf(since)}; ${areWatched(watched.length)} as before`,
			parts: [{ words: sentences([explain(reason), desired.followsLink && RETRIES]) }],
			problem: problemOf('list', [reason.message]),
		},
	];
}
