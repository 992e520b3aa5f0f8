import { find } from 'lodash';
import { NodeOperationError, type INodePropertyOptions } from 'n8n-workflow';

import { signatureSchemeProperties } from '../parameters/customSchemeFields';
import type { CustomScheme } from '../signatures/customScheme';
import { findScheme, type Finding } from '../signatures/findScheme';
import { inTitleCase } from '../signatures/headers';
import type { Doubt, Verdict } from '../signatures/verifyDelivery';
import type { Recipient, UnknownRecipient } from './findRecipient';
import type { Incoming } from './incoming';
import type { Shown } from './occasions';
import { EXPECTED_BODY } from './readDelivery';

/** Of a reference, so that it can be told from others. */
const SHOWN_LENGTH = 6;

/** What a refused delivery did, by the reason or by what was found out. */
const WHAT = {
	missing: 'came without a signature of a known form',
	wrong: 'came with a signature that does not match',
	stale: 'came with a signature whose time is too far from now, or cannot be read',
	unreadable: `is genuine, but its body is not ${EXPECTED_BODY}`,
	unknown: 'came for a webhook whose secret is not known here',
	unset: 'could not be verified, because an expression under Options fails',
	check: 'came without a signature while its webhook was being created, as a check of the address',
	custom: 'is genuine, but signed in a way that is not recognised',
	recognised: 'is genuine, but signed in another way than Options → Signature says',
	noLonger: 'could not be verified, though earlier ones were',
};
/** Why a delivery is refused. */
export type Reason = Exclude<keyof typeof WHAT, 'custom' | 'recognised' | 'noLonger'>;

const NO_LONGER =
	'Nothing of this company could be verified since at least three deliveries ago. The secret or the way it signs may have changed at the registry service, or somebody else knows the address.';
const READS_JSON =
	"The service's reference or support may tell how to have deliveries sent as JSON: this trigger reads nothing else.";
const UNSET =
	'Correct the expressions under Options → Signature and Options → Signature Tolerance (Seconds). Until then deliveries are answered 503.';
const UNKNOWN_FOR_LONG =
	'Such deliveries have come for a day or longer, though others of this trigger could be verified.';
const UNKNOWN =
	'Unpublish the workflow and publish it again. If that makes new webhooks, the old ones stay active at the registry service: pause them with Webhook → Pause of the Company Registry node. A proxy in front of n8n must pass on what each address ends with: ?ref= and 22 characters.';
const IGNORE =
	'If the delivery was not sent by the registry service, ignore it: it has started nothing.';
const HOW_OFTEN = 'n8n shows few of such deliveries; its log names up to ten a minute.';
const NOTHING_FOUND = `Nothing was found that would prove it with the webhook's secret. Either somebody else has sent it, or the service signs in a way of its own: look for it in the service's reference and enter it under Options → Signature. If what is entered there signs a time, nothing weaker was looked for. A proxy in front of n8n must pass headers and body on unchanged. ${IGNORE}`;

/** A sentence without its full stop. */
export function titleOf(what: keyof typeof WHAT, webhook?: Recipient['webhook']): string {
	return `A delivery${webhook ? ` for company ${webhook.company}` : ''} ${WHAT[what]}`;
}

/**
 * What n8n shows of a refused delivery: in the editor, where it ends the test, or as a failed execution. Holds no
 * secret, no header's value and nothing of the body.
 */
export function explain(
	incoming: Incoming,
	{ webhook }: Recipient | UnknownRecipient,
	verdict: Verdict | undefined,
	occasion: Shown,
): NodeOperationError {
	const { node, isTest, headers, ownReference } = incoming;
	const [message, ...sentences] = !webhook
		? unknownInWords(ownReference, occasion)
		: verdict?.accepted === false
			? unverifiedInWords(incoming, webhook, verdict, occasion)
			: verdict
				? [titleOf('unreadable', webhook), READS_JSON]
				: [titleOf('unset', webhook), UNSET];
	if (webhook) sentences.push(`Headers of the delivery: ${Object.keys(headers).join(', ')}.`);
	if (!isTest) sentences.push(HOW_OFTEN);
	return new NodeOperationError(node, message, { description: sentences.join(' ') });
}

/** Message and description: of a delivery that names no webhook whose secret is known here. */
function unknownInWords(ownReference: string, occasion: Shown): string[] {
	const which = ownReference
		? `with ?ref=${ownReference.slice(0, SHOWN_LENGTH)}…`
		: 'without the ?ref= and 22 characters of an address of this trigger';
	const howLong = occasion === 'noLonger' ? [UNKNOWN_FOR_LONG] : [];
	return [titleOf('unknown'), `It came ${which}.`, ...howLong, UNKNOWN, IGNORE];
}

/** The same of one that could not be verified. */
function unverifiedInWords(
	{ record, isTest, rawBody, headers, now, options, ...incoming }: Incoming,
	webhook: Recipient['webhook'],
	doubt: Doubt,
	occasion: Shown,
): string[] {
	const { company, secret, reference } = webhook;
	const hasVerified = record.proven.has(reference);
	const settings = incoming.settings ?? { tolerance: options.tolerance };
	const refused = { ...settings, rawBody, headers, secret, now: now / 1000, doubt, hasVerified };
	const finding = findScheme(refused);
	const others = record.proven.size - Number(hasVerified);
	const isNoLonger = occasion === 'noLonger';
	return [
		titleOf(isNoLonger ? 'noLonger' : (finding?.kind ?? doubt.reason), webhook),
		...(isNoLonger ? [NO_LONGER] : []),
		findingInWords(finding, company, others, settings.scheme !== undefined),
		`After a change, ${isTest ? 'execute the step' : 'publish'} again.`,
	];
}

/**
 * What was found out about a refused delivery, and what to do, in the words of the node's fields.
 * @param others companies whose deliveries are verified as it is set now
 * @param hasScheme whether a custom scheme is set
 */
export function findingInWords(
	finding: Finding | undefined,
	company: string,
	others: number,
	hasScheme: boolean,
): string {
	if (finding === undefined) return NOTHING_FOUND;
	const which = `The delivery for company ${company} is genuine, but signed`;
	const many = `${others} other ${others === 1 ? 'company' : 'companies'}`;
	if (finding.kind === 'recognised') {
		const rest = ` Those of ${many} were verified by that scheme: are they signed in a recognised way, too?`;
		return `${which} in another way than Options → Signature says, which is recognised by itself. A custom scheme replaces recognition for all companies of this trigger. Remove the custom scheme there.${others > 0 ? rest : ''}`;
	}
	if (finding.kind === 'custom') {
		const how = hasScheme ? 'verified by the scheme that is set' : 'recognised';
		const rest = ` Deliveries of ${many} were ${how} before, and will be refused unless they are signed in this way, too.`;
		// Fields that still hold what was tried before would go on counting.
		return `${which} in a way that is not recognised. Enter under Options → Signature: ${schemeInWords(finding.scheme)}. Every other field there must be at its default: reset those that you have changed. What is entered there replaces recognition for all companies of this trigger.${others > 0 ? rest : ''}`;
	}
	const { age, timeHeader } = finding;
	if (Number.isNaN(age)) {
		return `It is signed with the webhook's secret, but the time in its header ${inTitleCase(timeHeader)} cannot be read. Times are read in seconds, milliseconds, microseconds or nanoseconds, in ISO 8601, and as mails have them. Ask the service's support for one of these.`;
	}
	const seconds = `${Math.abs(Math.round(age))} seconds ${age < 0 ? 'ahead' : 'back'}`;
	return `It is signed with the webhook's secret, but its signed time lies ${seconds}, which is more than Options → Signature Tolerance (Seconds) allows. If the clock of the machine that n8n runs on is right, the delivery took long to arrive, or somebody has sent a recorded one again. Raise Signature Tolerance only if the service is known to send deliveries so late.`;
}

/** The fields whose value is not the default, in the order in which the node shows them. */
function schemeInWords(scheme: CustomScheme): string {
	const fields = signatureSchemeProperties.flatMap(({ displayName, name, options, ...field }) => {
		const value = scheme[name as keyof CustomScheme] ?? '';
		if (value === '' || value === field.default) return [];
		const choice = find(options as INodePropertyOptions[] | undefined, { value });
		return [`${displayName} \`${choice?.name ?? value}\``];
	});
	return fields.join(', ');
}
