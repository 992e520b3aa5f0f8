// Rows 2, 15, 18 and 19 of the table of situations: companies and their webhooks.
import { flatMap, size, union } from 'lodash';

import { eventNameOf } from '../../shared/events';
import { formatCompany, pluralise } from '../../shared/format';
import { problemOf, type Statement } from './statement';
import { nextStep, whyUnwatched } from './reasons';
import type { Status } from './status';
import { areWatched, forCount, named, PAUSE, quote, sentences } from './words';

/** Row 2, refused companies. */
export function notWatched(status: Status): Statement[] {
	const { unwatched, desired, isFinished } = status;
	if (unwatched.length === 0 || !isFinished) return [];
	const all = pluralise(desired.companies.length, 'company');
	const are = forCount(unwatched.length, 'is', 'are');
	return [
		{
			says: `${unwatched.length} of ${all} ${are} not watched`,
			parts: whyUnwatched(status),
			problem: problemOf('unwatched', unwatched),
		},
	];
}

/** Row 15. */
export function eventsNotSet(status: Status): Statement[] {
	const { unsetEvents, watched, refused, stopped, reading, isFinished } = status;
	const events = Object.keys(unsetEvents);
	if (events.length === 0 || !isFinished) return [];
	const companies = union(...Object.values(unsetEvents));
	const label = events.map((event) => eventNameOf(event) ?? event).join(' and ');
	const are = forCount(events.length, 'is', 'are');
	const reason = companies.map((one) => refused.get(one)).find(Boolean) ?? stopped;
	const step = nextStep(reason, { isKnownNumber: true, areOthersAccepted: true });
	const words = sentences([
		reason ? quote(reason) : 'The registry service did not set it up',
		step,
	]);
	return [
		{
			says: `${label} ${are} not set up for ${pluralise(companies.length, 'company')}; ${areWatched(watched.length)}`,
			parts: [{ words, list: named(companies, reading.names) }],
			problem: problemOf('events', [...events, ...companies]),
		},
	];
}

/** Row 18. */
export function otherAccount({ unreachable, watched, reading }: Status): Statement[] {
	if (unreachable.length === 0) return [];
	const earlier = pluralise(unreachable.length, 'earlier webhook');
	const words =
		'Your API key opens another account, so the trigger made new webhooks. If the earlier ones are still active, pause them in their own account';
	return [
		{
			says: `${areWatched(watched.length)}; ${earlier} may still be active elsewhere`,
			parts: [{ words, list: unreachable.map((one) => webhookLine(one, reading.names)) }],
			problem: problemOf(
				'account',
				unreachable.map(({ id }) => id),
			),
		},
	];
}

/** Row 19. */
export function otherWebhooks({ others, watched, reading }: Status): Statement[] {
	const count = size(others);
	if (count === 0) return [];
	const have = forCount(count, 'has', 'have');
	const list = flatMap(others, (ids, company) =>
		ids.map((id) => webhookLine({ id, company }, reading.names)),
	);
	const words = `Your account has these besides: of another workflow, of an earlier n8n, or of a setup that was interrupted. Events may arrive twice. ${PAUSE}`;
	return [
		{
			says: `${areWatched(watched.length)}; ${count} ${have} another active webhook`,
			parts: [{ words, list }],
			problem: problemOf('others'),
		},
	];
}

function webhookLine(
	{ id, company }: { id: string; company: string },
	names: ReadonlyMap<string, string>,
): string {
	return `${id} (${formatCompany(company, names)})`;
}
