import type { NodeOperationError } from 'n8n-workflow';

import { signatureHeaderNames } from '../signatures/headers';
import type { Verdict } from '../signatures/verifyDelivery';
import { explain } from './explain';
import type { Recipient, UnknownRecipient } from './findRecipient';
import type { Incoming } from './incoming';
import { findOccasion } from './occasion';
import { EXPECTED_BODY, parseBody } from './readDelivery';
import { takeTurn } from './turns';

const MINUTE = 60_000;
/** A flood of forged deliveries must not fill the log. */
const LINES_PER_MINUTE = 10;
/** n8n's own answer to what is thrown to it and shown. */
const STATUS_OF_SHOWN = 500;
/** Seconds after which a sender is asked to try again when the fault is ours. */
const RETRY_AFTER = 30;
const LONGEST_CHALLENGE = 256;

/** What a delivery is answered that starts nothing. */
export interface Answer {
	/** As the sender gets it. */
	status: number;
	body: object;
	/** In seconds. */
	retryAfter?: number;
	/** What n8n shows to the user as a failed execution; n8n answers then. */
	shown?: NodeOperationError;
}

/** How the log's sentence "a delivery …" ends, by the reason for the refusal. */
const LOGGED = {
	missing: 'was refused with {status} because it has no signature of a known form',
	wrong: 'was refused with {status} because its signature is wrong',
	stale:
		'was refused with {status} because its signature is stale: the time in it is further from now than the tolerance',
	unreadable: `was refused with {status} because it is signed, but its body is not ${EXPECTED_BODY}`,
	unknown:
		'was answered {status} because no secret is known for its reference; if this goes on, unpublish the workflow and publish it again',
	check:
		'was answered {status} and started nothing: it came while its webhook was being created, and is not signed, as a check of the address is',
};

type Reason = keyof typeof LOGGED;

/** The answer to a delivery for which no secret is known, that could not be verified, or cannot be read. */
export function refuse(
	incoming: Incoming,
	recipient: Recipient | UnknownRecipient,
	verdict: Verdict,
): Answer {
	const { headers, rawBody, trigger, warn } = incoming;
	const reason = reasonOf(recipient, verdict);
	const answer = answerTo(reason, rawBody);
	const occasion = findOccasion(incoming, recipient);
	if (occasion) answer.status = STATUS_OF_SHOWN;
	if (takeTurn(MINUTE, { [`log ${reason} ${trigger}`]: LINES_PER_MINUTE })) {
		const whose = recipient.webhook ? ` for company ${recipient.webhook.company}` : '';
		const status = `${answer.status}${occasion ? ' and is shown as a failed execution,' : ''}`;
		// Names of signature headers help to set the scheme up; values stay out of the log.
		const names = signatureHeaderNames(headers).join(', ') || 'none';
		const what = LOGGED[reason].replace('{status}', status);
		warn(`a delivery${whose} ${what}; headers that look like a signature: ${names}`);
	}
	return { ...answer, shown: explain(incoming, recipient, verdict, occasion) };
}

function reasonOf(recipient: Recipient | UnknownRecipient, verdict: Verdict): Reason {
	const reason = verdict.accepted ? 'unreadable' : verdict.reason;
	if (recipient.webhook) return reason;
	// While its webhook is being created it may be the service's check of the address: that is not signed.
	return recipient.isBeingCreated && reason === 'missing' ? 'check' : 'unknown';
}

/** In the service's own form, but for a check, which is answered with its challenge if it has one. */
function answerTo(reason: Reason, rawBody: Buffer): Answer {
	switch (reason) {
		case 'check': {
			const { challenge } = (parseBody(rawBody) ?? {}) as { challenge?: unknown };
			const isText = typeof challenge === 'string' && challenge.length <= LONGEST_CHALLENGE;
			return { status: 200, body: isText ? { challenge } : {} };
		}
		case 'unknown': {
			const message =
				'The secret for this delivery is not known here at the moment. Send it again later.';
			return { ...refusal(503, 'unavailable', message), retryAfter: RETRY_AFTER };
		}
		case 'unreadable':
			return refusal(400, 'bad_request', `The body is not ${EXPECTED_BODY}.`);
		default:
			return refusal(401, 'unauthorized', `The delivery's signature is ${reason}.`);
	}
}

function refusal(status: number, error: string, message: string): Answer {
	return { status, body: { error, message, status } };
}
