// Why a publish failed, and what an unpublish has left.
import { intersection, map } from 'lodash';

import { formatCompany, formatList, pluralise } from '../../shared/format';
import { listedCompanies } from '../lifecycle/desired';
import { Stopped } from '../records/failures';
import type { Outcome } from '../lifecycle/outcome';
import type { Known } from '../records/subscription';
import { SKIP } from '../parameters/watchlist';
import { failureReason, reasonsFor } from './reasons';
import type { Situation } from './situation';
import { failedVerdict } from './verdict';
import { PAUSE, sentences, type Part } from './words';

const PUBLISH_AGAIN = 'Publish again: existing webhooks are reused';

/** Why a publish failed. n8n shows only this message, so it has the next step. @param isLate after a minute */
export function describeFailedPublish(situation: Situation, isLate: boolean): string {
	const { outcome } = situation;
	const { desired, watched, refused } = outcome;
	// A later publish skips anyway, and companies that are only kept do not make one succeed.
	const isAnyWatched = intersection(watched, listedCompanies(desired)).length > 0;
	const isStrict = situation.isFirst && desired.options.unwatchable === 'stop';
	const hasStopped = outcome.failure instanceof Stopped;
	const maySkip = isStrict && refused.size > 0 && isAnyWatched && !hasStopped;
	const verdict = failedVerdict(situation);
	return sentences([
		maySkip ? `${verdict}: the service refused some. ${SKIP}` : verdict,
		isLate && `The registry service confirmed no webhook within a minute. ${PUBLISH_AGAIN}`,
		...map(partsOf(outcome, isLate), (part) => inOneLine(part, desired.names)),
	]);
}

function partsOf(outcome: Outcome, isLate: boolean): Part[] {
	const { desired, watched, failure, alreadyWatched } = outcome;
	const { problem, companies } = desired;
	const retry = isLate ? '' : PUBLISH_AGAIN;
	const isWatched = new Set(watched);
	// A failure concerns all. Nothing was sent for an unreadable list, or where the trigger asks the user first.
	const isOfAll = (failure ?? problem) !== undefined || alreadyWatched.length > 0;
	const left = isOfAll ? [] : companies.filter((company) => !isWatched.has(company));
	const unverified = Object.values(outcome.unverified).flat();

	const asked: Part = {
		words: `The account already has active webhooks for ${alreadyWatched.length} of ${companies.length} companies, perhaps from another workflow or an interrupted publish. Unpublish that workflow, or set 'If Already Watched' (under Options) to 'Watch Anyway'. Already watched`,
		list: alreadyWatched,
	};
	const interrupted: Part = {
		words: `Some webhooks cannot be verified. ${PAUSE}`,
		list: unverified,
	};
	return [
		// The service comes first, and the next publish describes the problem of the list.
		...(problem && failure === undefined ? [failureReason(problem, retry)] : []),
		...(alreadyWatched.length > 0 ? [asked] : []),
		...reasonsFor(left, outcome, { retry, isOver: !isLate }),
		...(unverified.length > 0 ? [interrupted] : []),
	];
}

function inOneLine({ words, list = [] }: Part, names: ReadonlyMap<string, string>): string {
	const all = list.map((one) => formatCompany(one, names));
	return all.length > 0 ? `${words.replace(/\.$/, '')}: ${formatList(all)}` : words;
}

/** For the log: webhooks that stay active after an unpublish. */
export function describeUnpaused(
	subscriptions: ReadonlyArray<Pick<Known, 'id' | 'company'>>,
	why: string,
): string {
	const what = `${pluralise(subscriptions.length, 'webhook')} could not be paused and may stay active: ${why}`;
	const names = subscriptions.map(({ id, company }) => `${id} (${company})`).join(', ');
	return `${sentences([what, 'The next publish reuses them'])} ${PAUSE}: ${names}`;
}
