import type { NodeOperationError } from 'n8n-workflow';

import { signatureHeaderNames } from '../signatures/headers';
import type { Verdict } from '../signatures/verifyDelivery';
import { explain, titleOf, type Reason } from './explain';
import type { Recipient, UnknownRecipient } from './findRecipient';
import type { Incoming } from './incoming';
import type { Shown } from './occasions';
import { EXPECTED_BODY, parseBody } from './readDelivery';

/** Refused since one was accepted, this many of a webhook tell of a change at the service. */
const MANY = 3;
/** In milliseconds: those of a webhook that is not known tell the same when they go on for so long. */
const LONG = 24 * 60 * 60_000;
/** Seconds after which a sender is asked to try again when the fault is ours. */
const RETRY_AFTER = 30;
const LONGEST_CHALLENGE = 256;

/** What a sender gets whose delivery starts nothing. */
export interface Reply {
	status: number;
	body: object;
	/** In seconds. */
	retryAfter?: number;
	/** What n8n shows to the user as a failed execution: n8n answers 500 then. */
	shown?: NodeOperationError;
}

/** In the service's own form: status, error and message. */
const REPLIES: Record<Exclude<Reason, 'check'>, [number, string, string]> = {
	missing: [401, 'unauthorized', "The delivery's signature is missing."],
	wrong: [401, 'unauthorized', "The delivery's signature is wrong."],
	stale: [401, 'unauthorized', "The delivery's signature is stale."],
	unreadable: [400, 'bad_request', `The body is not ${EXPECTED_BODY}.`],
	unknown: [503, 'unavailable', 'The secret for this delivery is not known here at the moment.'],
	unset: [503, 'unavailable', 'How this delivery is signed is not known here at the moment.'],
};

/**
 * The reply to a delivery for which no secret is known, that could not be verified, or cannot be read.
 * @param verdict undefined where the settings of signatures cannot be read
 */
export function refuse(
	incoming: Incoming,
	recipient: Recipient | UnknownRecipient,
	verdict: Verdict | undefined,
): Reply {
	const { log, warn, headers, rawBody } = incoming;
	const reason = reasonOf(recipient, verdict);
	const reply = replyTo(reason, rawBody);
	const occasion = occasionOf(incoming, recipient, reason);
	if (occasion) {
		const shown = explain(incoming, recipient, verdict, occasion);
		warn(`${shown.message}. It is shown as a failed execution. ${shown.description}`);
		return { ...reply, shown };
	}
	// They help to set the scheme up; values stay out of the log.
	const names = signatureHeaderNames(headers).join(', ') || 'none';
	const { status } = reply;
	log('refused', { what: titleOf(reason, recipient.webhook), status, names }, reason);
	return reply;
}

function reasonOf(recipient: Recipient | UnknownRecipient, verdict: Verdict | undefined): Reason {
	const reason = verdict === undefined ? 'unset' : verdict.accepted ? 'unreadable' : verdict.reason;
	if (recipient.webhook) return reason;
	// While its webhook is being created it may be the service's check of the address: that is not signed.
	return recipient.isBeingCreated && reason === 'missing' ? 'check' : 'unknown';
}

/**
 * Why a refused delivery is shown, if it is. Once others were verified, one is taken for forged; but many of one
 * webhook are not, nor are those of an unknown one that go on for a day.
 */
function occasionOf(
	{ record, moment, reference, ownReference, headers, isTest }: Incoming,
	recipient: Recipient | UnknownRecipient,
	reason: Reason,
): Shown | undefined {
	const { webhook } = recipient;
	if (webhook === undefined) {
		// The secret may be on its way.
		if (isTest || recipient.isBeingCreated || recipient.isPublishing) return undefined;
		// Somebody asks whether the trigger still answers (docs/compatibility.md).
		if (reference === '' && signatureHeaderNames(headers).length === 0) return undefined;
		const { ms } = record.noteRefused(ownReference, false, moment);
		if (record.proven.size === 0) return record.ifMayTell('unknown', moment);
		return ms >= LONG ? record.ifMayTell('noLonger', moment, ownReference) : undefined;
	}
	if (isTest) return 'test';
	// That has been logged, and says nothing of the webhook.
	if (reason === 'unset') return undefined;
	const { count } = record.noteRefused(webhook.reference, true, moment);
	if (!recipient.isWatched) return undefined;
	if (!record.proven.has(webhook.reference)) return record.ifMayTell('unproven', moment);
	return count >= MANY ? record.ifMayTell('noLonger', moment, webhook.reference) : undefined;
}

function replyTo(reason: Reason, rawBody: Buffer): Reply {
	if (reason === 'check') {
		const { challenge } = (parseBody(rawBody) ?? {}) as { challenge?: unknown };
		const isText = typeof challenge === 'string' && challenge.length <= LONGEST_CHALLENGE;
		return { status: 200, body: isText ? { challenge } : {} };
	}
	const [status, error, message] = REPLIES[reason];
	const isOurs = status === 503;
	return { status, body: { error, message, status }, ...(isOurs && { retryAfter: RETRY_AFTER }) };
}
