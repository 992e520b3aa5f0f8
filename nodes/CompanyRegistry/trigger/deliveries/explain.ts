import { NodeOperationError, type INodePropertyOptions } from 'n8n-workflow';

import { signatureSchemeProperties } from '../parameters/customSchemeFields';
import type { CustomScheme } from '../signatures/customScheme';
import { findScheme, type Finding } from '../signatures/findScheme';
import type { Verdict } from '../signatures/verifyDelivery';
import { allow, hasVerified, noteRefused } from './attention';
import type { Recipient, UnknownRecipient } from './findRecipient';
import type { Incoming } from './incoming';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Refused in a row, this many tell of a change at the service. */
const MANY = 3;

const WHAT = {
	missing: 'came without a signature of a known form',
	wrong: 'came with a signature that does not match',
	stale: 'came with a signature whose time is too far from now',
	custom: 'is genuine, but signed in a way that is not recognised',
	recognised: 'is genuine, but signed in another way than Options → Signature says',
};
const MANY_REFUSED = {
	what: 'could not be verified, though earlier ones were',
	why: 'Nothing of this trigger could be verified since at least three deliveries ago. The secret or the way it signs may have changed at the registry service, or somebody else knows the address.',
};
const IGNORE =
	'If the delivery was not sent by the registry service, ignore it: it has started nothing.';
const HOW_OFTEN = 'n8n shows few of such deliveries; its log has them all.';
const NOTHING_FOUND = `Nothing was found that would prove it with the webhook's secret. Either somebody else has sent it, or the service signs in a way of its own: look for it in the service's reference and enter it under Options → Signature. If what is entered there signs a time, nothing weaker was looked for. A proxy in front of n8n must pass headers and body on unchanged. ${IGNORE}`;

/**
 * What n8n shows of a refused delivery, if it is to be shown: in the editor, where it ends the test, or as a
 * failed execution. Holds no secret, no header's value and nothing of the body.
 */
export function explain(
	incoming: Incoming,
	recipient: Recipient | UnknownRecipient,
	verdict: Verdict,
): NodeOperationError | undefined {
	if (!recipient.webhook) return explainUnknown(incoming, recipient);
	return verdict.accepted ? undefined : explainUnverified(incoming, recipient, verdict.reason);
}

/** Of a delivery that names no webhook whose secret is known here: once an hour until one is verified. */
function explainUnknown(
	{ node, trigger, isTest }: Incoming,
	{ isBeingCreated, isPublishing }: UnknownRecipient,
): NodeOperationError | undefined {
	if (isBeingCreated || isPublishing || isTest || hasVerified(trigger)) return undefined;
	if (!allow(`unknown ${trigger}`, 1, HOUR)) return undefined;
	const message = 'A delivery came for a webhook whose secret is not known here';
	const advice =
		'Unpublish the workflow and publish it again. If that makes new webhooks, the old ones stay active at the registry service: pause them with Webhook → Pause of the Company Registry node. A proxy in front of n8n must pass on what each address ends with: ?ref= and 22 characters.';
	const description = [advice, IGNORE, HOW_OFTEN].join(' ');
	return new NodeOperationError(node, message, { description });
}

/**
 * Of a delivery that could not be verified. Forged deliveries come in floods. So only a few are searched for a
 * scheme that proves them, and shown; of one a minute what was found is logged.
 */
function explainUnverified(
	incoming: Incoming,
	recipient: Recipient,
	reason: 'missing' | 'wrong' | 'stale',
): NodeOperationError | undefined {
	const { node, trigger, isTest, rawBody, headers, now, settings, warn } = incoming;
	const { company, secret, reference } = recipient.webhook;
	const occasion = occasionToShow(incoming, recipient);
	if (!occasion && (isTest || !allow(`look ${trigger}`, 1, MINUTE))) return undefined;
	const finding = findScheme({
		...settings,
		rawBody,
		headers,
		secret,
		now: now / 1000,
		hasVerified: hasVerified(reference),
	});
	// A stale time has been logged already.
	if (finding !== undefined && reason !== 'stale') {
		warn(`about the refused delivery for company ${company}: ${findingInWords(finding)}`);
	}
	if (!occasion) return undefined;
	const isMany = occasion === 'many';
	const what = isMany ? MANY_REFUSED.what : WHAT[finding?.kind ?? reason];
	const description = [
		...(isMany ? [MANY_REFUSED.why] : []),
		findingInWords(finding),
		`After a change, ${isTest ? 'execute the step' : 'publish'} again.`,
		`Headers of the delivery: ${Object.keys(headers).join(', ')}.`,
		...(isTest ? [] : [HOW_OFTEN]),
	].join(' ');
	return new NodeOperationError(node, `A delivery for company ${company} ${what}`, { description });
}

/**
 * Why it is shown, if it is: in a test; or as one of few failed executions, if its company is watched. Once
 * its webhook has verified others, a refused delivery is taken for forged, but many in a row are not.
 */
function occasionToShow(
	{ trigger, isTest }: Incoming,
	{ webhook, isWatched }: Recipient,
): 'test' | 'unproven' | 'many' | undefined {
	if (isTest) return allow(`test ${trigger}`, 1, SECOND) ? 'test' : undefined;
	const isMany = noteRefused(trigger) >= MANY;
	if (!isWatched) return undefined;
	if (!hasVerified(webhook.reference)) {
		return allow(`unproven ${trigger}`, 1, HOUR) ? 'unproven' : undefined;
	}
	return isMany && allow(`many ${trigger}`, 1, DAY) ? 'many' : undefined;
}

/** What was found out about a refused delivery, and what to do, in the words of the node's fields. */
export function findingInWords(finding: Finding | undefined): string {
	if (finding === undefined) return NOTHING_FOUND;
	if (finding.kind === 'recognised') {
		return 'The delivery is genuine and signed in a way that is recognised, but not in the way that is entered under Options → Signature. Remove the custom scheme there.';
	}
	if (finding.kind === 'custom') {
		// Fields that still hold what was tried before would go on counting.
		return `The delivery is genuine, but signed in a way that is not recognised. Enter under Options → Signature: ${schemeInWords(finding.scheme)}. Every other field there must be at its default: reset those that you have changed.`;
	}
	return `It is signed with the webhook's secret, but its signed time lies ${ageInWords(finding.age)}, which is more than Options → Signature Tolerance (Seconds) allows. If the clock of the machine that n8n runs on is right, the delivery took long to arrive, or somebody has sent a recorded one again. Raise Signature Tolerance only if the service is known to send deliveries so late.`;
}

/** The fields whose value is not the default, in the order in which the node shows them. */
function schemeInWords(scheme: CustomScheme): string {
	const fields = signatureSchemeProperties.flatMap(({ displayName, name, options, ...field }) => {
		const value = scheme[name as keyof CustomScheme] ?? '';
		if (value === '' || value === field.default) return [];
		const choice = (options as INodePropertyOptions[] | undefined)?.find(
			(option) => option.value === value,
		);
		return [`${displayName} \`${choice?.name ?? value}\``];
	});
	return fields.join(', ');
}

/** In the unit of the option. */
function ageInWords(age: number): string {
	if (Number.isNaN(age)) return 'at no time that can be read';
	return `${Math.abs(Math.round(age))} seconds ${age < 0 ? 'ahead' : 'back'}`;
}
