import type { IDataObject, INode, IWebhookFunctions } from 'n8n-workflow';

import { readReference, withReference } from '../memory/destination';
import { identify } from '../memory/identity';
import type { TriggerIdentity } from '../memory/state';
import { findMemory } from '../memory/trigger';
import { readOptions, type TriggerOptions } from '../parameters/options';
import type { DeliveryHeaders } from '../signatures/headers';
import type { VerificationSettings } from '../signatures/verifyDelivery';

/** A delivery as n8n has received it, and the trigger that it has come to. */
export interface Incoming {
	node: INode;
	/** The trigger as it is published, and as it listens for a test event. */
	production: TriggerIdentity;
	test: TriggerIdentity;
	/** Names the trigger among all that one process has. */
	trigger: string;
	/** What n8n has stored of the workflow. */
	staticData: IDataObject;
	options: TriggerOptions;
	/** "Listen for test event": n8n keeps listening for two minutes or until an execution starts. */
	isTest: boolean;
	/** The reference in the delivery's address; empty when there is none. */
	reference: string;
	/** What it is verified by. */
	settings: VerificationSettings;
	headers: DeliveryHeaders;
	/** The exact bytes, after content decoding. */
	rawBody: Buffer;
	/** Of arrival, in milliseconds since the epoch. */
	now: number;
	/** Writes a line about this trigger to n8n's log. */
	warn: (what: string) => void;
}

/** Reads all that a delivery is judged by, but for the companies and events of the node's parameters. */
export function readIncoming(context: IWebhookFunctions): Incoming {
	const node = context.getNode();
	const production = identify(context, 'production');
	const test = identify(context, 'test');
	const isTest = context.getMode() === 'manual';
	const options = readOptions(context);
	const { tolerance, signature } = options;
	const reference = readReference(context.getQueryData() as IDataObject);
	// In a test n8n names the production URL here.
	const url = isTest ? findMemory(test)?.testUrl : context.getNodeWebhookUrl('default');
	const { rawBody = Buffer.alloc(0) } = context.getRequestObject();
	return {
		node,
		production,
		test,
		trigger: `${production.workflow}/${production.node}`,
		staticData: context.getWorkflowStaticData('global'),
		options,
		isTest,
		reference,
		settings: { tolerance, scheme: signature.scheme, url: url && withReference(url, reference) },
		headers: context.getHeaderData(),
		rawBody,
		now: Date.now(),
		warn: (what) => context.logger.warn(`Company Registry Trigger "${node.name}": ${what}`),
	};
}
