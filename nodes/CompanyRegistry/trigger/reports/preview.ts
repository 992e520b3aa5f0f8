import { compact, difference, map, union, upperFirst } from 'lodash';

import { messageOf } from '../../registry/failure';
import { formatCompany, pluralise } from '../../shared/format';
import { plainLine } from '../../shared/itemText';
import type { DesiredState } from '../lifecycle/desired';
import { keptFor, latestNumber } from '../lifecycle/kept';
import { EARLIER_IS_BACK, endings, NO_LONGER_CHOSEN, WINDOWS_1252 } from './changes';
import { haveSeveralNames, sharedNumbers } from './otherProblems';
import { describeExchange, END_LATER, haveAnotherNumber, leftYourList } from './problems';
import { MAXIMUM_VERDICT } from './words';

const MAXIMUM_ROWS = 100;
const MAXIMUM_COMPANIES = 20;

/** The effect of a publish, and its reasons. */
export interface Preview {
	desired: DesiredState;
	/** Companies that the trigger watches, or watched until it was unpublished. */
	before: string[];
	/** Companies that this publish ends, because the trigger has reported that the list lost them. */
	ends?: string[];
	/** Whether the trigger has reported what this list has lost. */
	isReported?: boolean;
	/** Whether nothing was ever published. */
	isFirst: boolean;
	/** A setting that a person has to change before anything can be sent. */
	obstacle?: string;
	/** Companies that the service refused in the last pass. */
	refused?: string[];
	/** Other companies that the published trigger should watch, and does not. */
	notWatched?: string[];
	/** Since when the trigger could not check its webhooks, such as `05:25`. */
	failingSince?: string;
	/** Whether the latest publish failed. */
	hasFailed?: boolean;
	/** Whether no company is watched now, so that a publish that sends nothing fails. */
	isIdle?: boolean;
	/** Addresses in the list: `58 addresses in column email, such as jo@example.com`. */
	emails?: string;
}

/** Most important first: the verdict, what a person has to decide, and then the lists. */
export function previewLines(preview: Preview): string[] {
	const { desired, isFirst, emails, refused = [], notWatched = [] } = preview;
	const { unreadable, names, completed, repeats, followed, kept, corrected, dropped } = desired;
	const { added, removed, renumbered, shrunk, hidden } = changesIn(preview);
	const named = (companies: string[]) => companies.map((company) => formatCompany(company, names));
	const slips = renumbered.map(
		(company) =>
			`${formatCompany(company, names)} has the number ${latestNumber(kept, company)} now`,
	);
	const zeros = completed.map((one) => `${one}: check`);

	return compact([
		previewVerdict(preview),
		...decisions(preview),
		...lines('Changed number', [...slips, ...map(desired.exchanged, describeExchange)]),
		...lines('Left your list, but stays watched', named(shrunk)),
		...lines('Several names', sharedNumbers(desired)),
		...lines('Not read', map(unreadable, 'words'), MAXIMUM_ROWS),
		...lines('Refused by the service when last tried', named(refused)),
		...lines('Not watched now', named(notWatched)),
		...lines('Stays watched, because a row that was not read may hold its number', named(hidden)),
		followed?.isWindows1252 && WINDOWS_1252,
		emails,
		...lines('Publishing will remove', named(removed)),
		...lines(EARLIER_IS_BACK, named(corrected)),
		...lines(NO_LONGER_CHOSEN, dropped),
		...lines('Publishing will add', isFirst ? [] : named(added)),
		...lines('Zero added', zeros),
		...lines('Repeated', repeats),
		...lines('Column left out, because the list is too large', followed?.leftOut ?? []),
	]);
}

/** In one line of at most 120 characters. */
export function previewVerdict(preview: Preview): string {
	return plainLine(worstOf(preview), MAXIMUM_VERDICT);
}

/** A publish that stops, or keeps most of a list, comes before its counts. */
function worstOf(preview: Preview): string {
	const { shrunk, removed } = changesIn(preview);
	const { obstacle, refused = [] } = preview;
	if (obstacle) return withObstacle(preview);
	if (preview.desired.problem) return 'Publishing will change nothing: your list cannot be read';
	if (willStop(preview)) return `The first publish will stop: ${rowsNotRead(preview)}`;
	if (isStrict(preview) && refused.length > 0) {
		return `The first publish will stop if the service refuses ${pluralise(refused.length, 'company')} again`;
	}
	if (shrunk.length === 0) return whatPublishingDoes(preview);
	const ended = endings(removed, preview.desired.dropped).join(', ');
	const [worse] = nowUnwatched(preview);
	return compact([upperFirst(worse), leftYourList(shrunk.length), ended]).join('; ');
}

/** Nothing can be sent, but events of companies that have left the list start nothing any more. */
function withObstacle(preview: Preview): string {
	const { removed } = changesIn(preview);
	if (preview.isFirst) return 'The first publish will fail';
	if (preview.isIdle) return 'Publishing will fail';
	if (removed.length === 0) return 'Publishing will change nothing';
	return `Publishing will only end ${pluralise(removed.length, 'company')}`;
}

/** Lines that belong to the verdict but do not fit into it. */
function decisions(preview: Preview): string[] {
	const { desired, isReported, obstacle, failingSince, ends = [] } = preview;
	const { problem, companies } = desired;
	const { shrunk, renumbered } = changesIn(preview);
	const changed = renumbered.length + desired.exchanged.length;
	if (obstacle) return [obstacle];
	if (problem) return [messageOf(problem)];
	if (willStop(preview)) {
		return [
			`Correct them, or set 'Invalid Companies' (under Options) to 'Skip' to watch the other ${pluralise(companies.length, 'company')}`,
		];
	}

	// A list that was not reported yet is kept once more.
	const endNow = isReported
		? 'To end them, unpublish and publish this list'
		: 'To end them, publish this list, then unpublish and publish it once more';
	const toEnd = failingSince ? END_LATER : endNow;
	return compact([
		shrunk.length > 0 && whatPublishingDoes(preview),
		changed > 0 && haveAnotherNumber(changed),
		shrunk.length + renumbered.length > 0 && toEnd,
		ends.length > 0 && `Publishing now ends ${pluralise(ends.length, 'company')}`,
	]);
}

/** `Publishing will watch 58 companies: 3 added, 2 removed, 1 changed number, 2 rows not read`. */
function whatPublishingDoes(preview: Preview): string {
	const { desired, isFirst } = preview;
	const { added, removed, renumbered } = changesIn(preview);
	const shared = sharedNumbers(desired);
	const changed = renumbered.length + desired.exchanged.length;
	const counts = compact([
		...nowUnwatched(preview),
		!isFirst && added.length > 0 && `${added.length} added`,
		...endings(removed, desired.dropped),
		changed > 0 && pluralise(changed, 'changed number'),
		shared.length > 0 && haveSeveralNames(shared),
		desired.unreadable.length > 0 && rowsNotRead(preview),
	]);
	const what = `Publishing will watch ${pluralise(desired.companies.length, 'company')}`;
	return compact([what, counts.join(', ')]).join(': ');
}

function nowUnwatched(preview: Preview): string[] {
	const { notWatched = [], refused = [], failingSince, hasFailed } = preview;
	return compact([
		hasFailed && 'the last publish failed',
		failingSince && `checks have failed since ${failingSince}`,
		notWatched.length > 0 && `${notWatched.length} not watched now`,
		refused.length > 0 && `${refused.length} refused when last tried`,
	]);
}

function rowsNotRead({ desired }: Preview): string {
	return `${pluralise(desired.unreadable.length, 'row')} not read`;
}

/** A first publish is strict, because nothing is lost yet by stopping. */
function willStop(preview: Preview): boolean {
	return isStrict(preview) && preview.desired.unreadable.length > 0;
}

function isStrict({ desired, isFirst }: Preview): boolean {
	return isFirst && desired.options.unwatchable === 'stop';
}

/** Each company under one name only. */
function changesIn({ desired, before, ends = [], refused = [], notWatched = [] }: Preview) {
	const { companies, kept, corrected } = desired;
	const unwatched = [...refused, ...notWatched];
	// The new number of a company is shown with its old one.
	const newNumbers = compact(map([...kept.values()], 'newNumber'));

	return {
		shrunk: difference(keptFor('shrunk', kept), unwatched),
		renumbered: difference(keptFor('renumbered', kept), unwatched),
		hidden: difference(keptFor('unreadable', kept), unwatched),
		added: difference(companies, before, newNumbers, [...kept.keys()], unwatched),
		removed: difference(union(before, ends), companies, corrected),
	};
}

/** One line for each entry, up to `most`. */
function lines(title: string, all: string[], most = MAXIMUM_COMPANIES): string[] {
	const more = all.length - most;
	const shown = all.slice(0, most).map((one) => `${title}: ${one}`);
	return more > 0 ? [...shown, `${title}: ${more} more`] : shown;
}
