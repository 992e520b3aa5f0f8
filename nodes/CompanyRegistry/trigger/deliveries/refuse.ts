import { compact } from 'lodash';
import { NodeOperationError } from 'n8n-workflow';

import { warn } from '../../shared/words';
import { findReason } from '../signatures/findScheme';
import { signatureHeaderNames } from '../signatures/headers';
import { SERVICE_SCHEME } from '../signatures/serviceScheme';
import type { Verdict } from '../signatures/verifyDelivery';
import type { Incoming } from './incoming';
import {
	findingInWords,
	HOW_OFTEN,
	REASONS,
	titleOf,
	UNKNOWN_FOR_LONG,
	type Occasion,
	type Reason,
} from './occasions';
import { parseBody } from './readDelivery';

/** Refused since one was accepted, this many of a webhook tell of a change at the service. */
const MANY = 3;
/** In milliseconds: those of a webhook that is not known tell the same when they go on for so long. */
const LONG = 24 * 60 * 60_000;
const LONGEST_CHALLENGE = 256;
/** Of a reference, so that it can be told from others. */
const SHOWN_LENGTH = 6;

/** What the service calls its own errors with such a status, as far as that is known. */
const ERRORS: Record<number, string> = {
	400: 'bad_request',
	401: 'unauthorized',
	503: 'unavailable',
};

/** What a sender gets whose delivery starts nothing. */
export interface Reply {
	status: number;
	body: object;
	/** What n8n shows to the user as a failed execution: n8n answers 500 then. */
	shown?: NodeOperationError;
}

/**
 * The reply to a delivery for which no secret is known, that could not be verified, or cannot be read.
 * @param verdict undefined where the settings of signatures cannot be read
 */
export function refuse(incoming: Incoming, verdict: Verdict | undefined): Reply {
	const { context, log, headers, rawBody, webhook } = incoming;
	const reason = reasonOf(incoming, verdict);
	const reply = replyTo(reason, rawBody);
	const occasion = occasionOf(incoming, reason);
	if (occasion) {
		const shown = explain(incoming, verdict, reason, occasion);
		warn(context, `${shown.message}. It is shown as a failed execution. ${shown.description}`);
		return { ...reply, shown };
	}
	// They help to set the scheme up; values stay out of the log.
	const names = signatureHeaderNames(headers).join(', ') || 'none';
	const answered = `It was answered ${reply.status}; headers that look like a signature: ${names}`;
	log('refused', reason, `${titleOf(reason, webhook.company)}. ${answered}`);
	return reply;
}

function reasonOf({ isKnown, isBeingCreated }: Incoming, verdict: Verdict | undefined): Reason {
	const reason = verdict === undefined ? 'unset' : verdict.accepted ? 'unreadable' : verdict.reason;
	if (isKnown) return reason;
	// While its webhook is being created it may be the service's check of the address: that is not signed.
	return isBeingCreated && reason === 'missing' ? 'check' : 'unknown';
}

/** In the service's own form: status, error and message. */
function replyTo(reason: Reason, rawBody: Buffer): Reply {
	const { status } = REASONS[reason];
	if (status !== 200) {
		const message = `${titleOf(reason, '')}.`;
		return { status, body: { error: ERRORS[status], message, status } };
	}
	const { challenge } = (parseBody(rawBody) ?? {}) as { challenge?: unknown };
	const isText = typeof challenge === 'string' && challenge.length <= LONGEST_CHALLENGE;
	return { status, body: isText ? { challenge } : {} };
}

/**
 * Why a refused delivery is shown, if it is. Once others were verified, one is taken for forged; but many of one
 * webhook are not, nor are those of an unknown one that go on for a day.
 */
function occasionOf(
	{ record, moment, headers, isTest, verifiedBy, webhook: { reference }, ...recipient }: Incoming,
	reason: Reason,
): Occasion | undefined {
	if (!recipient.isKnown) {
		// The secret may be on its way.
		if (isTest || recipient.isBeingCreated || recipient.isPublishing) return undefined;
		// Somebody asks whether the trigger still answers (docs/troubleshooting.md).
		if (reference === '' && signatureHeaderNames(headers).length === 0) return undefined;
		const { ms } = record.noteRefused(reference, false, moment);
		if (record.proven.size === 0) return record.ifMayTell('unknown', moment);
		return ms >= LONG ? record.ifMayTell('noLonger', moment, reference) : undefined;
	}
	// It ends the test.
	if (isTest) return 'unproven';
	// A publish or the log has told that, and it says nothing of the webhook.
	if (reason === 'unset') return undefined;
	const { count } = record.noteRefused(reference, true, moment);
	if (!recipient.isWatched) return undefined;
	if (record.proven.get(reference) !== verifiedBy) return record.ifMayTell('unproven', moment);
	return count >= MANY ? record.ifMayTell('noLonger', moment, reference) : undefined;
}

/**
 * What n8n shows of a refused delivery: in the editor, where it ends the test, or as a failed execution. Holds no
 * secret, no header's value and nothing of the body.
 */
function explain(
	incoming: Incoming,
	verdict: Verdict | undefined,
	reason: Reason,
	occasion: Occasion,
): NodeOperationError {
	const { context, record, isTest, isKnown, webhook, headers, verifiedBy } = incoming;
	const { reference, company } = webhook;
	const isNoLonger = occasion === 'noLonger';
	const doubt = isKnown && verdict?.accepted === false ? verdict : undefined;
	const finding = doubt && findReason(incoming, doubt, SERVICE_SCHEME);
	const others = [...record.proven].filter(
		([one, by]) => one !== reference && by === verifiedBy,
	).length;
	const told = doubt && isNoLonger ? 'noLonger' : (finding?.reason ?? reason);
	const which = reference
		? `with ?ref=${reference.slice(0, SHOWN_LENGTH)}…`
		: 'without the ?ref= and 22 characters of an address of this trigger';
	const description = compact([
		!isKnown && `It came ${which}.`,
		!isKnown && isNoLonger && UNKNOWN_FOR_LONG,
		REASONS[told].advice,
		doubt && findingInWords(finding, company, others),
		doubt && `After a change, ${isTest ? 'execute the step' : 'publish'} again.`,
		isKnown && `Headers of the delivery: ${Object.keys(headers).join(', ')}.`,
		!isTest && HOW_OFTEN,
	]).join(' ');
	return new NodeOperationError(context.getNode(), titleOf(told, company), { description });
}
