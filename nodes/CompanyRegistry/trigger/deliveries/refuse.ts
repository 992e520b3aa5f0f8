import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { findingInWords } from '../parameters/findingInWords';
import { signatureHeaderNames } from '../signatures/headers';
import { findScheme, type RefusedDelivery } from '../signatures/search/findScheme';
import { verifyDelivery } from '../signatures/verifyDelivery';
import { answer } from './answer';
import { allow, hasVerified, noteRefused } from './attention';
import { isTestRun, referenceOf, triggerOf, whyUnknown, type Recipient } from './findRecipient';
import { EXPECTED_BODY, parseBody } from './readDelivery';
import {
	unknownWebhookError,
	unverifiedError,
	type Occasion,
	type Reason,
} from './unverifiedError';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A flood of forged deliveries must not fill the log. */
const LINES_PER_MINUTE = 10;
/** Refused in a row, this many tell of a change at the service. */
const MANY = 3;
/** Seconds after which a sender is asked to try again when the fault is ours. */
const RETRY_AFTER = 30;
const LONGEST_CHALLENGE = 256;
/** Why a delivery is refused, for the log. */
const REASONS = {
	missing: 'it has no signature of a known form',
	wrong: 'its signature is wrong',
	stale: 'its signature is stale: the time in it is further from now than the tolerance',
};

/** A delivery, and what it is judged by. */
export type Received = Omit<RefusedDelivery, 'secret' | 'hasVerified'>;

/**
 * Answers a delivery that could not be verified.
 *
 * Forged deliveries come in floods. So only a few are searched for a scheme that proves them, and
 * shown to the user.
 * @throws NodeOperationError that n8n shows to the user
 */
export function refuseUnverified(
	context: IWebhookFunctions,
	recipient: Recipient,
	reason: Reason,
	delivery: Received,
): IWebhookResponseData {
	const { company, secret, reference } = recipient.webhook;
	logRefusal(
		context,
		reason,
		`for company ${company} was refused with 401 because ${REASONS[reason]}`,
	);
	const occasion = occasionToShow(context, recipient);
	if (occasion || (!isTestRun(context) && allow(`look ${triggerOf(context)}`, 1, MINUTE))) {
		const finding = findScheme({ ...delivery, secret, hasVerified: hasVerified(reference) });
		// A stale time has been logged already.
		if (finding !== undefined && reason !== 'stale') {
			log(context, `about the refused delivery for company ${company}: ${findingInWords(finding)}`);
		}
		const { headers } = delivery;
		if (occasion) throw unverifiedError(context, { company, reason, headers, finding, occasion });
	}
	return answer(context, 401, {
		error: 'unauthorized',
		message: `The delivery's signature is ${reason}.`,
		status: 401,
	});
}

/**
 * Why it is shown, if it is: in a test; or as one of few failed executions, if its company is watched. Once
 * its webhook has verified others, a refused delivery is taken for forged, but many in a row are not.
 */
function occasionToShow(
	context: IWebhookFunctions,
	{ webhook, isWatched }: Recipient,
): Occasion | undefined {
	const trigger = triggerOf(context);
	if (isTestRun(context)) return allow(`test ${trigger}`, 1, SECOND) ? 'test' : undefined;
	const isMany = noteRefused(trigger) >= MANY;
	if (!isWatched) return undefined;
	if (!hasVerified(webhook.reference)) {
		return allow(`unproven ${trigger}`, 1, HOUR) ? 'unproven' : undefined;
	}
	return isMany && allow(`many ${trigger}`, 1, DAY) ? 'many' : undefined;
}

/**
 * Answers a delivery that names no webhook of this trigger, or one whose secret is not known here.
 * While its webhook is being created it may be the service's check of the address: that is not signed.
 *
 * @throws NodeOperationError that n8n shows to the user, once an hour while the trigger has verified nothing
 */
export function refuseUnknown(
	context: IWebhookFunctions,
	delivery: Received,
): IWebhookResponseData {
	const trigger = triggerOf(context);
	const why = whyUnknown(context);
	if (why === 'creating' && !isSigned(delivery)) {
		logRefusal(
			context,
			'check',
			'was answered 200 and started nothing: it came while its webhook was being created, and is not signed, as a check of the address is',
		);
		return answer(context, 200, challengeIn(delivery.rawBody));
	}
	logRefusal(
		context,
		'unknown',
		'was answered 503 because no secret is known for its reference; if this goes on, unpublish the workflow and publish it again',
	);
	context.getResponseObject().setHeader('Retry-After', String(RETRY_AFTER));
	const isNews = why === 'unknown' && !isTestRun(context) && !hasVerified(trigger);
	if (isNews && allow(`unknown ${trigger}`, 1, HOUR)) {
		throw unknownWebhookError(context, referenceOf(context));
	}
	return answer(context, 503, {
		error: 'unavailable',
		message: 'The secret for this delivery is not known here at the moment. Send it again later.',
		status: 503,
	});
}

/** Whether its headers claim a signature of any known form, or of the one that the user describes. */
function isSigned({ rawBody, headers, now, tolerance, scheme }: Received): boolean {
	return [undefined, scheme].some((by) => {
		const verdict = verifyDelivery(rawBody, headers, '', now, { tolerance, scheme: by });
		return verdict.accepted || verdict.reason !== 'missing';
	});
}

function challengeIn(rawBody: Buffer): { challenge?: string } {
	const { challenge } = (parseBody(rawBody) ?? {}) as { challenge?: unknown };
	const isText = typeof challenge === 'string' && challenge.length <= LONGEST_CHALLENGE;
	return isText ? { challenge } : {};
}

/** Answers a delivery that is signed, but cannot be read. */
export function refuseUnreadable(
	context: IWebhookFunctions,
	{ webhook }: Recipient,
): IWebhookResponseData {
	logRefusal(
		context,
		'unreadable',
		`for company ${webhook.company} was refused with 400 because it is signed, but its body is not ${EXPECTED_BODY}`,
	);
	return answer(context, 400, {
		error: 'bad_request',
		message: `The body is not ${EXPECTED_BODY}.`,
		status: 400,
	});
}

/**
 * Warns that n8n ended while the trigger was being published: it shows the workflow as published then, and
 * does not call the trigger again.
 */
export function warnOfHalfPublished(context: IWebhookFunctions): void {
	if (!allow(`half published ${triggerOf(context)}`, 1, HOUR)) return;
	log(
		context,
		'a delivery was accepted, but the latest publish of this trigger never came to an end, probably because n8n was stopped meanwhile. Some companies or events may not be watched. Unpublish the workflow and publish it again.',
	);
}

/**
 * Names of signature headers help to set the scheme up; values stay out of the log.
 *
 * @param kind refusals of one trigger that share it share a minute's lines
 * @param what ends the sentence "a delivery …"
 */
function logRefusal(context: IWebhookFunctions, kind: string, what: string): void {
	if (!allow(`log ${kind} ${triggerOf(context)}`, LINES_PER_MINUTE, MINUTE)) return;
	const names = signatureHeaderNames(context.getHeaderData()).join(', ') || 'none';
	log(context, `a delivery ${what}; headers that look like a signature: ${names}`);
}

function log(context: IWebhookFunctions, what: string): void {
	context.logger.warn(`Company Registry Trigger "${context.getNode().name}": ${what}`);
}
