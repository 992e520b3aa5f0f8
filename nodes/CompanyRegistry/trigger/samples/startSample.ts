import {
	sleep,
	type IHookFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { messageOf, reasonOf } from '../../registry/failure';
import { nodeError } from '../../shared/format';
import {
	addressOf,
	identify,
	keyOf,
	newReference,
	readReference,
	urlOf,
	withReference,
} from '../lifecycle/identity';
import { sampleItems } from './sampleItems';

/** A sample that n8n waits for. Only this process knows its reference. */
interface Sample {
	reference: string;
	items: INodeExecutionData[];
	/** To be called once its request has come to this process, which shows that the address leads here. */
	arrive: () => void;
}

/** Times in milliseconds. Tests wait less, and listen elsewhere. */
export const SAMPLE = {
	/** Until n8n has told the editor that it listens. An editor that learns of it later keeps waiting. */
	untilListening: 1000,
	forAnswer: 5000,
	/** Behind many routers n8n does not reach itself at its public address. */
	localAddress: 'http://127.0.0.1:5678',
};

/** By trigger, the sample of the latest click. n8n may end an earlier test after the next one has begun. */
const pendingSamples = new Map<string, Sample>();

/** The sample that a request belongs to, once n8n listens; undefined for any other request. */
export async function takeSample(
	context: IWebhookFunctions,
): Promise<INodeExecutionData[] | undefined> {
	const key = keyOf(identify(context));
	const sample = pendingSamples.get(key);
	const query = context.getQueryData() as Record<string, unknown>;
	if (sample?.reference !== readReference(query)) return undefined;
	sample.arrive();
	await sleep(SAMPLE.untilListening);
	return pendingSamples.get(key) === sample ? sample.items : undefined;
}

/**
 * Starts the test with a sample, a moment after this returns and n8n listens. It asks nothing of the service.
 * @throws NodeOperationError where parameters cannot be used, or n8n cannot reach its own address
 */
export async function startSample(context: IHookFunctions): Promise<void> {
	const items = await sampleItems(context).catch((problem: unknown) => {
		throw nodeError(context, messageOf(problem));
	});
	const reference = newReference();
	const hasArrived = new Promise<void>((arrive) => {
		pendingSamples.set(keyOf(identify(context)), { reference, items, arrive });
	});
	const own = urlOf(context);
	const address = addressOf(own, identify(context));
	const problems: string[] = [];

	for (const url of [own, SAMPLE.localAddress + own.slice(address.lastIndexOf('/'))]) {
		const answer = send(context, withReference(url, reference));
		const problem = await Promise.race([hasArrived, answer]);
		if (problem === undefined) return;
		problems.push(problem);
	}
	// After this returns, the editor can show no error.
	const message = `n8n cannot reach itself at ${address}: ${problems[0]}. It also tried ${SAMPLE.localAddress}. If the address is wrong, set N8N_WEBHOOK_URL to the public https address of n8n and restart n8n. Otherwise, allow n8n's machine to connect to this address.`;

	throw nodeError(context, message);
}

/** @returns why the sample has not arrived, if it has not */
async function send(context: IHookFunctions, url: string): Promise<string> {
	const request: IHttpRequestOptions = {
		method: 'POST',
		url,
		timeout: SAMPLE.forAnswer,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
	return await context.helpers.httpRequest(request).then(
		({ statusCode }: IN8nHttpFullResponse) => `another server answered (status ${statusCode})`,
		(error: unknown) => `no answer (${reasonOf(error)})`,
	);
}
