import { attempt, isError } from 'lodash';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { choosesReport, chosenEvents } from '../../shared/events';
import { identify, readReference, urlOf, withReference } from '../lifecycle/identity';
import { memoryOf } from '../lifecycle/memory';
import { readOptionsSafely } from '../parameters/options';
import { historyOf } from './deliveryHistory';
import { findRecipient } from './findRecipient';

/** A delivery as n8n received it, with the trigger's settings and the subscription that it is for. */
export type IncomingDelivery = Awaited<ReturnType<typeof readIncoming>>;

/** Reads everything that a delivery is judged by, except its company's row of the list. */
export async function readIncoming(context: IWebhookFunctions) {
	const request = context.getRequestObject();
	// n8n has read the body only where it parses this type of content. One that is too large counts as empty.
	const isUnread = request.rawBody === undefined && request.readable;
	if (isUnread) await request.readRawBody().catch(() => undefined);

	const identity = identify(context);
	const memory = memoryOf(identity);
	const receivedAt = Date.now();
	const reference = readReference(context.getQueryData() as IDataObject);
	const recipient = findRecipient(reference, identity, context.getWorkflowStaticData('global'));

	return {
		...recipient,
		...readSettings(context),
		...{ context, memory, history: historyOf(memory), receivedAt },
		monotonicMs: performance.now(),
		secret: recipient.subscription.secret,
		url: withReference(urlOf(context), reference),
		headers: context.getHeaderData(),
		/** The exact bytes, after content decoding. */
		rawBody: request.rawBody ?? Buffer.alloc(0),
		/** In seconds since the epoch, as signatures have it. */
		now: receivedAt / 1000,
	};
}

/** The trigger's settings. One that cannot be read has its default, except the signature's. */
function readSettings(context: IWebhookFunctions) {
	const { options, failed } = readOptionsSafely(context);
	const isSchemeUnreadable = failed === 'Options → Signature';
	const events: unknown = attempt(() => context.getNodeParameter('events', []));
	// Names that cannot be read may be those of any event.
	const isAny = isError(events) || failed !== undefined;
	const { scheme, tolerance } = options.signature;
	return {
		/** Names of the chosen events; empty where any event counts. */
		chosenEvents: isAny ? [] : chosenEvents(events, options.additionalEvents),
		/** Whether *Watch Report* is chosen. */
		showsReport: !isError(events) && choosesReport(events),
		/** Whether the settings for signatures cannot be read. */
		isSchemeUnreadable,
		tolerance: tolerance.seconds,
		scheme,
		/** Names the settings for signatures: what others have proved says nothing of these. */
		settings: isSchemeUnreadable ? 'unreadable' : (JSON.stringify(scheme) ?? ''),
	};
}
