import { NodeOperationError, type IWebhookFunctions } from 'n8n-workflow';

import { describeHeaders } from './describeHeaders';
import { findingInWords } from '../parameters/findingInWords';
import type { Finding } from '../signatures/search/findScheme';
import type { DeliveryHeaders } from '../signatures/headers';

/** A refused delivery of a webhook that this trigger knows. */
export interface UnverifiedDelivery {
	company: string;
	reason: 'missing' | 'wrong' | 'stale';
	headers: DeliveryHeaders;
	/** What was found out about it, undefined when nothing proves it. */
	finding: Finding | undefined;
	isTest: boolean;
}

const WHAT = {
	missing: 'came without a signature of a known form',
	wrong: 'came with a signature that does not match',
	stale: 'came with a signature whose time is too far from now',
	custom: 'is genuine, but signed in a way that is not recognised',
	recognised: 'is genuine, but signed in another way than Options → Signature says',
};

const OTHER_CAUSES =
	'A proxy in front of n8n must pass headers and body on unchanged. If the delivery was not sent by the registry service, ignore it: it has started nothing.';

const RARELY_SHOWN =
	'n8n shows at most one such delivery an hour, and only until one has been verified; its log has them all.';

/**
 * What n8n shows of a delivery that could not be verified: in the editor, where it ends the test, or
 * as a failed execution. Holds no secret, no header's value and nothing of the body.
 */
export function unverifiedError(
	context: IWebhookFunctions,
	{ company, reason, headers, finding, isTest }: UnverifiedDelivery,
): NodeOperationError {
	const what = WHAT[finding?.kind ?? reason];
	return new NodeOperationError(context.getNode(), `A delivery for company ${company} ${what}`, {
		description: [
			findingInWords(finding),
			...(finding === undefined ? [OTHER_CAUSES] : []),
			`After a change, ${isTest ? 'execute the step' : 'publish'} again.`,
			`Headers of the delivery: ${describeHeaders(headers)}.`,
			...(isTest ? [] : [RARELY_SHOWN]),
		].join(' '),
	});
}

/** The same for a delivery that names no webhook whose secret is known here. */
export function unknownWebhookError(
	context: IWebhookFunctions,
	reference: string,
): NodeOperationError {
	const [message, advice] =
		reference === ''
			? [
					"A delivery came without the reference that each webhook's address ends with",
					'Each address that the registry service delivers to ends with ?ref= and 22 characters. A proxy in front of n8n must pass that on.',
				]
			: [
					'A delivery came for a webhook whose secret is not known here',
					'Unpublish the workflow and publish it again. If that makes new webhooks, the old ones stay active at the registry service: pause them with Webhook → Pause of the Company Registry node.',
				];
	return new NodeOperationError(context.getNode(), message, {
		description: `${advice} If the delivery was not sent by the registry service, ignore it: it has started nothing. ${RARELY_SHOWN}`,
	});
}
