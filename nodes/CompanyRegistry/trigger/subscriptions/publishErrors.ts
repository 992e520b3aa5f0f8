import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { messageOf, RegistryFailure } from '../../registry/failure';

/** Companies that a message names; of more it gives the number. */
const MAXIMUM_NAMED = 20;

/** The company at which a publish stopped, and why. */
export class CompanyFailure extends Error {
	constructor(
		readonly company: string,
		readonly reason: unknown,
	) {
		super(`Company ${company}`);
	}
}

/** Companies that the service refused, each by itself. */
export class CompaniesRefused extends Error {
	constructor(
		readonly refusals: Refusal[],
		/** The first ones were all refused in the same words, so the others were not tried. */
		readonly stopped = false,
	) {
		super('Companies refused');
	}
}

export interface Refusal {
	company: string;
	failure: RegistryFailure;
}

/** The service created a webhook and sent no secret. */
export class SecretMissing extends Error {
	constructor(id: string) {
		super(
			`The registry service sent no signing secret for the new webhook ${id}, so nothing that it delivers could be verified. Ask the service's support`,
		);
	}
}

/**
 * n8n has stopped waiting, or will have before this publish is through. Until it has, an attempt may be
 * its own next one, which gets no time of its own: n8n would not save what that sets up.
 */
export class TooSlow extends Error {
	constructor() {
		super(
			'Publishing takes longer than n8n waits for it. What is set up stays set up: publish again, ten seconds from now or later, to set up the rest',
		);
	}
}

/** Why a publish failed, and how far it came. */
export class PublishFailure extends Error {
	constructor(
		readonly reason: unknown,
		readonly progress: PublishProgress,
	) {
		super('Publishing failed');
	}
}

export interface PublishProgress {
	/** Companies that were as wanted when the publish stopped. */
	done: number;
	of: number;
	/** Companies whose new webhook may exist although the service's answer was lost. */
	lost: string[];
}

/** Whether a publish stopped because n8n does not wait any longer, and not because of the service. */
export function isOutOfTime(failure: unknown): boolean {
	const reason = failure instanceof PublishFailure ? failure.reason : failure;
	const cause = reason instanceof CompanyFailure ? reason.reason : reason;
	return cause instanceof TooSlow || (cause instanceof RegistryFailure && cause.isOutOfTime);
}

/**
 * What the user is told about a publish that failed. n8n shows the message and nothing else, so it
 * holds everything: how far it came, the companies, the cause and the next step.
 */
export function explainPublishFailure(node: INode, failure: unknown): Error {
	if (!(failure instanceof PublishFailure)) return new NodeOperationError(node, asError(failure));
	const { reason, progress } = failure;
	const { done, of, lost } = progress;
	const cause = reason instanceof CompanyFailure ? reason.reason : reason;
	const sentences = [
		`${subjectOf(reason)} could not be set up (${done} of ${of} succeeded)`,
		...(reason instanceof CompaniesRefused ? describeRefusals(reason) : describeCause(cause)),
		...(lost.length > 0 ? [describeLost(lost)] : []),
		...(cause instanceof TooSlow ? [] : [nextStep(reason)]),
	];
	const message = `${sentences.map((sentence) => sentence.replace(/[.:\s]+$/, '')).join('. ')}.`;
	const refusal = reason instanceof CompaniesRefused ? reason.refusals[0].failure : cause;
	const error =
		refusal instanceof RegistryFailure
			? new NodeApiError(node, { message }, { message, httpCode: refusal.httpCode })
			: new NodeOperationError(node, message);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET.
	error.message = message;
	return error;
}

/** Refused companies by reason, in the service's own words: 20 of them by name, and how many more. */
export function describeRefusals({ refusals, stopped }: CompaniesRefused): string[] {
	const byReason = new Map<string, string[]>();
	for (const { company, failure } of refusals) {
		const reason = `${failure.message}. ${failure.description}`;
		byReason.set(reason, [...(byReason.get(reason) ?? []), company]);
	}
	const [reason] = byReason.keys();
	if (refusals.length === 1) return [reason];
	if (stopped) {
		return [
			`The service refused the first ${refusals.length} companies in the same words, so the others were not tried`,
			reason,
		];
	}
	let left = MAXIMUM_NAMED;
	return [...byReason].map(([reason, companies]) => {
		const named = companies.slice(0, left);
		left -= named.length;
		const more = companies.length - named.length;
		const others = more === 0 ? '' : named.length === 0 ? `${more} companies` : ` and ${more} more`;
		return `${named.join(', ')}${others}: ${reason}`;
	});
}

/** What the user has to look after: an active webhook whose secret nobody holds. */
export function describeLost(companies: string[]): string {
	return `No answer came, so the service may hold a new webhook for ${companies.join(', ')} that this trigger cannot verify; look in the service's list, and pause it there`;
}

/** For the log: the service could not be asked, and by what is stored nothing has to be done. */
export function describeUnchecked(node: INode, reason: unknown): string {
	return `"${node.name}" could not check its webhooks and keeps using the stored ones: ${messageOf(reason)}`;
}

function subjectOf(reason: unknown): string {
	if (reason instanceof CompanyFailure) return `Company ${reason.company}`;
	if (reason instanceof CompaniesRefused && reason.refusals.length === 1) {
		return `Company ${reason.refusals[0].company}`;
	}
	if (reason instanceof CompaniesRefused && !reason.stopped) {
		return `${reason.refusals.length} companies`;
	}
	return 'The webhooks';
}

function describeCause(cause: unknown): string[] {
	if (!(cause instanceof RegistryFailure)) return [messageOf(cause)];
	return [cause.message, cause.description, ...(cause.isOutOfTime ? [new TooSlow().message] : [])];
}

function nextStep(reason: unknown): string {
	const reused = 'existing webhooks are reused';
	return reason instanceof CompaniesRefused && !reason.stopped
		? `Correct these numbers or take them out, or set 'Options' > 'Refused Companies' to 'Leave Out', and publish again: ${reused}`
		: `Correct the cause and publish again: ${reused}`;
}

function asError(reason: unknown): Error {
	return reason instanceof Error ? reason : new Error(String(reason));
}
