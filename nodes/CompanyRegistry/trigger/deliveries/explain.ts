import { find } from 'lodash';
import { NodeOperationError, type INodePropertyOptions } from 'n8n-workflow';

import { signatureSchemeProperties } from '../parameters/customSchemeFields';
import type { CustomScheme } from '../signatures/customScheme';
import { findScheme, type Finding } from '../signatures/findScheme';
import type { Doubt, Verdict } from '../signatures/verifyDelivery';
import type { Recipient, UnknownRecipient } from './findRecipient';
import type { Incoming } from './incoming';
import type { Occasion } from './occasion';
import { EXPECTED_BODY } from './readDelivery';
import { hasVerified } from './trackRecord';
import { takeTurn } from './turns';

const MINUTE = 60_000;
/** Of a reference, so that it can be told from others. */
const SHOWN_LENGTH = 6;

const WHAT = {
	missing: 'came without a signature of a known form',
	wrong: 'came with a signature that does not match',
	stale: 'came with a signature whose time is too far from now',
	custom: 'is genuine, but signed in a way that is not recognised',
	recognised: 'is genuine, but signed in another way than Options → Signature says',
};
const NO_LONGER = {
	what: 'could not be verified, though earlier ones were',
	why: 'Nothing of this company could be verified since at least three deliveries ago. The secret or the way it signs may have changed at the registry service, or somebody else knows the address.',
};
const UNREADABLE = `is genuine, but its body is not ${EXPECTED_BODY}`;
const READS_JSON =
	"The service's reference or support may tell how to have deliveries sent as JSON: this trigger reads nothing else.";
const UNKNOWN_FOR_LONG =
	'Such deliveries have come for a day or longer, though others of this trigger could be verified.';
const UNKNOWN =
	'Unpublish the workflow and publish it again. If that makes new webhooks, the old ones stay active at the registry service: pause them with Webhook → Pause of the Company Registry node. A proxy in front of n8n must pass on what each address ends with: ?ref= and 22 characters.';
const IGNORE =
	'If the delivery was not sent by the registry service, ignore it: it has started nothing.';
const HOW_OFTEN = 'n8n shows few of such deliveries; its log names up to ten a minute.';
const NOTHING_FOUND = `Nothing was found that would prove it with the webhook's secret. Either somebody else has sent it, or the service signs in a way of its own: look for it in the service's reference and enter it under Options → Signature. If what is entered there signs a time, nothing weaker was looked for. A proxy in front of n8n must pass headers and body on unchanged. ${IGNORE}`;

/**
 * What n8n shows of a refused delivery, if there is an occasion: in the editor, where it ends the test, or as a
 * failed execution. Holds no secret, no header's value and nothing of the body.
 */
export function explain(
	incoming: Incoming,
	recipient: Recipient | UnknownRecipient,
	verdict: Verdict,
	occasion: Occasion | undefined,
): NodeOperationError | undefined {
	const { webhook } = recipient;
	const told = !webhook
		? explainUnknown(incoming, occasion)
		: verdict.accepted
			? [`A delivery for company ${webhook.company} ${UNREADABLE}`, READS_JSON, headersOf(incoming)]
			: explainUnverified(incoming, webhook, verdict, occasion);
	if (occasion === undefined || told === undefined) return undefined;
	const [message, ...description] = told;
	if (occasion !== 'test') description.push(HOW_OFTEN);
	return new NodeOperationError(incoming.node, message, { description: description.join(' ') });
}

/** Message and description: of a delivery that names no webhook whose secret is known here. */
function explainUnknown({ ownReference }: Incoming, occasion: Occasion | undefined): string[] {
	const which = ownReference
		? `with ?ref=${ownReference.slice(0, SHOWN_LENGTH)}…`
		: 'without the ?ref= and 22 characters of an address of this trigger';
	return [
		'A delivery came for a webhook whose secret is not known here',
		`It came ${which}.`,
		...(occasion === 'no longer' ? [UNKNOWN_FOR_LONG] : []),
		UNKNOWN,
		IGNORE,
	];
}

/**
 * The same of one that could not be verified. Forged ones come in floods: only those that are shown are searched
 * for a scheme that proves them, and of one a minute what was found is logged.
 */
function explainUnverified(
	incoming: Incoming,
	{ company, secret, reference }: Recipient['webhook'],
	doubt: Doubt,
	occasion: Occasion | undefined,
): string[] | undefined {
	const { trigger, isTest, rawBody, headers, now, settings, warn } = incoming;
	if (!occasion && (isTest || !takeTurn(MINUTE, { [`look ${trigger}`]: 1 }))) return undefined;
	const signed = { ...settings, rawBody, headers, secret, now: now / 1000 };
	const isShown = occasion !== undefined;
	const finding = findScheme({ ...signed, doubt, hasVerified: hasVerified(reference), isShown });
	// A stale time has been logged already.
	if (finding !== undefined && doubt.reason !== 'stale') {
		warn(`about the refused delivery for company ${company}: ${findingInWords(finding)}`);
	}
	const isNoLonger = occasion === 'no longer';
	const what = isNoLonger ? NO_LONGER.what : WHAT[finding?.kind ?? doubt.reason];
	return [
		`A delivery for company ${company} ${what}`,
		...(isNoLonger ? [NO_LONGER.why] : []),
		findingInWords(finding),
		`After a change, ${isTest ? 'execute the step' : 'publish'} again.`,
		headersOf(incoming),
	];
}

function headersOf({ headers }: Incoming): string {
	return `Headers of the delivery: ${Object.keys(headers).join(', ')}.`;
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
		const choice = find(options as INodePropertyOptions[] | undefined, { value });
		return [`${displayName} \`${choice?.name ?? value}\``];
	});
	return fields.join(', ');
}

/** In the unit of the option. */
function ageInWords(age: number): string {
	if (Number.isNaN(age)) return 'at no time that can be read';
	return `${Math.abs(Math.round(age))} seconds ${age < 0 ? 'ahead' : 'back'}`;
}
