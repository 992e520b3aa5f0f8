import { NodeOperationError, type IWebhookFunctions } from 'n8n-workflow';

import { findingInWords } from '../parameters/findingInWords';
import type { DeliveryHeaders } from '../signatures/headers';
import type { Finding } from '../signatures/search/findScheme';
import { describeHeaders } from './describeHeaders';

export type Reason = 'missing' | 'wrong' | 'stale';
/** Why a refused delivery is shown: in a test; its webhook has verified none; many in a row were refused. */
export type Occasion = 'test' | 'unproven' | 'many';

/** A refused delivery of a webhook that this trigger knows. */
export interface UnverifiedDelivery {
	company: string;
	reason: Reason;
	headers: DeliveryHeaders;
	/** What was found out about it, undefined when nothing proves it. */
	finding: Finding | undefined;
	occasion: Occasion;
}

const WHAT = {
	missing: 'came without a signature of a known form',
	wrong: 'came with a signature that does not match',
	stale: 'came with a signature whose time is too far from now',
	custom: 'is genuine, but signed in a way that is not recognised',
	recognised: 'is genuine, but signed in another way than Options → Signature says',
};
const MANY =
	'Nothing of this trigger could be verified since at least three deliveries ago. The secret or the way it signs may have changed at the registry service, or somebody else knows the address.';
const OTHER_CAUSES =
	'A proxy in front of n8n must pass headers and body on unchanged. If the delivery was not sent by the registry service, ignore it: it has started nothing.';
const HOW_OFTEN = {
	test: '',
	unproven:
		'n8n shows at most one such delivery an hour, and only until one has been verified; its log has them all.',
	many: 'n8n shows at most one such delivery a day; its log has them all.',
};

/**
 * What n8n shows of a delivery that could not be verified: in the editor, where it ends the test, or
 * as a failed execution. Holds no secret, no header's value and nothing of the body.
 */
export function unverifiedError(
	context: IWebhookFunctions,
	{ company, reason, headers, finding, occasion }: UnverifiedDelivery,
): NodeOperationError {
	const isMany = occasion === 'many';
	const what = isMany
		? 'could not be verified, though earlier ones were'
		: WHAT[finding?.kind ?? reason];
	const description = [
		isMany ? MANY : '',
		findingInWords(finding),
		finding === undefined ? OTHER_CAUSES : '',
		`After a change, ${occasion === 'test' ? 'execute the step' : 'publish'} again.`,
		`Headers of the delivery: ${describeHeaders(headers)}.`,
		HOW_OFTEN[occasion],
	];
	return new NodeOperationError(context.getNode(), `A delivery for company ${company} ${what}`, {
		description: description.filter((text) => text !== '').join(' '),
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
		description: `${advice} If the delivery was not sent by the registry service, ignore it: it has started nothing. ${HOW_OFTEN.unproven}`,
	});
}
