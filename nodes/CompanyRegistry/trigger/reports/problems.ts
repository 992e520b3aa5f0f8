// Facts that need a person.
import { compact, difference, map, range, reject, sumBy, upperFirst } from 'lodash';

import { pluralise } from '../../shared/format';
import { latestNumber, type ExchangedNumber } from '../lifecycle/kept';
import { failureReason, reasonsFor, type Reason } from './reasons';
import type { Clock } from './times';
import { areRemovalsTold, type Situation } from './situation';
import type { View } from './view';
import {
	COUNTED,
	countOf,
	forCount,
	MAY_PASS,
	RETRIES,
	sentences,
	type Fact,
	type Part,
} from './words';

/** The trigger has checked nothing, so it would keep them once more. */
export const END_LATER = 'Once the trigger can check again, its report says how to end them';

/** The service could not be asked, or not to the end: nothing is called watched. */
export function cannotCheck({ situation, headings, clock, nameOf }: View): Fact[] {
	const { outcome, isSettingUp } = situation;
	const { isChecked, failure, watched, desired, failedPauses, notEnded } = outcome;
	// That some webhooks could not be paused is a problem of its own.
	const isOfPauses = failure !== undefined && failure === failedPauses?.failure;
	const isInterrupted = failure !== undefined && headings.left.length === 0 && !isOfPauses;
	if (isSettingUp || (isChecked && !isInterrupted)) return [];

	const what = isChecked ? 'Could not finish the check' : 'Could not check';
	const seen = `${watched.length} of ${desired.companies.length} watched`;
	const reason = failure === undefined ? [] : [failureReason(failure, RETRIES)];
	const removed = {
		words: 'No longer on your list, so their events start nothing',
		list: notEnded.map(nameOf),
	};
	const says = `${what}${sinceThen(situation.failingSince, clock)} (last seen: ${seen})`;
	const ended = notEnded.length > 0 && `${notEnded.length} no longer on your list`;
	return [
		{
			says,
			verdict: compact([says, ended]).join('; '),
			count: desired.companies.length,
			parts: [...previousEvents(situation), ...reason, ...(notEnded.length > 0 ? [removed] : [])],
			// The same failure of one company is another thing to learn of.
			key: `check ${map(reason, 'key').join() || MAY_PASS}`,
		},
	];
}

/** The previous list and settings stay in force. */
export function cannotRead({ situation, headings, clock }: View): Fact[] {
	const { outcome, failingSince, unreadSince = failingSince } = situation;
	const { desired, failure, watched, isChecked } = outcome;
	const { problem, companies, followsLink } = desired;
	if (problem === undefined || problem === failure) return [];

	const what = followsLink ? 'your list' : "this trigger's settings";
	const since = sinceThen(unreadSince, clock);
	const reason = failureReason(problem, RETRIES);
	if (desired.isUnverifiable) {
		const refused = `All deliveries are refused${since}: could not read ${what}`;
		return [{ says: refused, count: companies.length, parts: [reason], key: reason.key }];
	}

	const says = `Could not read ${what}${since}`;
	const before = `as before, ${countOf(watched.length, companies.length)} watched`;
	const count = companies.length;
	return [
		{
			says: isChecked && headings.left.length === 0 ? `${says}; ${before}` : says,
			count,
			parts: [reason],
			key: reason.key || `list ${MAY_PASS}`,
		},
	];
}

/** While the setup goes on, only refusals are explained, and no one has to act. The same where n8n interrupts it. */
export function setupGoesOn({ situation, headings, lineOf }: View): Fact[] {
	const { outcome, isSettingUp, isInterrupted } = situation;
	if (!isSettingUp) return [];
	const { isChecked, watched, desired } = outcome;
	const all = desired.companies.length;
	const setup = isInterrupted ? 'setup was interrupted' : 'setup continues';
	const says = isChecked
		? `${countOf(watched.length, all)} watched so far; ${setup}`
		: `${upperFirst(setup)} (last seen: ${watched.length} of ${all} watched)`;
	const reasons = reasonsFor(headings.left, outcome, { retry: '', isOver: false });
	const parts = [...previousEvents(situation), ...partsOf(reasons, lineOf)];
	return [{ says, count: all, parts }];
}

export function notWatched({ situation, headings: { left }, lineOf }: View): Fact[] {
	const { outcome, isSettingUp } = situation;
	const { isChecked, desired } = outcome;
	if (left.length === 0 || isSettingUp) return [];
	const count = left.length;
	const seen = { words: 'Not watched when last seen', list: left.map(lineOf) };
	if (!isChecked) return [{ says: '', count, parts: [seen], key: countKeys(count).join('\n') }];

	const reasons = reasonsFor(left, outcome, { retry: RETRIES, isOver: true });
	const parts = [...previousEvents(situation), ...partsOf(reasons, lineOf)];
	return [
		{
			says: `${countOf(count, desired.companies.length)} not watched`,
			count,
			parts,
			key: [...map(reasons, 'key'), ...countKeys(count)].join('\n'),
		},
	];
}

/** A key for each doubling, so that many more companies are news, and fewer are not. */
function countKeys(count: number): string[] {
	return range(Math.floor(Math.log2(count)) + 1).map((power) => `${2 ** power} ${COUNTED}`);
}

/**
 * Companies whose webhooks were not given the chosen events yet. A missing webhook delivers nothing, and one that
 * someone has changed has other events.
 */
function previousEvents({ outcome, news }: Situation): Part[] {
	const { delivering, watched, doubtful } = outcome;
	const missing = map([...(doubtful ?? [])], 'company');
	const all = difference(delivering, watched, missing);
	const { length } = reject(all, (company) => news.companies.get(company)?.drift);
	const words = `${length} of them may still deliver the previously chosen events`;
	return length > 0 ? [{ words }] : [];
}

function partsOf(reasons: Reason[], lineOf: View['lineOf']): Part[] {
	return reasons.map(({ words, list }) => ({ words, list: list.map(lineOf) }));
}

export function mostIsGone({ situation, headings: { shrunk }, lineOf }: View): Fact[] {
	if (shrunk.length === 0) return [];
	const toEnd = areRemovalsTold(situation.outcome)
		? 'To end them, unpublish and publish this list'
		: END_LATER;
	const words = `${toEnd}. To keep them, put them back on your list`;
	return [
		{
			says: leftYourList(shrunk.length),
			count: shrunk.length,
			parts: [{ words, list: shrunk.map(lineOf) }],
			needsVerdict: true,
			key: `shrunk ${shrunk.join()}`,
		},
	];
}

export function leftYourList(count: number): string {
	const stay = forCount(count, 'it stays', 'they stay');
	return `${pluralise(count, 'company')} left your list: ${stay} watched until you confirm`;
}

/** Of both kinds together. */
export function changedNumbers(view: View): Fact[] {
	const facts = [...renumbered(view), ...exchangedNames(view)];
	const verdict = haveAnotherNumber(sumBy(facts, 'count'));
	return facts.map((fact) => ({ ...fact, verdict }));
}

/** Companies whose old number has left the list. */
function renumbered({ situation, headings, nameOf, detailsOf }: View): Fact[] {
	const { renumbered: companies } = headings;
	if (companies.length === 0) return [];

	const { desired, watched } = situation.outcome;
	const newNumbers = companies.map((company) => latestNumber(desired.kept, company));
	// The service may have refused the new one.
	const isAnyLeft = difference(newNumbers, watched).length > 0;
	const stays = isAnyLeft ? 'The old number stays watched' : 'Both numbers stay watched';
	const toEnd = areRemovalsTold(situation.outcome)
		? 'To end the old one, unpublish and publish this list'
		: END_LATER;
	const words = `${stays}. If the new number is wrong, correct it. ${toEnd}`;
	const changes = companies.map(
		(company, index) => `${nameOf(company)} has the number ${newNumbers[index]} now`,
	);
	const list = changes.map((change, index) =>
		compact([change, detailsOf(companies[index])]).join(': '),
	);

	return [
		{
			says: haveAnotherNumber(companies.length),
			count: companies.length,
			parts: [{ words, list }],
			needsVerdict: true,
			key: `renumbered ${changes.join()}`,
		},
	];
}

/** All of them stay watched, but their mails may go to another client. */
function exchangedNames({ situation }: View): Fact[] {
	const { exchanged } = situation.outcome.desired;
	if (exchanged.length === 0) return [];
	const list = exchanged.map(describeExchange);
	const toConfirm =
		areRemovalsTold(situation.outcome) && 'If it is right, unpublish and publish it';
	const words = sentences([
		'Each name has the number of another company on your list now. Correct the list if one column was sorted or pasted alone',
		toConfirm,
	]);
	return [
		{
			says: haveAnotherNumber(exchanged.length),
			count: exchanged.length,
			parts: [{ words, list }],
			key: `exchanged ${list.join()}`,
			needsVerdict: true,
		},
	];
}

/** `Acme Ltd: 10000001 → 10000002`. */
export function describeExchange({ name, before, now }: ExchangedNumber): string {
	return `${name}: ${before} → ${now}`;
}

export function haveAnotherNumber(count: number): string {
	const they = forCount(
		count,
		'has another number now: check it',
		'have another number now: check them',
	);
	return `${pluralise(count, 'company')} ${they}`;
}

function sinceThen(failingSince: number | undefined, clock: Clock): string {
	return failingSince === undefined ? '' : ` since ${clock.timeOf(failingSince)}`;
}
