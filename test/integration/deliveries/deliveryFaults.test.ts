// Deliveries that are not proven, cannot be read or taken, and senders that hang up.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { DeliveryRequest } from '../../simulator';
import { signDelivery } from '../../simulator/signing';
import { captureLog } from '../../support/logCapture';
import { startPublishedTrigger, type PublishedTrigger } from '../../support/publishedTrigger';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(30_000);

let trigger: PublishedTrigger;
let log: string[];

beforeAll(async () => {
	trigger = await startPublishedTrigger('00445790', 'SC123456');
});
afterAll(async () => await trigger.close());
// Three refused in a row would be shown as a failed execution.
beforeEach(async () => {
	await trigger.proveAll();
	log = captureLog(trigger.served());
});
// Whatever is delivered: nothing is written, asked for, read from a credential or told to anybody.
afterEach(() => {
	jest.restoreAllMocks();
	const { workflow, credentials } = trigger.served();
	expect(workflow.staticData.__dataChanged).toBe(false);
	expect(credentials.reads).toBe(0);
	expect(trigger.harness.simulator.requests).toEqual([]);
	for (const { secret } of trigger.webhooks) expect(log.join('\n')).not.toContain(secret);
});

const nowInSeconds = () => Math.floor(Date.now() / 1000);
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Sends without the stand-in, so that the client can hang up. */
async function post(id: string, signal?: AbortSignal): Promise<number> {
	const [{ url, secret }] = trigger.webhooks;
	const { pathname, search } = new URL(url);
	const body = Buffer.from(JSON.stringify({ id }));
	const signed = signDelivery('standardWebhooks', { secret, body, id, timestamp: nowInSeconds() });
	const headers = { ...signed, 'content-type': 'application/json' };
	const response = await fetch(trigger.harness.server.url + pathname + search, {
		method: 'POST',
		headers,
		body,
		signal,
	});
	await response.text();
	return response.status;
}

describe('a delivery that is not proven', () => {
	it.each<[string, string, DeliveryRequest]>([
		['missing', 'it has no signature of a known form', { sign: false }],
		['wrong', 'its signature is wrong', { secret: 'whsec_AAAA' }],
		['stale', 'its signature is stale', { timestamp: nowInSeconds() - 1000 }],
	])('is answered 401, %s, and logged once because %s: %j', async (reason, logged, delivery) => {
		const executions = trigger.serve();
		const { status, body, headers } = await trigger.deliver(delivery);
		expect(status).toBe(401);
		expect(headers['content-type']).toContain('application/json');
		expect(JSON.parse(body)).toEqual({
			error: 'unauthorized',
			message: `The delivery's signature is ${reason}.`,
			status: 401,
		});
		expect(executions).toEqual([]);
		expect(log).toHaveLength(1);
		expect(log[0]).toContain(
			`a delivery for company 00445790 was refused with 401 because ${logged}`,
		);
		const names = delivery.sign === false ? 'none' : 'webhook-signature';
		expect(log[0]).toContain(`headers that look like a signature: ${names}`);
	});

	it('is logged with the names of its headers, never with what they hold', async () => {
		trigger.serve();
		const headers = {
			'x-acme-signature': 'told-nobody',
			authorization: 'told-nobody',
			'x-other': 'told-nobody',
		};
		await trigger.deliver({ sign: false, headers });
		expect(log.join()).toContain('headers that look like a signature: x-acme-signature');
		expect(log.join()).not.toMatch(/told-nobody|x-other|authorization/);
	});

	it('gets ten lines a minute at most, for each reason', async () => {
		trigger.serve();
		let now = Date.now() + 60_000;
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		const refuse = async (times: number, delivery: DeliveryRequest) => {
			for (let time = 0; time < times; time++) await trigger.deliver(delivery);
		};
		await refuse(13, { secret: 'whsec_AAAA' });
		expect(log).toHaveLength(10);
		await refuse(1, { sign: false });
		expect(log[10]).toContain('has no signature');
		now += 59_999;
		await refuse(1, { secret: 'whsec_AAAA' });
		expect(log).toHaveLength(11);
		now += 1;
		await refuse(2, { secret: 'whsec_AAAA' });
		expect(log).toHaveLength(13);
	});

	it('is held to the tolerance that the user sets', async () => {
		trigger.serve({ tolerance: 30 });
		expect(await trigger.deliver({ timestamp: nowInSeconds() - 40 })).toMatchObject({
			status: 401,
		});
		trigger.serve({ tolerance: 60 });
		expect(await trigger.deliver({ timestamp: nowInSeconds() - 40 })).toMatchObject({
			status: 200,
		});
	});
});

it.each([
	['is unknown', `ref=${'A'.repeat(22)}`],
	['is a list', `ref[]=${'A'.repeat(22)}`],
	['cannot be decoded', 'ref=%E0%A4%A'],
])('a delivery whose reference %s is answered 503 and logged once', async (_case, query) => {
	const executions = trigger.serve();
	const [{ url }] = trigger.webhooks;
	const { status, headers, body } = await trigger.deliver({
		url: `${url.split('?')[0]}?${query}`,
	});
	expect(status).toBe(503);
	expect(headers['retry-after']).toBe('30');
	expect(JSON.parse(body)).toEqual({
		error: 'unavailable',
		message: expect.any(String),
		status: 503,
	});
	expect(executions).toEqual([]);
	expect(log).toEqual([expect.stringContaining('answered 503')]);
});

describe('a signed delivery that cannot be read', () => {
	const asBytes = { 'content-type': 'application/octet-stream' };

	it.each([
		['is text', 'hello'],
		['is deeper than n8n can hold', deep(100_000)],
	])('because it %s is answered 400 and logged', async (_case, rawBody) => {
		const executions = trigger.serve();
		const { status, body } = await trigger.deliver({ rawBody, headers: asBytes });
		expect(status).toBe(400);
		expect(JSON.parse(body)).toEqual({
			error: 'bad_request',
			message: 'The body is not a JSON object or array of at most 1000 levels.',
			status: 400,
		});
		expect(executions).toEqual([]);
		expect(log).toEqual([expect.stringContaining('for company 00445790 was refused with 400')]);
	});

	it('gives nothing away while it is not signed', async () => {
		trigger.serve();
		expect(await trigger.deliver({ rawBody: deep(100_000), secret: 'whsec_AAAA' })).toMatchObject({
			status: 401,
		});
	});
});

it('a delivery that n8n could not take is accepted when it comes again', async () => {
	let attempts = 0;
	const executions = trigger.serve({}, () => {
		if (++attempts < 3) throw new Error('The queue is down');
	});
	const { status, attempts: sent } = await trigger.deliver({ retries: 5, maxRetryWaitMs: 10 });
	expect({ status, sent }).toEqual({ status: 200, sent: 3 });
	expect(executions).toHaveLength(3);
});

it('a sender that hangs up before it has its answer may send again: the delivery is not lost', async () => {
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => (open = resolve));
	const executions = trigger.serve({}, async () => await opened);
	const id = randomUUID();
	const client = new AbortController();
	const hungUp = post(id, client.signal).catch(() => 'hung up');
	while (executions.length === 0) await sleep(5);
	client.abort();
	expect(await hungUp).toBe('hung up');
	await sleep(50);
	open();
	expect(await post(id)).toBe(200);
	expect(executions).toHaveLength(2);
});
