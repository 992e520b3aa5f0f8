import { compact, groupBy } from 'lodash';
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { messageOf, RegistryFailure } from '../../registry/failure';

/** Companies that a message names; of more it gives the number. */
const MAXIMUM_NAMED = 20;
/** After so many refusals in a row in the same words, the reason concerns all companies. */
const REFUSALS_OF_ALL = 20;

/** A company that the service refused, and why. Without a number where the reason concerns all. */
export interface Refusal {
	company: string;
	reason: unknown;
}

/** Why a publish stopped; or, without refusals, why one company cannot be set up. */
export class PublishError extends Error {
	constructor(
		/** What is to be said before the reasons. */
		message: string,
		/** Companies that were refused, each by itself; one where a failure concerns others too. */
		readonly refusals: Refusal[] = [],
	) {
		super(message);
	}
}

/** How far a publish has come. */
export interface Progress {
	/** Companies that are as wanted. */
	done: number;
	of: number;
	/** Companies whose new webhook may exist although the service's answer was lost. */
	lost: string[];
}

const OUT_OF_TIME =
	'Publishing takes longer than n8n waits for it. What is set up stays set up: publish again, ten seconds from now or later, to set up the rest';

/** Whether an update was refused because there is no such webhook. */
export function isGone(reason: unknown): reason is RegistryFailure {
	return reason instanceof RegistryFailure && (reason.status === 404 || reason.status === 410);
}

/** Statuses with which a service refuses one company or webhook; others concern the account. */
const OF_ONE_COMPANY = new Set([400, 404, 409, 410, 422]);

/** Collects the companies that the service refuses in one publish: they do not stop the others. */
export class Refusals {
	readonly all: Refusal[] = [];
	private inARow: string[] = [];

	/** A company was accepted. */
	end(): void {
		this.inARow = [];
	}

	/**
	 * @param notAsked how many companies have not been asked for yet
	 * @throws PublishError when the failure concerns more than this company
	 */
	add(company: string, reason: unknown, notAsked: () => number): void {
		const refusal = { company, reason };
		if (!isOfOneCompany(reason)) throw new PublishError('', [refusal]);
		this.all.push(refusal);
		const words = wordsOf(reason).replaceAll(company, '');
		this.inARow = this.inARow[0] === words ? [...this.inARow, words] : [words];
		if (this.inARow.length < REFUSALS_OF_ALL) return;
		throw new PublishError(
			`The service refused the latest ${REFUSALS_OF_ALL} companies in the same words, so ${notAsked()} were not asked for`,
			[{ company: '', reason }],
		);
	}
}

function isOfOneCompany(reason: unknown): boolean {
	if (reason instanceof PublishError) return true;
	return reason instanceof RegistryFailure && OF_ONE_COMPANY.has(reason.status ?? 0);
}

/**
 * What the user is told about a publish that failed. n8n shows the message and nothing else, so it
 * holds everything: how far it came, the companies, the cause and the next step.
 *
 * @param isLate it was stopped because n8n does not wait any longer
 */
export function explainFailure(
	node: INode,
	reason: unknown,
	{ done, of, lost }: Progress,
	isLate: boolean,
): Error {
	const { message: before, refusals } =
		reason instanceof PublishError ? reason : new PublishError('', [{ company: '', reason }]);
	const [{ company, reason: failure }] = refusals;
	const one = company === '' ? 'The webhooks' : `Company ${company}`;
	const subject = refusals.length === 1 ? one : `${refusals.length} companies`;
	const correct =
		company !== '' && isOfOneCompany(failure)
			? "Correct these numbers or take them out, or set 'Options' > 'Refused Companies' to 'Leave Out',"
			: 'Correct the cause';
	const sentences = compact([
		`${subject} could not be set up (${done} of ${of} succeeded)`,
		before,
		...describeRefusals(refusals),
		lost.length > 0 && describeLost(lost),
		isLate ? OUT_OF_TIME : `${correct} and publish again: existing webhooks are reused`,
	]);
	const message = `${sentences.map((sentence) => sentence.replace(/[.:\s]+$/, '')).join('. ')}.`;
	const error =
		failure instanceof RegistryFailure
			? new NodeApiError(node, { message }, { message, httpCode: failure.httpCode })
			: new NodeOperationError(node, message);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET.
	error.message = message;
	return error;
}

/** Refused companies by reason, in the service's own words: 20 of them by name, and how many more. */
export function describeRefusals(refusals: Refusal[]): string[] {
	if (refusals.length === 1) return [wordsOf(refusals[0].reason)];
	let room = MAXIMUM_NAMED;
	return Object.entries(groupBy(refusals, ({ reason }) => wordsOf(reason))).map(
		([words, refused]) => {
			const named = refused.slice(0, room).map(({ company }) => company);
			room -= named.length;
			const more = refused.length - named.length;
			const companies = compact([named.join(', '), more > 0 && `${more} more`]);
			return `${companies.join(' and ')}: ${words}`;
		},
	);
}

/** What the user has to look after: an active webhook whose secret nobody holds. */
export function describeLost(companies: string[]): string {
	return `No answer came, so the service may hold a new webhook for ${companies.join(', ')} that this trigger cannot verify; look in the service's list, and pause it there`;
}

/** For the log: the service could not be asked, and by what is stored nothing has to be done. */
export function describeUnchecked(reason: unknown): string {
	return `could not check its webhooks and keeps using the stored ones: ${messageOf(reason)}`;
}

/** Empty for what an aborted signal throws, which says nothing to a user. */
function wordsOf(reason: unknown): string {
	if (reason instanceof DOMException) return '';
	return reason instanceof RegistryFailure
		? `${reason.message}. ${reason.description}`
		: messageOf(reason);
}
