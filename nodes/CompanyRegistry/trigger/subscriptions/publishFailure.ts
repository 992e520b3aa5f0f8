import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { messageOf } from '../../shared/registry/failures';
import { RegistryFailure } from '../../shared/registry/registryFailure';
import { Overtaken } from './turns';

/** The company at which a publish stopped, and why. */
export class CompanyFailure extends Error {
	constructor(
		readonly company: string,
		readonly reason: unknown,
	) {
		super(`Company ${company}`);
	}
}

/** The service created a webhook and sent no secret. */
export class SecretMissing extends Error {
	constructor(id: string) {
		super(
			`The registry service sent no signing secret for the new webhook ${id}, so nothing that it delivers could be verified. Ask the service's support`,
		);
	}
}

/** n8n has stopped waiting, or will have before this publish is through. */
export class TooSlow extends Error {
	constructor() {
		super(
			'Publishing takes longer than n8n waits for it. Divide the companies among several workflows, or find out why the registry service answers slowly',
		);
	}
}

export interface PublishProgress {
	/** Companies that were as wanted when the publish stopped. */
	done: number;
	of: number;
	/** Of those that this publish set up, how many could not be paused again. */
	stillActive: number;
	/** Companies whose new webhook may exist although the service's answer was lost. */
	lost: string[];
}

/**
 * What the user is told about a publish that failed. n8n shows the message and nothing else, so it
 * holds everything: how far it came, the company, the cause and the next step.
 */
export function explainPublishFailure(
	node: INode,
	reason: unknown,
	progress: PublishProgress,
): Error {
	if (reason instanceof Overtaken) return reason;
	const { company, reason: cause } =
		reason instanceof CompanyFailure ? reason : { company: undefined, reason };
	const sentences = [
		company === undefined
			? `The webhooks could not be set up (${progress.done} of ${progress.of} succeeded)`
			: `Company ${company} could not be set up (${progress.done} of ${progress.of} succeeded)`,
		messageOf(cause),
		...(cause instanceof RegistryFailure ? [cause.description] : []),
		...(cause instanceof RegistryFailure && cause.isOutOfTime ? [new TooSlow().message] : []),
		...aftermath(progress),
		'Publish again when this is put right: what exists is used again',
	];
	const message = `${sentences.map((sentence) => sentence.replace(/[.:\s]+$/, '')).join('. ')}.`;
	const error =
		cause instanceof RegistryFailure
			? new NodeApiError(node, { message }, { message, httpCode: cause.httpCode })
			: new NodeOperationError(node, message);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET.
	error.message = message;
	return error;
}

/** What the user has to look after: an active webhook whose secret nobody holds. */
export function lostAnswers(companies: string[]): string {
	return `The answer was lost, so the service may hold an active webhook for ${companies.join(', ')} that this trigger cannot verify; if its list shows one, pause it there`;
}

function aftermath({ stillActive, lost }: PublishProgress): string[] {
	return [
		...(lost.length > 0 ? [lostAnswers(lost)] : []),
		...(stillActive > 0
			? [`${stillActive} webhooks could not be paused again; the next publish takes care of them`]
			: []),
	];
}
