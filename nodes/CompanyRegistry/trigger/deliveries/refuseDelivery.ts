import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { hasVerifiedAny, hasVerifiedWebhook, mayHappen } from './attention';
import { mayBeBeingPublished, type Recipient } from './findRecipient';
import { readReference } from '../memory/destination';
import type { TriggerIdentity } from '../memory/identity';
import { findingInWords } from '../parameters/findingInWords';
import { logFinding, logRefusal } from './deliveryLog';
import { findScheme, type RefusedDelivery } from '../signatures/search/findScheme';
import { unknownWebhookError, unverifiedError, type UnverifiedDelivery } from './unverifiedError';

/** An answer in the service's error shape. */
export interface Refusal extends IDataObject {
	error: string;
	message: string;
	status: number;
}

/** Seconds after which a sender is asked to try again when the fault is ours. */
const RETRY_AFTER = 30;
/** Why a delivery is refused, for the log. */
const REASONS = {
	missing: 'it has no signature of a known form',
	wrong: 'its signature is wrong',
	stale: 'its signature is stale: the time in it is further from now than the tolerance',
};

/**
 * The answer to a delivery that could not be verified.
 *
 * Forged deliveries come in floods. So only a few are searched for a scheme that proves them, and
 * shown to the user.
 * @throws NodeOperationError that n8n shows to the user: in a test always; for a published trigger
 * while its webhook has verified nothing yet, once an hour
 */
export function refuseUnverified(
	context: IWebhookFunctions,
	trigger: TriggerIdentity,
	recipient: Recipient,
	reason: UnverifiedDelivery['reason'],
	delivery: Omit<RefusedDelivery, 'secret' | 'hasVerified'>,
): Refusal {
	const { webhook } = recipient;
	logRefusal(
		context,
		reason,
		`for company ${webhook.company} was refused with 401 because ${REASONS[reason]}`,
	);
	const isTest = isTestRun(context);
	const isShown = isTest ? mayHappen('testLook', trigger) : mayBeGenuine(trigger, recipient);
	const isSearched = isTest ? isShown : mayHappen('look', trigger) || isShown;
	if (isSearched) {
		const finding = findScheme({
			...delivery,
			secret: webhook.secret,
			hasVerified: hasVerifiedWebhook(webhook.reference),
		});
		// A stale time has been logged already.
		if (finding !== undefined && reason !== 'stale') {
			logFinding(context, `for company ${webhook.company}: ${findingInWords(finding)}`);
		}
		if (isShown) {
			const { company } = webhook;
			const { headers } = delivery;
			throw unverifiedError(context, { company, reason, headers, finding, isTest });
		}
	}
	return {
		error: 'unauthorized',
		message: `The delivery's signature is ${reason}.`,
		status: 401,
	};
}

/** Whether it gets a failed execution. Not if its webhook is stored as paused, whatever the parameters say. */
function mayBeGenuine(trigger: TriggerIdentity, { webhook, isWatched }: Recipient): boolean {
	return (
		!hasVerifiedWebhook(webhook.reference) && isWatched() && mayHappen('failedExecution', trigger)
	);
}

/**
 * The answer to a delivery that names no webhook of this trigger, or one whose secret is lost.
 * While the trigger is being published the secret may be on its way.
 *
 * @throws NodeOperationError as for one that could not be verified, while the trigger has verified nothing
 */
export function refuseUnknown(context: IWebhookFunctions, trigger: TriggerIdentity): Refusal {
	logRefusal(
		context,
		'unknown',
		'was answered 503 because no secret is known for its reference; if this goes on, unpublish the workflow and publish it again',
	);
	context.getResponseObject().setHeader('Retry-After', String(RETRY_AFTER));
	if (
		!isTestRun(context) &&
		!hasVerifiedAny(trigger) &&
		!mayBeBeingPublished(context, trigger) &&
		mayHappen('failedExecutionOfUnknown', trigger)
	) {
		throw unknownWebhookError(context, readReference(context.getQueryData() as IDataObject));
	}
	return {
		error: 'unavailable',
		message: 'The secret for this delivery is not known here at the moment. Send it again later.',
		status: 503,
	};
}

/** "Listen for test event": n8n keeps listening for two minutes or until an execution starts. */
export function isTestRun(context: IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}
