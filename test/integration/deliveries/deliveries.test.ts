// What a genuine delivery starts, what the trigger knows of its webhooks by then, and what is answered to those that
// are not proven, cannot be read or taken, and whose senders hang up.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import type { DeliveryRequest } from '../../simulator';
import { signDelivery } from '../../simulator/signing';
import { captureLog } from '../../support/logCapture';
import {
	NO_TRACES,
	startPublishedTrigger,
	type PublishedTrigger,
} from '../../support/publishedTrigger';
import { watching } from '../../support/triggerHarness';

// What is recognised counts here, also once it is known how the service signs.
jest.mock('../../../nodes/CompanyRegistry/trigger/signatures/serviceScheme', () => ({}));

// A busy machine takes its time over megabytes and crowds.
jest.setTimeout(30_000);

const companies = ['00445790', 'SC123456', '01234567'];
let trigger: PublishedTrigger;
let log: string[];

beforeAll(async () => {
	trigger = await startPublishedTrigger(...companies);
});
afterAll(async () => await trigger?.close());
// Three refused in a row would be shown as a failed execution.
beforeEach(async () => {
	trigger.serve();
	for (const webhook of trigger.webhooks) await trigger.deliver({}, webhook);
	log = captureLog(trigger.served());
});
afterEach(() => {
	jest.restoreAllMocks();
	expect(trigger.traces()).toEqual(NO_TRACES);
	for (const { secret } of trigger.webhooks) expect(log.join('\n')).not.toContain(secret);
});

const DAY = 24 * 3_600_000;
let days = 0;
const nowInSeconds = () => Math.floor(Date.now() / 1000);

const outputs = (executions: INodeExecutionData[][]) =>
	executions.map((items) => items.map(({ json }) => json));

describe('an accepted delivery', () => {
	it('becomes one item with the documented fields and nothing else', async () => {
		const named = watching('445790\tAcme Ltd', ...companies.slice(1));
		const executions = trigger.serve({}, undefined, named);
		const payload = { event: 'filing.new', nested: { list: [1, null, 'é'] }, '': 0 };
		const before = Date.now();
		const { status, body } = await trigger.deliver({ payload, deliveryId: 'msg_fields' });

		expect({ status, body }).toEqual({ status: 200, body: '' });
		const [[output]] = outputs(executions);
		expect(output).toEqual({
			event: 'filing.new',
			event_name: 'New Filing',
			company_number: companies[0],
			company_name: 'Acme Ltd',
			list_columns: null,
			webhook_id: trigger.webhooks[0].id,
			delivery_id: 'msg_fields',
			received_at: expect.any(String),
			payload,
		});
		// As n8n is told before the first run.
		expect(outputSchema.parse(output)).toEqual(output);
		expect(Object.keys(output)).toEqual(Object.keys(outputSchema.shape));
		const receivedAt = String(output.received_at);
		expect(Date.parse(receivedAt)).toBeGreaterThanOrEqual(before);
		expect(Date.parse(receivedAt)).toBeLessThanOrEqual(Date.now());
	});

	it('comes with its request when that is asked for, without credentials of the sender', async () => {
		const executions = trigger.serve({ includeRequest: true });
		const rawBody = `{ "n": "${randomUUID()}" }`;
		const headers = {
			cookie: 'a=b',
			authorization: 'Basic eDp5',
			'proxy-authorization': 'Basic eDp5',
			'x-kept': 'yes',
		};
		await trigger.deliver({ rawBody, headers });

		const [[{ request }]] = outputs(executions);
		expect(request).toMatchObject({
			body: rawBody,
			headers: { 'x-kept': 'yes', 'webhook-id': expect.any(String) },
		});
		expect(JSON.stringify(request)).not.toMatch(/cookie|authorization|eDp5/);
		expect(JSON.stringify(executions)).not.toContain(trigger.webhooks[0].secret);
	});

	it('may hold a list: an item for each event', async () => {
		const executions = trigger.serve();
		const payload = Array.from({ length: 10_000 }, (_, n) => ({ n }));
		expect(await trigger.deliver({ payload })).toMatchObject({ status: 200 });
		const [items] = outputs(executions);
		expect(items.map((item) => item.payload)).toEqual(payload);
		expect(new Set(items.map((item) => item.delivery_id)).size).toBe(10_000);
	});

	it('may hold 100,000 events, which are one item', async () => {
		const executions = trigger.serve();
		const payload = Array.from({ length: 100_000 }, (_, n) => ({ n }));
		expect(await trigger.deliver({ payload })).toMatchObject({ status: 200 });
		expect(outputs(executions)).toMatchObject([[{ event: null, payload }]]);
	});
});

describe('a delivery of what is not watched', () => {
	it('is answered 200 and starts nothing', async () => {
		const executions = trigger.serve();
		const { status, body } = await trigger.deliver({ payload: { event: 'psc.added' } });
		expect({ status, body: JSON.parse(body) }).toEqual({ status: 200, body: { ignored: true } });
		expect(executions).toEqual([]);
	});

	it.each<[string, INodeParameters, INodeParameters]>([
		['Additional Events may bring it', { additionalEvents: '*' }, {}],
		['what the user has entered names no event', {}, { events: [] }],
	])('starts the workflow where %s', async (_case, options, changes) => {
		const executions = trigger.serve(options, undefined, changes);
		expect(await trigger.deliver({ payload: { event: 'psc.added' } })).toMatchObject({ body: '' });
		expect(executions).toHaveLength(1);
	});

	it('is left out of a list', async () => {
		const executions = trigger.serve();
		await trigger.deliver({
			payload: [{ event: 'psc.added' }, { event: 'filing.new' }],
			deliveryId: 'msg_part',
		});
		expect(outputs(executions)).toMatchObject([
			[{ event: 'filing.new', delivery_id: 'msg_part:1' }],
		]);
	});
});

/** Signs an id of its own kind. */
const SEAL = { header: 'X-Seal', content: '{id}.{body}', idHeader: 'X-Id' };

describe('a repeated delivery', () => {
	const repeated = { status: 200, body: '{"duplicate":true}' };

	it('is not one for another company', async () => {
		const executions = trigger.serve();
		const delivery = { deliveryId: randomUUID(), payload: { n: 1 } };
		for (const webhook of trigger.webhooks) await trigger.deliver(delivery, webhook);
		expect(
			outputs(executions)
				.flat()
				.map(({ company_number }) => company_number),
		).toEqual(companies);
	});

	it('is not a second event that looks alike', async () => {
		const executions = trigger.serve({ additionalEvents: '*' });
		const payload = { event: 'officer.appointed', company_number: companies[0] };
		await trigger.deliver({ scheme: 'bodyHmac', payload });
		await trigger.deliver({ scheme: 'bodyHmac', payload });
		expect(executions).toHaveLength(2);
	});

	it.each<[string, () => Partial<DeliveryRequest>]>([
		['the endpoint', () => ({ deliveryId: `ep_${randomUUID()}` })],
		['the kind of event', () => ({ deliveryId: 'filing.new' })],
		[
			'something, in a header,',
			() => ({ headers: { 'x-delivery-id': 'hook-7' }, scheme: 'bodyHmac' }),
		],
		['something, in a custom scheme,', () => ({ custom: SEAL, deliveryId: 'account-9' })],
	])(
		'is none where the signed id is that of %s: another body starts the workflow, and so does each one from then on',
		async (_what, sent) => {
			const options = { signature: { scheme: { ...SEAL } } };
			const delivery = sent();
			const executions = trigger.serve(delivery.custom ? options : {});
			for (const n of [1, 2, 3, 2, 2]) {
				const payload = { event: 'filing.new', n };
				expect(await trigger.deliver({ ...delivery, payload })).toMatchObject({ body: '' });
			}
			const ids = outputs(executions).map(([{ delivery_id }]) => delivery_id);
			expect(ids.slice(1)).toEqual([null, null, null, null]);
		},
	);

	it('is none where another company has shown that the id is of something else', async () => {
		const executions = trigger.serve();
		const deliveryId = `account-${randomUUID()}`;
		const [one, other] = trigger.webhooks;
		await trigger.deliver({ deliveryId, payload: { n: 1 } }, one);
		await trigger.deliver({ deliveryId, payload: { n: 2 } }, other);
		await trigger.deliver({ deliveryId, payload: { n: 1 } }, one);
		expect(executions).toHaveLength(3);
	});

	it('is told for as long as its signed time may be current', async () => {
		const custom = { header: 'X-Seal', content: '{timestamp}.{body}', timestampHeader: 'X-Time' };
		const executions = trigger.serve({ signature: { scheme: custom }, tolerance: 3600 });
		let now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const timestamp = nowInSeconds() + 3590;
		const again = { custom, timestamp, deliveryId: '', payload: { id: 'evt_kept' } };
		await trigger.deliver(again);
		now += 2 * 3_600_000 - 20_000;
		expect(await trigger.deliver(again)).toMatchObject(repeated);
		expect(executions).toHaveLength(1);
	});

	it('starts the workflow again where the user wants that', async () => {
		const executions = trigger.serve({ repeatedDeliveries: 'run' });
		const delivery = { deliveryId: randomUUID() };
		await trigger.deliver(delivery);
		await trigger.deliver(delivery);
		expect(executions).toHaveLength(2);
	});
});

it('takes 50 deliveries at once, out of order and for several companies, each once, by the id that is signed', async () => {
	let taken = 0;
	const executions = trigger.serve(
		{},
		async () => await new Promise((resolve) => setTimeout(resolve, (++taken * 37) % 50)),
	);
	const sent = Array.from({ length: 50 }, (_, n) => ({
		n,
		webhook: trigger.webhooks[(n * 7) % companies.length],
	}));
	const twice = [...sent, ...[...sent].reverse()];
	const answers = await Promise.all(
		twice.map(
			async ({ n, webhook }) =>
				await trigger.deliver({ deliveryId: `msg_crowd_${n}`, payload: { n } }, webhook),
		),
	);

	expect(answers.map(({ status }) => status)).toEqual(twice.map(() => 200));
	expect(answers.filter(({ body }) => body.includes('duplicate'))).toHaveLength(50);
	const received = outputs(executions)
		.flat()
		.map(({ delivery_id, company_number }) => `${delivery_id} ${company_number}`);
	expect(received.sort()).toEqual(
		sent.map(({ n, webhook }) => `msg_crowd_${n} ${webhook.company_number}`).sort(),
	);
});

describe('a delivery that is not proven', () => {
	const VALUE = 'told-nobody';
	const others = { 'x-acme-signature': VALUE, authorization: VALUE, 'x-other': VALUE };

	it.each<[string, DeliveryRequest, string?]>([
		['came without a signature of a known form', { sign: false }, 'none'],
		[
			'came without a signature of a known form',
			{ sign: false, headers: others },
			'x-acme-signature',
		],
		['came with a signature that does not match', { secret: 'whsec_AAAA' }],
		[
			'came with a signature whose time is too far from now, or cannot be read',
			{ timestamp: nowInSeconds() - 1000 },
		],
	])(
		'is answered 401, told to have %s, and logged once, with no more of its headers than names: %j',
		async (what, delivery, names = 'webhook-signature') => {
			const executions = trigger.serve();
			const { status, body, headers } = await trigger.deliver(delivery);
			expect(status).toBe(401);
			expect(headers['content-type']).toContain('application/json');
			const message = `A delivery ${what}.`;
			expect(JSON.parse(body)).toEqual({ error: 'unauthorized', message, status });
			expect(executions).toEqual([]);
			expect(log).toEqual([expect.stringContaining(`A delivery for company 00445790 ${what}. `)]);
			expect(log[0]).toContain(`It was answered 401; headers that look like a signature: ${names}`);
			expect(log[0]).not.toMatch(/told-nobody|x-other|authorization/);
		},
	);

	it('gets ten lines a minute at most, for each reason', async () => {
		let now = Math.ceil(performance.now()) + 60_000;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const refuse = async (times: number, delivery: DeliveryRequest) => {
			for (let time = 0; time < times; time++) await trigger.deliver(delivery);
		};
		const answered = () => log.filter((line) => line.includes('It was answered')).length;
		await refuse(13, { secret: 'whsec_AAAA' });
		expect(answered()).toBe(10);
		await refuse(1, { sign: false });
		expect(log.at(-1)).toContain('without a signature');
		now += 59_999;
		await refuse(1, { secret: 'whsec_AAAA' });
		expect(answered()).toBe(11);
		now += 1;
		await refuse(2, { secret: 'whsec_AAAA' });
		expect(answered()).toBe(13);
	});

	it('is held to the tolerance that the user sets', async () => {
		for (const [tolerance, status] of [
			[30, 401],
			[60, 200],
		]) {
			trigger.serve({ tolerance });
			expect(await trigger.deliver({ timestamp: nowInSeconds() - 40 })).toMatchObject({ status });
		}
	});
});

it.each([
	['is unknown', `ref=${'A'.repeat(22)}`],
	['is a list', `ref[]=${'A'.repeat(22)}`],
	['cannot be decoded', 'ref=%E0%A4%A'],
])('a delivery whose reference %s is answered 503 and logged once', async (_case, query) => {
	const executions = trigger.serve();
	const [{ url }] = trigger.webhooks;
	const delivery = { url: `${url.split('?')[0]}?${query}` };
	const { status, headers, body } = await trigger.deliver(delivery);
	expect([status, headers['retry-after']]).toEqual([503, '30']);
	const message = expect.any(String);
	expect(JSON.parse(body)).toEqual({ error: 'unavailable', message, status });
	expect(executions).toEqual([]);
	expect(log).toEqual([expect.stringContaining('answered 503')]);
});

it.each([
	['is text', 'hello'],
	['is a number', '7'],
	['is deeper than n8n can hold', '['.repeat(100_000) + ']'.repeat(100_000)],
])('a signed delivery that %s is answered 400 and logged', async (_case, rawBody) => {
	const executions = trigger.serve();
	const headers = { 'content-type': 'application/octet-stream' };
	const { status, body } = await trigger.deliver({ rawBody, headers });
	const message =
		'A delivery is genuine, but its body is not a JSON object or array of at most 1000 levels.';
	expect(status).toBe(400);
	expect(JSON.parse(body)).toEqual({ error: 'bad_request', message, status });
	expect(executions).toEqual([]);
	expect(log).toEqual([
		expect.stringMatching(/for company 00445790 is genuine, but its body is not .* answered 400/),
	]);
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
	const [{ url, secret }] = trigger.webhooks;
	const { pathname, search } = new URL(url);
	const id = randomUUID();
	const body = Buffer.from('{}');
	const signable = { secret, body, id, timestamp: nowInSeconds() };
	const client = new AbortController();
	const hungUp = fetch(trigger.harness.server.url + pathname + search, {
		method: 'POST',
		headers: { ...signDelivery('standardWebhooks', signable), 'content-type': 'application/json' },
		body,
		signal: client.signal,
	}).catch(() => 'hung up');
	while (executions.length === 0) await sleep(5);
	client.abort();
	expect(await hungUp).toBe('hung up');
	await sleep(50);
	open();
	expect(await trigger.deliver({ deliveryId: id })).toMatchObject({ status: 200, body: '' });
	expect(executions).toHaveLength(2);
});

describe('where an expression fails', () => {
	const FAILS = "={{ $('Nowhere').first().json.companies }}";
	const [company] = companies;
	const named = watching(`${company}\tAcme Ltd`, ...companies.slice(1));

	it.each<[string, INodeParameters, INodeParameters, object]>([
		['Companies', {}, { companyNumbers: FAILS }, { company_name: null, event: 'filing.new' }],
		['Trigger On', {}, { events: FAILS }, { company_name: 'Acme Ltd' }],
		['Options → Additional Events', { additionalEvents: FAILS }, {}, { company_name: 'Acme Ltd' }],
		['Options → Include Request', { includeRequest: FAILS }, {}, { company_name: 'Acme Ltd' }],
		['Options → Repeated Deliveries', { repeatedDeliveries: FAILS }, {}, { event: 'filing.new' }],
	])(
		'under %s, deliveries start the workflow all the same, which is logged once a day',
		async (field, options, changes, expected) => {
			let now = Math.ceil(performance.now()) + 2 * DAY * ++days;
			jest.spyOn(performance, 'now').mockImplementation(() => now);
			const executions = trigger.serve(options, undefined, { ...named, ...changes });
			log = captureLog(trigger.served());
			for (const passed of [0, DAY - 1, 1]) {
				now += passed;
				expect(await trigger.deliver({})).toMatchObject({ status: 200, body: '' });
			}
			expect(outputs(executions)).toMatchObject(Array(3).fill([expected]));
			const line = expect.stringContaining(`an expression under ${field} fails while a delivery`);
			expect(log).toEqual([line, line]);
			expect(log.join()).not.toContain('Nowhere');
		},
	);

	it('in place of the company that a webhook is stored as paused for, it starts nothing', async () => {
		const stored = trigger.storedWith('+00445790', '-00445790', {
			parameters: { ...named, companyNumbers: FAILS },
		});
		const executions = trigger.harness.serve(stored);
		expect(await trigger.deliver({})).toMatchObject({ status: 200 });
		expect(executions).toEqual([]);
	});

	it.each<[string, INodeParameters]>([
		['Options → Signature', { signature: { scheme: { header: FAILS } } }],
		['Options → Signature Tolerance (Seconds)', { tolerance: FAILS }],
	])(
		'under %s, deliveries are put off with 503: nothing can be verified',
		async (field, options) => {
			const executions = trigger.serve({}, undefined, { options });
			log = captureLog(trigger.served());
			const { status, headers } = await trigger.deliver({});
			expect([status, headers['retry-after']]).toEqual([503, '30']);
			expect(executions).toEqual([]);
			expect(log.join()).toContain(`an expression under ${field} fails`);
		},
	);
});

it.each<[string, INodeParameters]>([
	['has no header', { header: '' }],
	[
		'does not cover the body',
		{ header: 'X-Seal', content: '{timestamp}', timestampHeader: 'X-Time' },
	],
	['signs a time that is nowhere', { header: 'X-Seal', content: '{timestamp}.{body}' }],
])(
	'where a later publish has set a scheme that %s, deliveries are put off with 503: the fault is not theirs',
	async (_what, scheme) => {
		const executions = trigger.serve({ signature: { scheme } });
		log = captureLog(trigger.served());
		for (const delivery of [{}, { secret: 'whsec_AAAA' }, { sign: false }]) {
			const { status, headers } = await trigger.deliver(delivery);
			expect([status, headers['retry-after']]).toEqual([503, '30']);
		}
		expect(executions).toEqual([]);
		expect(log.join()).toContain('or Options → Signature cannot be used');
	},
);

describe('what the trigger knows of its webhooks', () => {
	it('is what this process remembers until n8n has saved it, for this workflow only', async () => {
		const { harness } = trigger;
		const { id: workflowId } = trigger.served().workflow;
		const parameters = watching(...companies);
		const executions = harness.serve(harness.workflow({ workflowId, parameters }));
		expect(await trigger.deliver({})).toMatchObject({ status: 200 });
		expect(executions).toHaveLength(1);

		harness.serve(harness.workflow({ parameters, workflowId: 'another' }));
		// The first of them is shown as a failed execution.
		expect(await trigger.deliver({})).toMatchObject({ status: 500 });
		expect(await trigger.deliver({})).toMatchObject({ status: 503 });
		expect(executions).toHaveLength(1);
	});

	it.each([
		['watched', '+', 1],
		['active', '~', 1],
		['unknown', '!', 0],
		['paused', '-', 0],
	])(
		'is its stored state: a webhook that is %s (%s) starts %i executions',
		async (_status, mark, count) => {
			const stored = trigger.storedWith('+00445790', `${mark}00445790`, { parameters: {} });
			const executions = trigger.harness.serve(stored);
			expect(await trigger.deliver({})).toMatchObject({ status: 200 });
			expect(executions).toHaveLength(count);
		},
	);

	it.each([
		['later', 0, 60_000],
		['earlier', 1, -60_000],
	])(
		'is what was stored %s than what this process remembers: %i executions',
		async (_when, count, ms) => {
			const { id } = trigger.served().workflow;
			const paused = `"revision":${Date.now() + ms}$1-00445790`;
			const stored = trigger.storedWith(/"revision":\d+(.*)\+00445790/, paused, {
				id,
				parameters: {},
			});
			const executions = trigger.harness.serve(stored);
			expect(await trigger.deliver({})).toMatchObject({ status: 200 });
			expect(executions).toHaveLength(count);
		},
	);
});
