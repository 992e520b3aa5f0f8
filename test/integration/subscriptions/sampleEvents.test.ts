// Execute step shows a sample event, and says at once what keeps it from coming.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { omit } from 'lodash';
import type { INodeExecutionData, INodeParameters, IWebhookFunctions } from 'n8n-workflow';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { SAMPLE } from '../../../nodes/CompanyRegistry/trigger/samples/startSample';
import { waitFor } from '../../n8n-host/waitFor';
import { failureOf } from '../../support/atService';
import type { NodeSetup, TestWorkflow } from '../../support/contexts';
import { captureLog } from '../../support/logCapture';
import { startTriggerHarness, watching, type TriggerHarness } from '../../support/triggerHarness';

jest.setTimeout(60_000);
/** A port at which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';
SAMPLE.untilListening = 50;
SAMPLE.localAddress = NOWHERE;

const WAY_OUT = /N8N_WEBHOOK_URL to .*'Options' > 'Test Event' to 'Next Real Event'/;

let harness: TriggerHarness;

beforeAll(async () => {
	harness = await startTriggerHarness();
});
afterAll(async () => {
	await harness.close();
});
beforeEach(() => {
	SAMPLE.localAddress = NOWHERE;
	harness.server.unserve();
	harness.simulator.clearRequests();
});
afterEach(() => {
	jest.restoreAllMocks();
});

/** What a sample says of the two companies that are watched unless a test changes them. */
const READ = {
	sample: true,
	rows: 2,
	companies: 2,
	repeated: 0,
	unreadable: 0,
	first: '99000001 Tessellate Stores plc',
	last: 'SC123456',
	compared_with_published: 'Not compared: this n8n process has not published this trigger',
};

/** A trigger of an n8n that is reached over plain http. */
function triggerWith(
	parameters: INodeParameters = {},
	setup: Partial<NodeSetup> = {},
): TestWorkflow {
	return harness.workflow({
		parameters: { ...watching('99000001\tTessellate Stores plc', 'SC123456'), ...parameters },
		webhookTestBaseUrl: `${harness.server.url}/webhook-test`,
		...setup,
	});
}

/** "Execute step", until n8n ends the test because an execution has begun. */
async function executeStep(workflow: TestWorkflow): Promise<INodeExecutionData[]> {
	const executions = harness.serve(workflow, { isTest: true });
	await harness.publish(workflow, { isTest: true });
	const items = await waitFor('the sample', () => executions[0], { everyMs: 10 });
	await harness.unpublish(workflow, { isTest: true });
	return items;
}

/** The same where it fails: what it says. */
async function failureOfStep(workflow: TestWorkflow): Promise<string> {
	const message = await failureOf(harness.publish(workflow, { isTest: true }));
	await harness.unpublish(workflow, { isTest: true });
	return message;
}

describe('"Execute step" with a sample event', () => {
	it('puts out an event of the first company, marked as a sample, for each event that is chosen or typed in, at each click, and the service hears of none', async () => {
		const workflow = triggerWith({
			events: ['psc.added', 'filing.new'],
			options: { additionalEvents: 'company.dissolved' },
		});
		for (let click = 0; click < 3; click++) expect(await executeStep(workflow)).toHaveLength(3);
		const items = await executeStep(workflow);
		const [first, ...others] = items.map(({ json }) => outputSchema.parse(json));
		expect(first).toEqual({
			event: 'psc.added',
			event_name: 'PSC Added',
			company_number: '99000001',
			company_name: 'Tessellate Stores plc',
			list_columns: null,
			webhook_id: 'sample',
			delivery_id: expect.stringMatching(/^[0-9a-f-]{36}:0$/),
			received_at: expect.any(String),
			payload: READ,
		});
		expect(others.map((one) => [one.event, one.event_name])).toEqual([
			['filing.new', 'New Filing'],
			['company.dissolved', null],
		]);
		expect(new Set(items.map(({ json }) => json.delivery_id)).size).toBe(3);
		expect(harness.simulator.requests).toEqual([]);
		expect(workflow.credentials.reads).toBe(0);
		expect(workflow.workflow.staticData).toEqual({ global: {} });
	});

	it('says what was read of a list, also where that cannot be read in full', async () => {
		const headings = ['Company no.\tClient\tNotes'];
		const rows = ['\tJo Bloggs\t', 'none\tRoe\t', '99000001\tTessellate\tabc', ''];
		const last = ['99718281\tEuler\t' + 'long '.repeat(1000), '2\tTotal\t'];
		const companyNumbers = [...headings, ...rows, ...rows.slice(2), ...last].join('\r\n');
		const [{ json }] = await executeStep(triggerWith({ companyNumbers }));
		expect(json).toMatchObject({
			company_number: '99000001',
			company_name: 'Tessellate',
			list_columns: { 'Company no.': '99000001', Client: 'Tessellate', Notes: 'abc' },
		});
		expect(json.payload).toEqual({
			sample: true,
			rows: 6,
			companies: 2,
			repeated: 1,
			unreadable: 3,
			first: '99000001 Tessellate',
			last: '99718281 Euler',
			compared_with_published: expect.stringMatching(/^Not compared/),
			unreadable_rows:
				'row 3 ("none", Roe), row 9 ("2" may be a total or a date, Total), row 2 (empty, Jo Bloggs)',
			columns_left_out: 'Notes',
		});
	});

	it('compares the list with what this process has published, and ends with an item of Watch Status where that is chosen', async () => {
		const events = ['filing.new', 'watch.status'];
		const companyNumbers = 'Company no\tName\n99718281\tEuler\n01234567\tOther';
		const own = { workflowId: 'published' };
		const published = triggerWith(
			{},
			{ ...own, webhookBaseUrl: 'https://n8n.example.com/webhook' },
		);
		await harness.publish(published);
		const workflow = triggerWith({ events, companyNumbers }, own);
		const [event, status, ...more] = await executeStep(workflow);
		expect(more).toEqual([]);
		const { compared_with_published: compared } = event.json.payload as Record<string, unknown>;
		expect(compared).toBe(
			'Added: 2 (99718281 Euler, 01234567 Other). No longer watched: 2 (99000001 Tessellate Stores plc, SC123456)',
		);
		expect(outputSchema.parse(status.json)).toMatchObject({
			event: 'watch.status',
			event_name: 'Watch Status',
			company_number: null,
			payload: {
				state: 'complete',
				summary: 'A sample: 2 of 2 companies are watched.',
				added: {
					count: 2,
					companies: [
						{ company_number: '99718281', company_name: 'Euler' },
						{ company_number: '01234567', company_name: 'Other' },
					],
				},
				removed: {
					count: 2,
					companies: [
						{ company_number: '99000001', company_name: 'Tessellate Stores plc' },
						{ company_number: 'SC123456', company_name: null },
					],
				},
			},
		});

		const slip = triggerWith(
			{ companyNumbers: 'Company no\tName\n9900001\tTessellate Stores plc' },
			own,
		);
		const [sample] = await executeStep(slip);
		expect(sample.json.payload).toMatchObject({
			compared_with_published: expect.stringMatching(
				/\. Another number under the same name: 1 \(99000001 Tessellate Stores plc, now 09900001\)$/,
			),
		});

		await harness.unpublish(published);
		const [{ json }] = await executeStep(workflow);
		expect(json.payload).toMatchObject({
			compared_with_published: 'Not compared: this trigger is not published now',
		});
	});

	it('comes also where a custom scheme is set, as Standard Webhooks sign', async () => {
		const scheme = { header: 'x-seal', content: '{url}{body}', algorithm: 'sha512' };
		const options = { includeRequest: true, signature: { scheme } };
		const [{ json }] = await executeStep(triggerWith({ options }));
		const { headers, body } = json.request as { headers: Record<string, string>; body: string };
		expect(headers).toMatchObject({ 'webhook-signature': expect.stringMatching(/^v1,/) });
		expect(body).toBe(JSON.stringify(READ));
	});

	it('comes by the local address where n8n does not reach itself at its public one', async () => {
		SAMPLE.localAddress = harness.server.url;
		const unreachable = triggerWith({}, { webhookTestBaseUrl: `${NOWHERE}/n8n/webhook-test` });
		const [{ json }] = await executeStep(unreachable);
		expect(json).toMatchObject({ event: 'filing.new', payload: { sample: true } });
	});

	it('comes too where n8n ends the run before only after this one has begun', async () => {
		const workflow = triggerWith();
		const executions = harness.serve(workflow, { isTest: true });
		await harness.publish(workflow, { isTest: true });
		await harness.publish(workflow, { isTest: true });
		await harness.unpublish(workflow, { isTest: true });
		await waitFor('the sample', () => executions[0], { everyMs: 10 });
		// Three times as long as the sample waits: that of the run before does not come.
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect(executions).toHaveLength(1);
	});

	it('comes as soon as an n8n that is slow to listen listens', async () => {
		const workflow = triggerWith();
		harness.serve(workflow, { isTest: true });
		await harness.publish(workflow, { isTest: true });
		harness.server.unserve();
		await new Promise((resolve) => setTimeout(resolve, 80));
		const executions = harness.serve(workflow, { isTest: true });
		await waitFor('the sample', () => executions[0], { everyMs: 10 });
		await harness.unpublish(workflow, { isTest: true });
	});

	it('starts nothing where it is sent again later, to the published workflow', async () => {
		const workflow = triggerWith();
		const received = jest.spyOn(workflow.nodeType, 'webhook');
		await executeStep(workflow);
		const [context] = received.mock.contexts.slice(-1) as IWebhookFunctions[];
		const { originalUrl, headers, rawBody } = context.getRequestObject();

		const lines = captureLog(workflow);
		const executions = harness.serve(workflow);
		const answer = await fetch(harness.server.url + originalUrl.replace('-test', ''), {
			method: 'POST',
			headers: omit(headers, ['content-length', 'host', 'connection']) as Record<string, string>,
			body: String(rawBody),
		});
		expect([answer.ok, executions]).toEqual([false, []]);
		expect(lines.join()).toContain('whose secret is not known here');
	});

	it('is given up without a word once n8n does not listen any more', async () => {
		const workflow = triggerWith();
		const lines = captureLog(workflow);
		harness.serve(workflow, { isTest: true });
		await harness.publish(workflow, { isTest: true });
		harness.server.unserve();
		// Longer than five attempts take on a slow machine.
		await new Promise((resolve) => setTimeout(resolve, 2000));
		const executions = harness.serve(workflow, { isTest: true });
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect([executions, lines]).toEqual([[], []]);
	});
});

describe('what cannot be tested', () => {
	it.each<[string, () => string, string]>([
		['nothing answers', () => NOWHERE, 'no answer came (connect ECONNREFUSED 127.0.0.1:9)'],
		[
			'the certificate is not trusted',
			() => harness.proxy.url,
			'no answer came (self-signed certificate)',
		],
		[
			'something else answers',
			() => harness.server.url,
			'an unexpected answer came back (status 404), as if the address led elsewhere',
		],
	])('says at once where n8n cannot reach itself because %s', async (_why, urlOf, reason) => {
		const webhookTestBaseUrl = `${urlOf()}/webhook-test`;
		const message = await failureOfStep(triggerWith({}, { webhookTestBaseUrl }));
		expect(message).toContain(`address ${webhookTestBaseUrl}: ${reason}.`);
		expect(message).toMatch(WAY_OUT);
		expect(harness.simulator.requests).toEqual([]);
	});

	it('says so where another n8n answers at the local address, which the sample does not reach', async () => {
		const other = createServer((_request, response) => response.end('{"ignored":true}'));
		await once(other.listen(0, '127.0.0.1'), 'listening');
		SAMPLE.localAddress = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
		const message = await failureOfStep(
			triggerWith({}, { webhookTestBaseUrl: `${NOWHERE}/webhook-test` }),
		);
		other.close();
		expect(message).toContain(
			`${NOWHERE}/webhook-test: no answer came (connect ECONNREFUSED 127.0.0.1:9).`,
		);
		expect(message).toContain(`Nor does ${SAMPLE.localAddress} lead to it.`);
		expect(message).toMatch(WAY_OUT);
	});

	it('says so of parameters that cannot be used, as in a publish', async () => {
		const workflow = triggerWith({ companyNumbers: 'Acme' });
		harness.serve(workflow, { isTest: true });
		expect(await failureOfStep(workflow)).toContain('"Acme" is not a company number');
	});
});
