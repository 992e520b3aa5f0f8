// What a genuine delivery starts, and what the trigger knows of its webhooks by then.
import { randomUUID } from 'node:crypto';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import {
	toLine,
	writeState,
	type Status,
} from '../../../nodes/CompanyRegistry/trigger/memory/state';
import { captureLog } from '../../support/logCapture';
import { triggerOutputSchema } from '../../support/outputSchemas';
import { startPublishedTrigger, type PublishedTrigger } from '../../support/publishedTrigger';
import { watching } from '../../support/triggerHarness';

// A busy machine takes its time over megabytes and crowds.
jest.setTimeout(30_000);

const companies = ['00445790', 'SC123456', '01234567'];
let trigger: PublishedTrigger;

beforeAll(async () => {
	trigger = await startPublishedTrigger(...companies);
});
afterAll(async () => await trigger.close());
// Whatever is delivered: nothing is written, asked for or read from a credential.
afterEach(() => {
	jest.restoreAllMocks();
	const { workflow, credentials } = trigger.served();
	expect(workflow.staticData.__dataChanged).toBe(false);
	expect(credentials.reads).toBe(0);
	expect(trigger.harness.simulator.requests).toEqual([]);
});

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
			webhook_id: trigger.webhooks[0].id,
			delivery_id: 'msg_fields',
			received_at: expect.any(String),
			payload,
		});
		// As n8n is told before the first run.
		expect(triggerOutputSchema.parse(output)).toEqual(output);
		expect(Object.keys(output)).toEqual(Object.keys(triggerOutputSchema.shape));
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

	it('may hold 100,000 events: the last of 10,001 items has those that have none, and the log says so', async () => {
		const executions = trigger.serve();
		const log = captureLog(trigger.served());
		const payload = Array.from({ length: 100_000 }, (_, n) => ({ n }));
		expect(await trigger.deliver({ payload })).toMatchObject({ status: 200 });
		const [items] = outputs(executions);
		expect(items).toHaveLength(10_001);
		expect(items[10_000]).toMatchObject({ event: null, payload: payload.slice(10_000) });
		expect(log).toEqual([
			expect.stringMatching(
				/company 00445790 held 100000 events.*first 10000 .*last item has the other 90000/,
			),
		]);
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

describe('a repeated delivery', () => {
	const repeated = { status: 200, body: '{"duplicate":true}' };

	it('is told by the id that the signature covers', async () => {
		const executions = trigger.serve();
		const deliveryId = randomUUID();
		await trigger.deliver({ deliveryId, payload: { attempt: 1 } });
		expect(await trigger.deliver({ deliveryId, payload: { attempt: 2 } })).toMatchObject(repeated);
		expect(executions).toHaveLength(1);
	});

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

	it('is not another one of a custom scheme that signs the same id each time', async () => {
		const account = randomUUID();
		const custom = { header: 'X-Seal', content: '{id}.{body}', idHeader: 'X-Account' };
		const executions = trigger.serve({ signature: { scheme: custom } });
		const deliver = async (n: number) =>
			await trigger.deliver({ custom, deliveryId: account, payload: { n } });
		await deliver(1);
		await deliver(2);
		expect(await deliver(2)).toMatchObject(repeated);
		const ids = outputs(executions).map(([{ delivery_id }]) => delivery_id);
		expect(ids).toEqual(Array(2).fill(expect.stringMatching(`^${account}:[0-9a-f]{16}$`)));
		expect(ids[0]).not.toBe(ids[1]);
	});

	it('is not a second event that looks alike', async () => {
		const executions = trigger.serve({ additionalEvents: '*' });
		const payload = { event: 'officer.appointed', company_number: companies[0] };
		await trigger.deliver({ scheme: 'bodyHmac', payload });
		await trigger.deliver({ scheme: 'bodyHmac', payload });
		expect(executions).toHaveLength(2);
	});

	it('is told for as long as its signed time may be current', async () => {
		const custom = { header: 'X-Seal', content: '{timestamp}.{body}', timestampHeader: 'X-Time' };
		const executions = trigger.serve({ signature: { scheme: custom }, tolerance: 3600 });
		let now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		const timestamp = Math.floor(now / 1000) + 3590;
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

it('takes 50 deliveries at once, out of order and for several companies, each once', async () => {
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

	/** Serves a workflow from a state as n8n stored it: one that this process knows nothing of, if no other is named. */
	function serveStored({
		status = 'watched' as Status,
		workflowId = randomUUID() as string,
		writtenAt = Date.now(),
	}) {
		const { harness, webhooks } = trigger;
		const [{ id, secret, url, company_number: company }] = webhooks;
		const reference = new URL(url).searchParams.get('ref') ?? '';
		const global = {};
		writeState(
			global,
			{ workflow: workflowId, node: 'node-1', kind: 'production' },
			{
				writtenAt,
				phase: { name: 'published' },
				key: '',
				url: 'https://n8n.example.com',
				events: ['filing.new'],
				groups: [
					{
						account: 'a',
						address: 'https://n8n.example.com',
						lines: toLine({ reference, company, id, secret, status }),
					},
				],
			},
		);
		return harness.serve(harness.workflow({ workflowId, staticData: { global } }));
	}

	it.each([
		['watched', 1],
		['active', 1],
		['unknown', 0],
		['paused', 0],
	] as const)(
		'is its stored state: a webhook that is %s starts %i executions',
		async (status, count) => {
			const executions = serveStored({ status });
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
			const { id: workflowId } = trigger.served().workflow;
			const writtenAt = Date.now() + ms;
			const executions = serveStored({ workflowId, status: 'paused', writtenAt });
			expect(await trigger.deliver({})).toMatchObject({ status: 200 });
			expect(executions).toHaveLength(count);
		},
	);
});
