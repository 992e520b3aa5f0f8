import { intersection } from 'lodash';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { eventNames } from '../../shared/events';
import { warn } from '../../shared/words';
import { readReference, withReference } from '../identity/destination';
import { identify, nameOf } from '../identity/identity';
import { findStore } from '../memory/store';
import { readOptionsSafely } from '../parameters/options';
import { SAMPLE_SCHEME } from '../samples/startSample';
import { SERVICE_SCHEME } from '../signatures/serviceScheme';
import { findRecipient } from './findRecipient';
import type { Occasion } from './occasions';
import { TrackRecord, trackRecordOf } from './trackRecord';

/** A delivery as n8n has received it, and the trigger and the webhook that it has come to. */
export type Incoming = ReturnType<typeof readIncoming>;

/** The options without which nothing can be verified, by what a user knows them as. */
const OF_SIGNATURES = ['Signature', 'Signature Tolerance (Seconds)'];

/** Reads all that a delivery is judged by, but for the companies of the node's parameters. */
export function readIncoming(context: IWebhookFunctions) {
	// The trigger as it is published, and as it listens for a test event.
	const production = identify(context, 'production');
	const test = identify(context, 'test');
	// "Listen for test event": n8n keeps listening for two minutes or until an execution starts.
	const isTest = context.getMode() === 'manual';
	const published = trackRecordOf(nameOf(production));
	// A test shows whatever arrives, and takes nothing from the published trigger.
	const record = isTest ? new TrackRecord(new Map(published.proven)) : published;
	const moment = performance.now();
	const log = (occasion: Occasion, of: string, words: string) => {
		if (record.ifMayTell(occasion, moment, of)) warn(context, words);
	};
	const tellFailing = (field: string, effect: string) => {
		const words = `an expression under ${field} fails while a delivery is read, so ${effect}. Correct it and publish again`;
		log('failingExpression', field, words);
	};

	const readOr = <Value>(read: () => Value, otherwise: Value, field: string, effect: string) => {
		try {
			return read();
		} catch {
			tellFailing(field, effect);
			return otherwise;
		}
	};

	const { options, failed } = readOptionsSafely(context);
	const unset = intersection(failed, OF_SIGNATURES);
	for (const name of failed) {
		const effect = unset.includes(name) ? 'deliveries are answered 503' : 'it counts as not set';
		tellFailing(`Options → ${name}`, effect);
	}
	const readEvents = (): unknown => context.getNodeParameter('events', []);
	const effect = 'every event that the service sends starts the workflow';
	const events = readOr(readEvents, undefined, 'Trigger On', effect);
	// What is not known of either may name any event.
	const isAny = events === undefined || failed.includes('Additional Events');
	const reference = readReference(context.getQueryData() as IDataObject);
	const staticData = context.getWorkflowStaticData('global');
	const recipient = findRecipient(reference, isTest, production, test, staticData);
	const { webhook, sample } = recipient;
	// In a test n8n names the production URL here.
	const url = isTest ? findStore(test)?.url : context.getNodeWebhookUrl('default');
	const arrivedAt = Date.now();
	const scheme = sample ? SAMPLE_SCHEME : (options.signature.scheme ?? SERVICE_SCHEME);
	return {
		...recipient,
		context,
		isTest,
		/** Of the trigger's deliveries so far. */
		record,
		/** Each that cannot be read, because an expression fails, has its default. */
		options,
		/** Names of the events that start the workflow; none where any does. */
		chosen: isAny ? [] : eventNames(events, options.additionalEvents),
		/** Whether what it is verified by cannot be read. */
		isUnset: unset.length > 0,
		secret: webhook.secret,
		tolerance: options.tolerance,
		scheme,
		/** Names the scheme: what was verified by another says nothing of this delivery. */
		verifiedBy: JSON.stringify(scheme) ?? '',
		url: url && withReference(url, reference),
		headers: context.getHeaderData(),
		/** The exact bytes, after content decoding. */
		rawBody: context.getRequestObject().rawBody ?? Buffer.alloc(0),
		receivedAt: new Date(arrivedAt).toISOString(),
		/** The same as Unix time in seconds. */
		now: arrivedAt / 1000,
		/** The same in milliseconds by a clock that is never set back. */
		moment,
		/** Writes a line about this trigger to n8n's log, if the occasion is not told too often. */
		log,
		/** What is read of the node's parameters; `otherwise` where an expression fails, which is logged. */
		readOr,
	};
}
