import { difference, groupBy, sortBy } from 'lodash';

import { pluralise } from '../../shared/format';
import { isTemporary, reasonKey, Stopped, UnusableAnswer } from '../records/failures';
import type { Outcome } from '../lifecycle/outcome';
import { explain, quote, sentences, type Part } from './words';

/** Reasons of refusals that a text quotes. */
const MAXIMUM_QUOTED = 3;
const ASK_SUPPORT = "Find their webhooks with Webhook → Get Many, and ask the service's support";

/** Why some companies are not watched. */
export interface Reason extends Part {
	/** Stays the same while the reason does; empty where it may pass. */
	key: string;
	list: string[];
}

/** @param retry the step after a failure that may pass. @param isOver whether the pass has ended */
export function reasonsFor(
	left: string[],
	outcome: Outcome,
	{ retry, isOver }: { retry: string; isOver: boolean },
): Reason[] {
	const { refused, failure } = outcome;
	const unexplained = left.filter((company) => !refused.has(company));
	const failed = failure === undefined ? [] : [failureReason(failure, retry, unexplained)];
	const isLost = isOver && failure === undefined && unexplained.length > 0;
	const hasKept = outcome.desired.kept.size > 0;
	const alsoEnds = hasKept ? ', which also stops watching the companies that left your list' : '';
	const lost: Reason = {
		// A published workflow without changes cannot be published again.
		words: `The registry service's answers for these companies were lost or unusable. Unpublish and publish${alsoEnds}`,
		list: unexplained,
		key: `lost ${unexplained.join()}`,
	};

	const refusals = refusalsIn(outcome);
	// They are why it has stopped.
	if (failure instanceof Stopped) return [...refusals, ...failed];
	return [...failed, ...refusals, ...(isLost ? [lost] : [])];
}

export function failureReason(failure: unknown, retry: string, list: string[] = []): Reason {
	const isPassing = isTemporary(failure);
	const rest = list.length > 0 && 'Not watched yet';
	const words = sentences([explain(failure), isPassing && retry, rest]);
	return { words, list, key: isPassing ? '' : reasonKey(failure) };
}

/** The most frequent reasons one by one, and then all others. */
function refusalsIn({ desired, refused, failure, existing, watched }: Outcome): Reason[] {
	const keyOf = (company: string) => reasonKey(refused.get(company));
	// Of a watched company, the service refused to take an event away.
	const unwatched = difference([...refused.keys()], watched).sort();
	const groups = sortBy(groupBy(unwatched, keyOf), ({ length }) => -length);
	const isStopped = failure instanceof Stopped;
	const isAll = groups.length === 1 && (isStopped || unwatched.length === desired.companies.length);
	const isOfNumbers = difference(unwatched, existing).length > 0;
	const step =
		isAll && unwatched.length > 1
			? `All were refused for the same reason. Check your account${isOfNumbers ? '' : ', the chosen events'} and n8n's address first`
			: isOfNumbers
				? 'Correct these numbers or remove them'
				: `The service has accepted these numbers before. ${ASK_SUPPORT}`;
	// A pass that stops has tried only some companies, so it says nothing of the others.
	const namedKey = (what: string, companies: string[]) =>
		isStopped ? what : `${what}\n${what} ${companies.join()}`;

	const quoted = groups.slice(0, MAXIMUM_QUOTED).map((list, place): Reason => {
		const reason = refused.get(list[0]);
		const isUnusable = reason instanceof UnusableAnswer;
		const what = `The registry service refused ${pluralise(list.length, 'company')}`;
		const words = isUnusable
			? [quote(reason), ASK_SUPPORT]
			: [what, quote(reason), place === 0 && step];
		return { words: sentences(words), list, key: namedKey(keyOf(list[0]), list) };
	});
	const list = groups.slice(MAXIMUM_QUOTED).flat();
	const others: Reason = {
		words: `The registry service refused ${pluralise(list.length, 'company')} for other reasons`,
		list,
		key: namedKey('others', list),
	};
	return list.length > 0 ? [...quoted, others] : quoted;
}
