import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { warn } from '../../shared/words';
import { readReference, withReference } from '../identity/destination';
import { identify, nameOf } from '../identity/identity';
import { readOptions } from '../parameters/options';
import { customSchemeProblem } from '../signatures/customScheme';
import { findStore } from '../memory/store';

/** A delivery as n8n has received it, and the trigger that it has come to. */
export type Incoming = ReturnType<typeof readIncoming>;

/** What a reference of ours looks like. */
const REFERENCE = /^[\w-]{22}$/;

/** Reads all that a delivery is judged by, but for the companies and events of the node's parameters. */
export function readIncoming(context: IWebhookFunctions) {
	const node = context.getNode();
	// The trigger as it is published, and as it listens for a test event.
	const production = identify(context, 'production');
	const test = identify(context, 'test');
	// "Listen for test event": n8n keeps listening for two minutes or until an execution starts.
	const isTest = context.getMode() === 'manual';
	const options = readOptions(context);
	const { tolerance, signature } = options;
	// One that cannot be used was refused when it was published: what is recognised without it still is.
	const scheme =
		signature.scheme && customSchemeProblem(signature.scheme) ? undefined : signature.scheme;
	// Empty when there is none.
	const reference = readReference(context.getQueryData() as IDataObject);
	// In a test n8n names the production URL here.
	const url = isTest ? findStore(test)?.url : context.getNodeWebhookUrl('default');
	// The exact bytes, after content decoding.
	const { rawBody = Buffer.alloc(0) } = context.getRequestObject();
	return {
		node,
		production,
		test,
		/** Names the trigger among all that one process has. */
		trigger: nameOf(production),
		staticData: context.getWorkflowStaticData('global'),
		options,
		isTest,
		reference,
		/** The same if it looks like one of ours, else empty: no other text is kept or shown. */
		ownReference: REFERENCE.test(reference) ? reference : '',
		/** What it is verified by. */
		settings: { tolerance, scheme, url: url && withReference(url, reference) },
		headers: context.getHeaderData(),
		rawBody,
		/** Of arrival, in milliseconds since the epoch. */
		now: Date.now(),
		/** Writes a line about this trigger to n8n's log. */
		warn: (what: string) => warn(context, what),
	};
}
