import { difference, groupBy, intersection, map, pickBy } from 'lodash';

import type { ChangedNumber, DesiredState } from '../records/desired';
import type { Facts } from '../records/facts';
import { AddressChanged, isTemporary } from '../records/failures';
import type { Gap } from '../records/gap';
import { isFailing, type Outcome } from '../records/outcome';
import { isServing, lackingEvents, type Subscription } from '../records/subscription';

/** The state of a trigger after a pass, as reports describe it. Times are milliseconds since the epoch. */
export interface Status extends Pick<Outcome, 'desired' | 'reading' | 'refused' | 'others'> {
	/** Whether no report has called a company watched. */
	isFirst: boolean;
	/** Whether the pass came to its end, so that changes can be reported. */
	isFinished: boolean;
	/** Why checks fail, and since when. */
	failing?: { reason: unknown; since: number };
	/** Why the list or the settings cannot be read, and since when. */
	unreadList?: { reason: Error; since: number };
	/** Why n8n's address is in question. */
	addressQuestion?: string;
	/** Desired companies whose webhook delivers here, perhaps without some of the events. */
	watched: string[];
	/** The other desired companies. */
	unwatched: string[];
	/** Of these: those that have a webhook here. */
	existing: string[];
	/** Why a pass stopped although the service answers. */
	stopped?: unknown;
	/** Watched companies by the event that their webhook lacks. */
	unsetEvents: Record<string, string[]>;
	/** Since the last report. */
	added: string[];
	removed: string[];
	/** Desired companies whose events may be missing, until now or still. */
	gaps: Array<{ company: string; gap: Gap }>;
	changedNumbers: ChangedNumber[];
	/** Webhooks that may still be active in another account. */
	unreachable: Array<{ id: string; company: string }>;
	/** Keys of problems that reports have named. */
	reported: ReadonlySet<string>;
}

/** What a status is made of. */
interface Records {
	subscriptions: Subscription[];
	facts: Facts;
}

/** @param at in milliseconds since the epoch */
export function statusOf({ subscriptions, facts }: Records, outcome: Outcome, at: number): Status {
	const { desired, reading, failure, refused, others } = outcome;
	const { companies } = desired;
	const { failingSince = {}, unreported = {}, reportedAt = {} } = facts;
	const isDesired = new Set(companies);
	const serving = subscriptions.filter(
		(one) => isDesired.has(one.company) && isServing(one, desired),
	);
	const watched = intersection(companies, map(serving, 'company'));
	const unwatched = difference(companies, watched);
	const failing = isFailing(outcome) && !(failure instanceof AddressChanged);

	return {
		...{ desired, reading, refused, others, watched, unwatched },
		isFirst: !subscriptions.some(({ isAnnounced }) => isAnnounced),
		isFinished: !isFailing(outcome) && outcome.isChecked,
		failing: failing ? { reason: failure, since: failingSince.check ?? at } : undefined,
		unreadList: reading.problem && { reason: reading.problem, since: failingSince.list ?? at },
		addressQuestion: failure instanceof AddressChanged ? failure.message : undefined,
		existing: intersection(unwatched, map(subscriptions, 'company')),
		stopped: isFailing(outcome) ? undefined : failure,
		unsetEvents: isTemporary(failure) ? {} : unsetEvents(serving, desired),
		...changesSince(subscriptions, watched, isDesired),
		gaps: gapsOf(subscriptions, companies),
		changedNumbers: unreported.changedNumbers ?? [],
		unreachable: unreported.unreachable ?? [],
		reported: new Set(Object.keys(reportedAt)),
	};
}

function unsetEvents(serving: Subscription[], desired: DesiredState): Record<string, string[]> {
	const events = desired.events.map((event) => {
		const lacking = serving.filter((one) => lackingEvents(one, desired).includes(event));
		return [event, map(lacking, 'company')] as const;
	});
	return pickBy(Object.fromEntries(events), 'length');
}

/** A paused webhook of a company that a report called watched is the record of a removal. */
function changesSince(subscriptions: Subscription[], watched: string[], isDesired: Set<string>) {
	const reported = subscriptions.filter(({ isAnnounced }) => isAnnounced);
	const gone = reported.filter(
		({ state, company }) => state === 'paused' && !isDesired.has(company),
	);
	return {
		added: difference(watched, map(reported, 'company')),
		removed: map(gone, 'company'),
	};
}

/** In the order of the list. A gap of a company that is not on it is reported once it is back. */
function gapsOf(subscriptions: Subscription[], companies: string[]): Status['gaps'] {
	const isNew = ({ gap }: Subscription) => gap && (gap.to !== undefined || gap.cause === 'changed');
	const byCompany = groupBy(subscriptions.filter(isNew), 'company');
	return companies.flatMap((company) =>
		(byCompany[company] ?? []).map(({ gap }) => ({ company, gap: gap as Gap })),
	);
}
