import { randomBytes, randomUUID } from 'crypto';

import {
	sleep,
	type IDataObject,
	type IHookFunctions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { messageOf, reasonOf } from '../../registry/failure';
import { withReference } from '../memory/destination';
import type { TriggerIdentity } from '../memory/identity';
import type { Subscription } from '../memory/subscription';
import { memoryOf } from '../memory/trigger';
import { readCustomScheme } from '../parameters/deliveryOptions';
import type { Watchlist } from '../parameters/watchlist';
import { signSample } from './signSample';
import { unreachableError, type WrongAnswer } from './unreachableError';

/** In milliseconds; tests wait less. */
export const SAMPLE_WAIT = {
	/**
	 * Until n8n has stored that it listens and has told the editor so. An editor that hears of the delivery
	 * first does not show it, and keeps waiting.
	 */
	untilListening: 1000,
	/** For an answer of n8n's own address. */
	forAnswer: 5000,
};
/** The sample may come while a slow n8n is still about to listen. */
const MAXIMUM_ATTEMPTS = 5;

/**
 * Has a sample of each chosen event delivered, a moment after this returns and n8n listens. Nothing is
 * made at the service, and its credential is not read: this process makes up the reference and the secret.
 * @throws NodeOperationError when n8n cannot deliver to its own address
 */
export async function startSample(
	context: IHookFunctions,
	identity: TriggerIdentity,
	{ companies: [company], events }: Watchlist,
): Promise<void> {
	const memory = memoryOf(identity);
	const sample: Subscription = {
		reference: randomBytes(16).toString('base64url'),
		company,
		id: 'sample',
		// Hex digits are a secret in every encoding that a scheme may ask for.
		secret: randomBytes(32).toString('hex'),
	};
	memory.sample = sample;
	const send = sender(context, sample);
	await provePath(context, send);

	const payloads = events.map((event) => ({ event, company_number: company, sample: true }));
	const body = JSON.stringify(payloads.length === 1 ? payloads[0] : payloads);
	deliver(body, send, () => memory.sample === sample).catch((reason: unknown) =>
		context.logger.warn(
			`Company Registry Trigger "${context.getNode().name}": the sample event could not be delivered: ${messageOf(reason)}`,
		),
	);
}

type Send = (body: string) => Promise<IN8nHttpFullResponse>;

/** Sends a body to n8n's test URL of this trigger, signed anew each time. */
function sender(context: IHookFunctions, { reference, secret }: Subscription): Send {
	const scheme = readCustomScheme(context.getNodeParameter('options', {}) as IDataObject);
	const url = withReference(context.getNodeWebhookUrl('default') ?? '', reference);
	return async (body) => {
		const time = Math.floor(Date.now() / 1000);
		const signed = signSample({ body, secret, id: randomUUID(), time, url }, scheme);
		return (await context.helpers.httpRequest({
			method: 'POST',
			url,
			body,
			headers: { 'Content-Type': 'application/json', ...signed },
			timeout: SAMPLE_WAIT.forAnswer,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		})) as IN8nHttpFullResponse;
	};
}

/**
 * Sends a delivery without an event, which goes the whole way and starts nothing: only here can the
 * editor still be told that n8n does not reach itself. n8n serves the test URL before it calls `create`.
 */
async function provePath(context: IHookFunctions, send: Send): Promise<void> {
	const answer = await send('[]').catch((error: unknown) => ({ reason: reasonOf(error) }));
	const wrong: WrongAnswer | undefined =
		'reason' in answer ? answer : isOurs(answer) ? undefined : { status: answer.statusCode };
	if (wrong) throw unreachableError(context, wrong);
}

/** What `webhook()` answers to a genuine delivery without a wanted event. */
function isOurs({ statusCode, body }: IN8nHttpFullResponse): boolean {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return statusCode === 200 && text === '{"ignored":true}';
}

/** @throws what went wrong the last time; nothing once nobody listens any more */
async function deliver(body: string, send: Send, isAwaited: () => boolean): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		await sleep(SAMPLE_WAIT.untilListening);
		if (!isAwaited()) return;
		const { statusCode } = await send(body);
		if (statusCode === 200) return;
		if (attempt === MAXIMUM_ATTEMPTS) throw new Error(`n8n answered with status ${statusCode}`);
	}
}
