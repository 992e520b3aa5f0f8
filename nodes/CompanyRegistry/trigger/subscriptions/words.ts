import { compact, difference, groupBy, isEmpty, map, uniq, upperFirst } from 'lodash';
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { describeUnreadable, named } from '../../lists/words';
import { messageOf, RegistryFailure } from '../../registry/failure';
import { describeLeft } from './pause';
import type { Publication } from './publication';
import { GivenUp, groupOf, type Refusal } from './refusals';
import { NotStored } from './storing';

/** Companies that a message names; of more it gives the number. */
const MAXIMUM_NAMED = 20;
/** Reasons that a message quotes. */
const MAXIMUM_REASONS = 5;

const ALREADY_WATCHED =
	"so their events would come twice. Unpublish the workflow that watches them, or set 'Options' > 'Already Watched' to 'Make Another'";

const TOO_SLOW = 'the service let too little through in the minute that n8n waits. ';
const GOING_ON =
	'It goes on trying for an hour after the service last let something through. If that does not help, another failed execution says so.';

/** Why a publish fails. n8n shows the message and nothing else, so it holds everything: the next step, too. */
export function failureOf(node: INode, publication: Publication, isLate: boolean): Error {
	const { failure } = publication;
	const said = `${isLate ? TOO_SLOW : ''}${describe(publication, nextStep(publication, false))}`;
	return nodeError(node, `Nothing is watched: ${said}`, failure);
}

export function failureBefore(node: INode, problem: Error): Error {
	return nodeError(node, `Nothing is watched: ${messageOf(problem)}`, problem);
}

/** What n8n is to show of a publish that goes on watching, if it did not do all, or has not yet. */
export function shortfallOf(publication: Publication, isGoingOn = false): string | undefined {
	const { done, watched, wanted, refusals, failure, doubled, left } = publication;
	const of = wanted.companies.length;
	const isDone = done === of && failure === undefined;
	if (isDone && isEmpty([...refusals.lost, ...left, ...wanted.unreadable])) return undefined;
	const before =
		watched > done ? `, ${watched - done} of them as they were before this change` : '';
	const what = `${watched} of ${of} companies are watched${before}`;
	const isToPublish = refusals.all.length + doubled.length > 0 || failure !== undefined;
	const step = isToPublish && !isGoingOn ? nextStep(publication, true) : '';
	const said = `${what}. ${describe(publication, step)}`;
	return isGoingOn ? `${said} ${GOING_ON}` : said;
}

/** What n8n is to show where a change could not even be read. */
export function shortfallBefore(watched: number, remaining: number, problem: Error): string {
	const rest = remaining > 0 ? ` ${remaining} webhooks of the publish before are left to do.` : '';
	const what = watched === 1 ? 'company of before stays' : `${watched} companies of before stay`;
	return `Nothing was changed: the ${what} watched.${rest} ${messageOf(problem)}`;
}

function describe(publication: Publication, step: string): string {
	const { refusals, doubled, failure, left, done, missing, wanted } = publication;
	const refused = refusals.all;
	const attempted = difference(missing, doubled);
	const others = difference(attempted, map(refused, 'company'));
	const subject =
		attempted.length === 1 ? `Company ${attempted[0]}` : `${attempted.length} companies`;
	const cause = failure instanceof GivenUp ? failure.reason : failure;
	const isSaid = refused.some(({ reason }) => reason === cause);
	const words = cause === undefined || isSaid ? '' : wordsOf(cause);
	const whose = attempted.length > 1 && others.length > 0 ? `${named(others)}: ` : '';
	const sentences = compact([
		attempted.length > 0 &&
			`${subject} could not be set up (${done} of ${wanted.companies.length} succeeded)`,
		failure instanceof GivenUp && failure.message,
		...describeRefusals(refused),
		words && `${whose}${words}`,
		doubled.length > 0 &&
			`${doubled.length} companies have an active webhook in this account that this trigger does not know (${named(doubled)}), ${ALREADY_WATCHED}`,
		refusals.lost.length > 0 && describeLost(uniq(refusals.lost)),
		...left.map((one) => upperFirst(describeLeft(one, MAXIMUM_NAMED))),
		wanted.unreadable.length > 0 &&
			`Left out, because there is no company number that can be read: ${describeUnreadable(wanted.unreadable)}`,
		step,
	]);
	return `${sentences.map((sentence) => sentence.replace(/[.:\s]+$/, '')).join('. ')}.`;
}

/** @param isPublished n8n publishes what has not changed only once it has been unpublished */
function nextStep({ refusals, failure, options }: Publication, isPublished: boolean): string {
	const again = 'publish again: existing webhooks are reused';
	const anew = isPublished ? `unpublish the workflow and ${again}` : again;
	if (failure instanceof NotStored) return `What is left is set up by another publish: ${anew}`;
	if (failure !== undefined || refusals.all.length === 0) {
		return `Correct the cause${isPublished ? ',' : ' and'} ${anew}`;
	}
	const isLeftOut = options.refusedCompanies === 'leaveOut';
	const choice = isLeftOut ? '' : ", or set 'Options' > 'Refused Companies' to 'Leave Out'";
	return `Correct these numbers or take them out${choice}, and ${again}`;
}

/** Refused companies by reason, in the service's own words: 20 of them by name, and how many more. */
export function describeRefusals(refusals: Refusal[]): string[] {
	if (refusals.length === 1) return [wordsOf(refusals[0].reason)];
	let room = MAXIMUM_NAMED;
	const groups = Object.values(groupBy(refusals, ({ reason }) => groupOf(reason)));
	const described = groups.slice(0, MAXIMUM_REASONS).map((refused) => {
		const companies = refused.map(({ company }) => company);
		const text = named(companies, room);
		room = Math.max(0, room - companies.length);
		return `${text}: ${wordsOf(refused[0].reason)}`;
	});
	const more = groups.slice(MAXIMUM_REASONS).flat().length;
	return more > 0 ? [...described, `${more} more for other reasons`] : described;
}

/** What the user has to look after: an active webhook whose secret nobody holds. */
export function describeLost(companies: string[]): string {
	return `No usable answer came, so the service may hold a new webhook for ${named(companies)} that this trigger cannot verify; look in the service's list, and pause it there`;
}

/** Empty for what an aborted signal throws, which says nothing to a user. */
function wordsOf(reason: unknown): string {
	if (reason instanceof DOMException) return '';
	return reason instanceof RegistryFailure
		? `${reason.message}. ${reason.description}`
		: messageOf(reason);
}

function nodeError(node: INode, message: string, cause: unknown): Error {
	const error =
		cause instanceof RegistryFailure
			? new NodeApiError(node, { message }, { message, httpCode: cause.httpCode })
			: new NodeOperationError(node, message);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET.
	error.message = message;
	return error;
}
