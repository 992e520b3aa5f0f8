// The way of a genuine delivery: the items that it starts, repeats, and what the trigger knows of its webhooks.
import { randomUUID } from 'node:crypto';

import { map } from 'lodash';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { memoryOf } from '../../../nodes/CompanyRegistry/trigger/lifecycle/memory';
import type { TestWorkflow } from '../../support/contexts';
import { captureLog } from '../../support/logCapture';
import { watching } from '../../support/savedWorkflow';
import {
	NO_TRACES,
	startPublishedTrigger,
	type PublishedTrigger,
} from '../../support/triggerHarness';

// A busy machine takes its time over megabytes and crowds.
jest.setTimeout(30_000);

const companies = ['00445790', 'SC123456', '01234567'];
const [company, ...others] = companies;
let trigger: PublishedTrigger;
let log: string[];

beforeAll(
	async () => void (trigger = await startPublishedTrigger(`${company}\tAcme Ltd`, ...others)),
);
afterAll(async () => await trigger?.close());
beforeEach(async () => {
	trigger.serve();
	// A single refused delivery is then not reported.
	await trigger.deliver({});
	log = captureLog(trigger.served());
});
afterEach(() => {
	jest.restoreAllMocks();
	expect(trigger.traces()).toEqual(NO_TRACES);
	for (const { secret } of trigger.webhooks) expect(log.join('\n')).not.toContain(secret);
});

/** The stored line of the first company's webhook, behind its reference. */
const LINE = / {2}(?<line>00445790 [^ "\\]+ [^ "\\]+)/;
const LINE_OF = (said: string) => ` ${said === 'active' ? '' : said} $<line>`;
const LIST = /"list":\{[^}]*\}/;
/** The stored list in force, with these rows. */
const listOf = (...rows: string[]) => {
	const text = ['Company number\tClient', ...rows].join('\n');
	return `"list":${JSON.stringify({ digest: randomUUID(), blocks: [text] })}`;
};
const OTHERS = listOf(...others.map((one) => `${one}\tOther`));

const HOUR = 3_600_000;

const outputs = (executions: INodeExecutionData[][]) =>
	executions.map((items) => items.map(({ json }) => json));

it('an accepted delivery becomes one item with the documented fields, subject and text first', async () => {
	const executions = trigger.serve();
	const payload = { event: 'filing.new', nested: { list: [1, null, 'é'] }, '': 0 };
	const { status, body } = await trigger.deliver({ payload, deliveryId: 'msg_fields' });

	expect({ status, body }).toEqual({ status: 200, body: '' });
	const [[output]] = outputs(executions);
	expect(output).toEqual({
		subject: 'New Filing: Acme Ltd',
		text: expect.stringMatching(/^Company: Acme Ltd\nNumber: 00445790\n[^]*\nEvent: filing.new\n/),
		event: 'filing.new',
		event_name: 'New Filing',
		company_number: companies[0],
		company_name: 'Acme Ltd',
		list_email: null,
		list_columns: null,
		webhook_id: trigger.webhooks[0].id,
		delivery_id: expect.stringMatching(/^msg_fields:[\w-]{11}$/),
		received_at: expect.any(String),
		payload,
	});
	expect(outputSchema.parse(output)).toEqual(output);
	expect(['preview', ...Object.keys(output)]).toEqual(Object.keys(outputSchema.shape));
	const receivedAt = Date.parse(String(output.received_at));
	expect(Date.now() - receivedAt).toBeLessThan(30_000);
	// A report that checks fail says when the last event came.
	const { workflow, node } = trigger.served();
	expect(memoryOf({ workflow: workflow.id, node: node.id }).lastEventAt).toBe(receivedAt);
});

const OTHER = { event: 'psc.added' };

it.each<[string, INodeParameters, INodeParameters, object, string[]]>([
	['starts nothing', {}, {}, OTHER, []],
	['is left out of a list', {}, {}, [OTHER, { event: 'filing.new' }], ['filing.new']],
	['starts the workflow with a wildcard', { additionalEvents: '*' }, {}, OTHER, ['psc.added']],
	['starts the workflow where no event is named', {}, { events: [] }, OTHER, ['psc.added']],
])('an event that was not chosen %s', async (_what, options, changes, payload, started) => {
	const executions = trigger.serve(options, changes);
	const { status, body } = await trigger.deliver({ payload });
	expect([status, body]).toEqual([200, started.length > 0 ? '' : '{"ignored":true}']);
	expect(map(outputs(executions).flat(), 'event')).toEqual(started);
});

describe('a repeated delivery', () => {
	const repeated = { status: 200, body: '{"duplicate":true}' };

	it('is ignored for one company and starts the workflow for another', async () => {
		const executions = trigger.serve();
		const delivery = { deliveryId: randomUUID(), payload: { n: 1 } };
		for (const webhook of trigger.webhooks) await trigger.deliver(delivery, webhook);
		for (const webhook of trigger.webhooks)
			expect(await trigger.deliver(delivery, webhook)).toMatchObject(repeated);
		expect(map(outputs(executions).flat(), 'company_number')).toEqual(companies);
	});

	it('is known for as long as its signed time counts', async () => {
		const custom = { header: 'X-Seal', content: '{timestamp}.{body}', timestampHeader: 'X-Time' };
		const signature = { scheme: custom, tolerance: { seconds: 3600 } };
		const executions = trigger.serve({ signature });
		let now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const timestamp = Math.floor(now / 1000) + 3590;
		const again = { custom, timestamp, deliveryId: '', payload: { id: 'evt_kept' } };
		await trigger.deliver(again);
		now += 2 * HOUR - 20_000;
		expect(await trigger.deliver(again)).toMatchObject(repeated);
		expect(executions).toHaveLength(1);
	});
});

it('accepts a delivery that n8n could not take, when it comes again', async () => {
	let attempts = 0;
	const executions = trigger.serve({}, {}, () => {
		if (++attempts < 3) throw new Error('The queue is down');
	});
	const { status, attempts: sent } = await trigger.deliver({ retries: 5, maxRetryWaitMs: 10 });
	expect({ status, sent }).toEqual({ status: 200, sent: 3 });
	expect(executions).toHaveLength(3);
});

describe('where an expression fails', () => {
	const FAILS = "={{ $('Nowhere').first().json.companies }}";
	const SEALED = { scheme: { header: 'x-seal' } };

	// The failing field may be what chooses another event than the usual one.
	it.each<[string, INodeParameters, INodeParameters, string]>([
		['Companies', {}, { companyNumbers: FAILS }, 'filing.new'],
		['Trigger On', {}, { events: FAILS }, 'psc.added'],
		['Options', { additionalEvents: FAILS }, {}, 'psc.added'],
		['Options', { checkEvery: FAILS, signature: SEALED }, {}, 'psc.added'],
	])('under %s, a delivery starts the workflow', async (_field, options, changes, event) => {
		const executions = trigger.serve(options, changes);
		const payload = { event };
		const delivery = { payload, ...(options.signature && { custom: { header: 'x-seal' } }) };
		expect(await trigger.deliver(delivery)).toMatchObject({ status: 200, body: '' });
		expect(outputs(executions)).toMatchObject([[{ company_name: 'Acme Ltd', event }]]);
	});
});

it.each<[string, INodeParameters]>([
	['has a failing expression', { scheme: { header: '={{ $("Nowhere") }}' } }],
	['has a failing tolerance', { tolerance: { seconds: '={{ $("Nowhere") }}' } }],
	['does not cover the body', { scheme: { header: 'X-Seal', content: '{url}' } }],
])('answers 503 where the option Signature %s: it is our fault', async (_what, signature) => {
	trigger.serve({ signature });
	for (const delivery of [{}, { secret: 'whsec_AAAA' }, { sign: false }]) {
		const { status, headers } = await trigger.deliver(delivery);
		expect([status, headers['retry-after']]).toEqual([503, '30']);
	}
});

describe('the trigger finds a webhook', () => {
	/** What a delivery starts where this workflow is served. */
	async function startedBy(workflow: TestWorkflow) {
		const executions = trigger.harness.serve(workflow);
		expect(await trigger.deliver({})).toMatchObject({ status: 200 });
		return outputs(executions).flat();
	}

	it('in the memory of this process until n8n has saved it, for this workflow only', async () => {
		const { harness } = trigger;
		const { id: workflowId } = trigger.served().workflow;
		expect(await startedBy(harness.watch(companies, { workflowId }).load())).toHaveLength(1);

		const executions = harness.serve(harness.watch(companies).load());
		const { status, headers, body } = await trigger.deliver({});
		expect([status, headers['retry-after']]).toEqual([503, '30']);
		expect(JSON.parse(body)).toMatchObject({ error: 'unavailable', status });
		// It is reported.
		expect(outputs(executions)).toEqual([[{ company_registry_failure: expect.any(Object) }]]);
	});

	it.each<[string, string | RegExp, string, string[]]>([
		['active', LINE, LINE_OF('active'), [company]],
		// Another process is changing it.
		['unsure', LINE, LINE_OF('unsure'), [company]],
		['not in the list in force', LIST, OTHERS, []],
	])('in its stored state: %s', async (_said, text, changed, started) => {
		const items = await startedBy(trigger.storedWith(text, changed));
		expect(map(items, 'company_number')).toEqual(started);
	});

	it('with the row of a company that waits, which only the list in force has', async () => {
		const parameters = watching(others);
		const stored = trigger.storedWith(LIST, listOf(`${company}\tAcme Ltd`), { parameters });
		expect(await startedBy(stored)).toMatchObject([
			{ company_name: 'Acme Ltd', list_columns: { Client: 'Acme Ltd' } },
		]);
	});

	it.each([
		['later', 0, 60_000],
		['earlier', 1, -60_000],
	])('in a state stored %s than its memory changed: %i executions', async (_when, count, ms) => {
		const { id } = trigger.served().workflow;
		const revision = RegExp(`"revision":\\d+(.*?)${LIST.source}`);
		const left = `"revision":${Date.now() + ms}$1${OTHERS}`;
		const stored = trigger.storedWith(revision, left, { id, parameters: {} });
		expect(await startedBy(stored)).toHaveLength(count);
	});
});
