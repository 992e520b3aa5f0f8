import { attempt, isError } from 'lodash';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { DAY } from '../../shared/durations';
import { choosesReport, eventNames } from '../../shared/events';
import { warn } from '../../shared/format';
import { identify, readReference, urlOf, withReference } from '../lifecycle/identity';
import { memoryOf, type TriggerMemory } from '../lifecycle/state';
import { readOptionsSafely } from '../parameters/options';
import { TrackRecord } from './deliveryHistory';
import { SERVICE_SCHEME } from '../signatures/serviceScheme';
import { findRecipient } from './findRecipient';

/** A delivery as n8n received it, with the trigger's settings and the subscription that it is for. */
export type IncomingDelivery = ReturnType<typeof readIncoming>;

const records = new WeakMap<TriggerMemory, TrackRecord>();

/** Reads everything that a delivery is judged by, except its company's row of the list. */
export function readIncoming(context: IWebhookFunctions) {
	const identity = identify(context);
	const memory = memoryOf(identity);
	const record = recordOf(memory);
	const receivedAt = Date.now();
	const monotonicMs = performance.now();
	/** Logs once a day that an expression fails, and what that means for deliveries. */
	const reportFailing = (field: string, effect: string) => {
		const words = `An expression under ${field} fails for deliveries: ${effect}. Correct it and publish again`;
		if (record.claimReport(`expression ${field}`, monotonicMs, DAY)) warn(context, words);
	};
	const reference = readReference(context.getQueryData() as IDataObject);
	const recipient = findRecipient(reference, identity, context.getWorkflowStaticData('global'));

	return {
		...recipient,
		...readSettings(context, reportFailing),
		...{ context, memory, record, receivedAt, monotonicMs, reportFailing },
		secret: recipient.subscription.secret,
		url: withReference(urlOf(context), reference),
		headers: context.getHeaderData(),
		/** The exact bytes, after content decoding. */
		rawBody: context.getRequestObject().rawBody ?? Buffer.alloc(0),
		/** In seconds since the epoch, as signatures have it. */
		now: receivedAt / 1000,
	};
}

/** What this process remembers of the deliveries to one trigger. */
function recordOf(memory: TriggerMemory): TrackRecord {
	const record = records.get(memory) ?? new TrackRecord();
	records.set(memory, record);
	return record;
}

/** The trigger's settings. One that cannot be read has its default, except the signature's. */
function readSettings(
	context: IWebhookFunctions,
	reportFailing: (field: string, effect: string) => void,
) {
	const { options, failed } = readOptionsSafely(context);
	const isSchemeUnreadable = failed === 'Options → Signature';
	const defaults = 'the trigger uses the default of every option except Signature';
	if (failed)
		reportFailing(failed, isSchemeUnreadable ? 'the trigger answers each with 503' : defaults);

	const events: unknown = attempt(() => context.getNodeParameter('events', []));
	if (isError(events)) reportFailing('Trigger On', 'every event starts the workflow');
	// Names that cannot be read may be those of any event.
	const isAny = isError(events) || failed !== undefined;
	const scheme = options.signature.scheme ?? SERVICE_SCHEME;
	return {
		/** Names of the chosen events; empty where any event counts. */
		chosenEvents: isAny ? [] : eventNames(events, options.additionalEvents),
		/** Whether *Watch Report* is chosen. */
		showsReport: !isError(events) && choosesReport(events),
		/** Whether the settings for signatures cannot be read. */
		isSchemeUnreadable,
		tolerance: options.signature.tolerance.seconds,
		scheme,
		/** Names the scheme: what another scheme has verified proves nothing for this one. */
		verifiedBy: JSON.stringify(scheme) ?? '',
	};
}
