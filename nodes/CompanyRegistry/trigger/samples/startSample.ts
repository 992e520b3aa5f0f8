import {
	sleep,
	type IHookFunctions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { messageOf, reasonOf } from '../../registry/failure';
import { keepNewest } from '../../shared/keepNewest';
import { nodeError, warn } from '../../shared/format';
import * as identity from '../lifecycle/identity';
import { sampleItems } from './sampleItems';

/** A sample that n8n waits for. Only this process knows its reference. */
interface Sample {
	reference: string;
	/** Whether a request has come to this process, which shows that its address leads here. */
	hasArrived: boolean;
	/** Set once the next request is to start the workflow. */
	items?: INodeExecutionData[];
}

/** Times in milliseconds. Tests wait less, and listen elsewhere. */
export const SAMPLE = {
	/** Until n8n has told the editor that it listens. An editor that learns of it later keeps waiting. */
	untilListening: 1000,
	forAnswer: 5000,
	/** Behind many routers n8n does not reach itself at its public address. */
	localAddress: 'http://127.0.0.1:5678',
};
const MAXIMUM_SAMPLES = 1000;

/** By trigger, the sample of the latest click. n8n may end an earlier test after the next one has begun. */
const pendingSamples = new Map<string, Sample>();

/** The sample that a request belongs to, or the answer to a trial of the address; undefined for any other request. */
export function takeSample(context: IWebhookFunctions) {
	const sample = pendingSamples.get(identity.keyOf(identity.identify(context)));
	const query = context.getQueryData() as Record<string, unknown>;
	if (sample?.reference !== identity.readReference(query)) return undefined;
	sample.hasArrived = true;
	return sample.items ?? { status: 200, body: {}, shown: undefined };
}

/**
 * Starts the test with a sample, a moment after this returns and n8n listens. It asks nothing of the service.
 * @throws NodeOperationError where parameters cannot be used, or n8n cannot reach its own address
 */
export async function startSample(context: IHookFunctions): Promise<void> {
	const items = await sampleItems(context).catch((problem: unknown) => {
		throw nodeError(context, messageOf(problem));
	});
	const key = identity.keyOf(identity.identify(context));
	const sample: Sample = { reference: identity.newReference(), hasArrived: false };
	keepNewest(pendingSamples, key, sample, MAXIMUM_SAMPLES);
	const url = await findAddress(context, sample);
	sample.items = items;
	const deliver = async () => {
		await sleep(SAMPLE.untilListening);
		if (pendingSamples.get(key) === sample) await send(context, sample, url);
	};
	deliver().catch((reason: unknown) =>
		warn(context, `the sample could not be delivered: ${messageOf(reason)}`),
	);
}

/** The address at which n8n reaches itself. Later than now the editor cannot show that there is none. */
async function findAddress(context: IHookFunctions, sample: Sample): Promise<string> {
	const own = context.getNodeWebhookUrl('default') ?? '';
	const address = identity.addressOf(own);
	const problems: string[] = [];
	for (const url of [own, SAMPLE.localAddress + own.slice(address.lastIndexOf('/'))]) {
		const problem = await send(context, sample, url).then(
			(status) => `another server answered (status ${status})`,
			(error: unknown) => `no answer (${reasonOf(error)})`,
		);
		if (sample.hasArrived) return url;
		problems.push(problem);
	}
	const message = `n8n cannot reach itself at ${address}: ${problems[0]}. It also tried ${SAMPLE.localAddress}. If the address is wrong, set N8N_WEBHOOK_URL to the public https address of n8n and restart n8n. Otherwise, let n8n's machine reach it.`;
	throw nodeError(context, message);
}

async function send(context: IHookFunctions, sample: Sample, url: string): Promise<number> {
	const { statusCode } = (await context.helpers.httpRequest({
		method: 'POST',
		url: identity.withReference(url, sample.reference),
		timeout: SAMPLE.forAnswer,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	})) as IN8nHttpFullResponse;
	return statusCode;
}
