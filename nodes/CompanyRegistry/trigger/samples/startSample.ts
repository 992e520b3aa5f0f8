import { randomBytes, randomUUID } from 'crypto';

import { sleep, type IHookFunctions, type IN8nHttpFullResponse } from 'n8n-workflow';

import { messageOf, reasonOf } from '../../registry/failure';
import { addressOf, withReference } from '../memory/destination';
import { identifyActivated } from '../memory/activatedTrigger';
import { readWatchlist } from '../parameters/watchlist';
import { computeHmac } from '../signatures/verifyDelivery';
import { parseContent } from '../signatures/signedContent';
import { awaitSample, findSample, type Sample } from './awaitedSample';
import { unreachableError, type WrongAnswer } from './unreachableError';

/** Times in milliseconds; tests wait less, and listen elsewhere. */
export const SAMPLE = {
	/**
	 * Until n8n has stored that it listens and has told the editor so. An editor that hears of the delivery
	 * first does not show it, and keeps waiting.
	 */
	untilListening: 1000,
	/** For an answer of n8n's own address. */
	forAnswer: 5000,
	/** Where n8n listens unless it is told otherwise: behind many routers it does not reach its public address. */
	localAddress: 'http://127.0.0.1:5678',
};
/** The sample may come while a slow n8n is still about to listen. */
const MAXIMUM_ATTEMPTS = 5;

/** As Standard Webhooks describes it. */
const SIGNED_CONTENT = parseContent('{id}.{timestamp}.{body}');

/**
 * Has a sample of each chosen event delivered, a moment after this returns and n8n listens. Nothing is
 * made at the service, and its credential is not read: this process makes up the reference and the secret.
 * @throws NodeOperationError for parameters that cannot be used, or when n8n cannot deliver to its own address
 */
export async function startSample(context: IHookFunctions): Promise<void> {
	const {
		companies: [company],
		events,
	} = readWatchlist(context);
	const trigger = identifyActivated(context);
	const sample: Sample = {
		reference: randomBytes(16).toString('base64url'),
		company,
		id: 'sample',
		secret: randomBytes(32).toString('base64'),
		events,
		hasArrived: false,
	};
	awaitSample(trigger, sample);
	const url = await findAddress(context, sample);

	// What a delivery holds is the service's to say.
	const payloads = events.map(() => ({ sample: true }));
	const body = JSON.stringify(payloads.length === 1 ? payloads[0] : payloads);
	const isAwaited = () => findSample(trigger, sample.reference) === sample;
	deliver(async () => await send(context, sample, url, body), isAwaited).catch((reason: unknown) =>
		context.logger.warn(
			`Company Registry Trigger "${context.getNode().name}": the sample event could not be delivered: ${messageOf(reason)}`,
		),
	);
}

/**
 * The address at which n8n reaches itself: its own, or else the local one. Found out by a delivery without
 * an event, which goes the whole way and starts nothing: only here can the editor still be told. n8n serves
 * the test URL before it calls `create`.
 */
async function findAddress(context: IHookFunctions, sample: Sample): Promise<string> {
	const own = context.getNodeWebhookUrl('default') ?? '';
	const wrong = await prove(context, sample, own);
	if (wrong === undefined) return own;
	const address = addressOf(own);
	const local = SAMPLE.localAddress + own.slice(address.lastIndexOf('/'));
	if ((await prove(context, sample, local)) === undefined) return local;
	throw unreachableError(context, { address, local: SAMPLE.localAddress, wrong });
}

/** What is wrong with an address; undefined when a delivery that was sent there has come to this process. */
async function prove(
	context: IHookFunctions,
	sample: Sample,
	url: string,
): Promise<WrongAnswer | undefined> {
	try {
		const { statusCode } = await send(context, sample, url, '[]');
		return sample.hasArrived ? undefined : { status: statusCode };
	} catch (error) {
		return { reason: reasonOf(error) };
	}
}

async function send(
	context: IHookFunctions,
	{ reference, secret }: Sample,
	url: string,
	body: string,
): Promise<IN8nHttpFullResponse> {
	const id = randomUUID();
	const timestamp = String(Math.floor(Date.now() / 1000));
	const signature = computeHmac(
		'sha256',
		{ text: secret, encoding: 'base64' },
		SIGNED_CONTENT,
		{ '{id}': id, '{timestamp}': timestamp },
		Buffer.from(body),
	);
	return (await context.helpers.httpRequest({
		method: 'POST',
		url: withReference(url, reference),
		body,
		headers: {
			'Content-Type': 'application/json',
			'webhook-id': id,
			'webhook-timestamp': timestamp,
			'webhook-signature': `v1,${signature.toString('base64')}`,
		},
		timeout: SAMPLE.forAnswer,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	})) as IN8nHttpFullResponse;
}

/** @throws what went wrong the last time; nothing once nobody listens any more */
async function deliver(
	sendSample: () => Promise<IN8nHttpFullResponse>,
	isAwaited: () => boolean,
): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		await sleep(SAMPLE.untilListening);
		if (!isAwaited()) return;
		const { statusCode } = await sendSample();
		if (statusCode === 200) return;
		if (attempt === MAXIMUM_ATTEMPTS) throw new Error(`n8n answered with status ${statusCode}`);
	}
}
