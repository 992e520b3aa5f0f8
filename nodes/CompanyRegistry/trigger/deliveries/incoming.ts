import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { warn } from '../../shared/words';
import { readReference, withReference } from '../identity/destination';
import { identify, nameOf } from '../identity/identity';
import { readOptionsSafely } from '../parameters/options';
import { customSchemeProblem } from '../signatures/customScheme';
import { SERVICE_SCHEME } from '../signatures/serviceScheme';
import type { VerificationSettings } from '../signatures/verifyDelivery';
import { testUrl } from './findRecipient';
import { lineOf, type Logged } from './occasions';
import { trackRecordOf } from './trackRecord';

/** A delivery as n8n has received it, and the trigger that it has come to. */
export type Incoming = ReturnType<typeof readIncoming>;

/** What a reference of ours looks like. */
const REFERENCE = /^[\w-]{22}$/;
/** The options without which nothing can be verified, by what a user knows them as. */
const OF_SIGNATURES = ['Signature', 'Signature Tolerance (Seconds)'];

/** Reads all that a delivery is judged by, but for the companies and events of the node's parameters. */
export function readIncoming(context: IWebhookFunctions) {
	const node = context.getNode();
	// The trigger as it is published, and as it listens for a test event.
	const production = identify(context, 'production');
	const test = identify(context, 'test');
	// "Listen for test event": n8n keeps listening for two minutes or until an execution starts.
	const isTest = context.getMode() === 'manual';
	const record = trackRecordOf(nameOf(production));
	const moment = performance.now();
	const log = (occasion: Logged, values: Parameters<typeof lineOf>[1], of?: string) => {
		if (record.ifMayTell(occasion, moment, of)) warn(context, lineOf(occasion, values));
	};
	const tellFailing = (field: string, effect: string) =>
		log('failingExpression', { field, effect }, field);

	const { options, failed } = readOptionsSafely(context);
	for (const name of failed) {
		const isOfSignatures = OF_SIGNATURES.includes(name);
		const effect = isOfSignatures ? 'deliveries are answered 503' : 'it counts as not set';
		tellFailing(`Options → ${name}`, effect);
	}
	// Empty when there is none.
	const reference = readReference(context.getQueryData() as IDataObject);
	// In a test n8n names the production URL here.
	const url = isTest ? testUrl(test) : context.getNodeWebhookUrl('default');
	const settings: VerificationSettings = {
		tolerance: options.tolerance,
		// One that cannot be used was refused when it was published: what is recognised without it still is.
		scheme: usable(options.signature.scheme) ?? SERVICE_SCHEME,
		url: url && withReference(url, reference),
	};
	// The exact bytes, after content decoding.
	const { rawBody = Buffer.alloc(0) } = context.getRequestObject();
	return {
		node,
		production,
		test,
		staticData: context.getWorkflowStaticData('global'),
		/** Of the trigger's deliveries so far. */
		record,
		options,
		/** Names of the options that cannot be read, because an expression fails; each has its default. */
		failed,
		isTest,
		reference,
		/** The same if it looks like one of ours, else empty: no other text is kept or shown. */
		ownReference: REFERENCE.test(reference) ? reference : '',
		/** What it is verified by; undefined where that cannot be read. */
		settings: failed.some((name) => OF_SIGNATURES.includes(name)) ? undefined : settings,
		headers: context.getHeaderData(),
		rawBody,
		/** Of arrival, in milliseconds since the epoch. */
		now: Date.now(),
		/** The same by a clock that is never set back. */
		moment,
		/** Writes a line about this trigger to n8n's log. */
		warn: (what: string) => warn(context, what),
		/** The same, if the occasion is not told too often. */
		log,
		/** What is read of the node's parameters; `otherwise` where an expression fails, which is logged. */
		readOr<Value>(read: () => Value, otherwise: Value, field: string, effect: string): Value {
			try {
				return read();
			} catch {
				tellFailing(field, effect);
				return otherwise;
			}
		},
	};
}

function usable(scheme: VerificationSettings['scheme']): VerificationSettings['scheme'] {
	return scheme && customSchemeProblem(scheme) ? undefined : scheme;
}
