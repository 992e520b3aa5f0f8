import { NodeOperationError, type IWebhookFunctions } from 'n8n-workflow';

import { describeHeaders } from './describeHeaders';
import type { DeliveryHeaders } from '../signatures/headers';

/** A refused delivery of a webhook that this trigger knows. */
export interface RefusedDelivery {
	company: string;
	reason: 'missing' | 'wrong' | 'stale';
	headers: DeliveryHeaders;
	/** The settings that would have proven it, in words; undefined when none were found. */
	finding: string | undefined;
	/** Whether only the scheme under Options → Signature counts. */
	hasCustomScheme: boolean;
	isTest: boolean;
}

const WHAT = {
	missing: 'came without a signature of a known form',
	wrong: 'came with a signature that does not match',
	stale: 'came with a signature whose time is too far from now',
	found: 'is genuine, but signed in a way that is not recognised',
};

const STALE_ADVICE =
	'The signature is right. Check the clock of the machine that n8n runs on. If it is right, the delivery took long to arrive, which Options → Tolerance can allow for, or somebody has sent a recorded one again.';
const OTHER_CAUSES =
	'A proxy in front of n8n must pass headers and body on unchanged. If the delivery was not sent by the registry service, ignore it: it has started nothing.';
const AUTO_ADVICE = `No common way of signing fits. Look up in the registry service's documentation how it signs, and enter that under Options → Signature. ${OTHER_CAUSES}`;
const CUSTOM_ADVICE = `Only the scheme under Options → Signature counts. Compare its fields with the registry service's documentation, or remove it so that common schemes are recognised. ${OTHER_CAUSES}`;

const RARELY_SHOWN =
	'n8n shows at most one such delivery an hour, and only until one has been verified; its log has them all.';

/**
 * What n8n shows of a delivery that could not be verified: in the editor, where it ends the test, or
 * as a failed execution. Holds no secret, no header's value and nothing of the body.
 */
export function unverifiedError(
	context: IWebhookFunctions,
	{ company, reason, headers, finding, hasCustomScheme, isTest }: RefusedDelivery,
): NodeOperationError {
	const advice = {
		missing: hasCustomScheme ? CUSTOM_ADVICE : AUTO_ADVICE,
		wrong: hasCustomScheme ? CUSTOM_ADVICE : AUTO_ADVICE,
		stale: STALE_ADVICE,
	};
	return new NodeOperationError(
		context.getNode(),
		`A delivery for company ${company} ${WHAT[finding === undefined ? reason : 'found']}`,
		{
			description: [
				finding ?? advice[reason],
				`After a change, ${isTest ? 'execute the step' : 'publish'} again.`,
				`Headers of the delivery: ${describeHeaders(headers)}.`,
				...(isTest ? [] : [RARELY_SHOWN]),
			].join(' '),
		},
	);
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
