// Execute step shows a sample with a preview of the list, and nothing changes at the service.
import type { INodeExecutionData, INodeParameters, IWebhookFunctions } from 'n8n-workflow';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { SAMPLE } from '../../../nodes/CompanyRegistry/trigger/samples/startSample';
import { waitFor } from '../../n8n-host/waitFor';
import { failureOf } from '../../support/atService';
import type { NodeSetup, TestWorkflow } from '../../support/contexts';
import { captureLog } from '../../support/logCapture';
import { callHook, register, watching } from '../../support/savedWorkflow';
import { startTriggerHarness, type TriggerHarness } from '../../support/triggerHarness';

jest.setTimeout(60_000);
/** A port at which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';
SAMPLE.untilListening = 50;
SAMPLE.localAddress = NOWHERE;

let harness: TriggerHarness;

beforeAll(async () => void (harness = await startTriggerHarness()));
afterAll(async () => await harness.close());
beforeEach(() => {
	SAMPLE.localAddress = harness.server.url;
	harness.server.unserve();
	harness.simulator.clearRequests();
});
afterEach(() => jest.restoreAllMocks());

/** A trigger of an n8n that does not trust the certificate of its public address. */
function triggerWith(
	parameters: INodeParameters = {},
	setup: Partial<NodeSetup> = {},
): TestWorkflow {
	const companies = ['99000001\tTessellate Stores plc', 'SC123456'];
	const webhookTestBaseUrl = `${harness.proxy.url}/webhook-test`;
	const changes = { parameters: watching(companies, parameters), webhookTestBaseUrl, ...setup };
	return harness.watch(companies, changes).load();
}

const begin = async (workflow: TestWorkflow) => await register(workflow, true);
const end = async (workflow: TestWorkflow) => void (await callHook('delete', workflow, true));

/** "Execute step", until n8n ends the test because an execution has begun. */
async function executeStep(workflow: TestWorkflow): Promise<INodeExecutionData[]> {
	const executions = harness.serve(workflow, { isTest: true });
	await begin(workflow);
	const items = await waitFor('the sample', () => executions[0], { everyMs: 10 });
	await end(workflow);
	return items;
}

/** The same where it fails: what it says. */
async function failureOfStep(workflow: TestWorkflow): Promise<string> {
	const message = await failureOf(begin(workflow));
	await end(workflow);
	return message;
}

/** The preview of the first item, line by line. */
const previewOf = ([{ json }]: INodeExecutionData[]) => json.preview as string[];

describe('a sample', () => {
	it('has an item for each event, at each click, and the service hears of none', async () => {
		const workflow = triggerWith({
			events: ['psc.added', 'filing.new'],
			options: { additionalEvents: 'company.dissolved' },
		});
		for (let click = 0; click < 2; click++) expect(await executeStep(workflow)).toHaveLength(3);
		const items = await executeStep(workflow);
		const [first, ...others] = items.map(({ json }) => outputSchema.parse(json));
		expect(first).toEqual({
			preview: ['Publishing will watch 2 companies'],
			subject: 'SAMPLE: PSC Added: Tessellate Stores plc',
			text: expect.stringMatching(
				/^SAMPLE\. Nothing was filed\.\nCompany: Tessellate Stores plc\nNumber: 99000001\nEvent: PSC Added\nReceived: [\d -]+:\d\d UTC\nRegister: \S+$/,
			),
			event: 'psc.added',
			event_name: 'PSC Added',
			company_number: '99000001',
			company_name: 'Tessellate Stores plc',
			list_email: null,
			list_columns: null,
			webhook_id: 'sample',
			delivery_id: expect.stringMatching(/^sample:\d+:0$/),
			received_at: expect.any(String),
			payload: { sample: true },
		});
		expect(Object.keys(items[0].json)).toEqual(Object.keys(outputSchema.shape));
		expect(others.map((one) => [one.subject, one.event, one.event_name])).toEqual([
			['SAMPLE: New Filing: Tessellate Stores plc', 'filing.new', 'New Filing'],
			['SAMPLE: company.dissolved: Tessellate Stores plc', 'company.dissolved', null],
		]);
		expect(others.every((one) => one.preview === undefined)).toBe(true);
		expect(new Set(items.map(({ json }) => json.delivery_id)).size).toBe(3);
		expect(harness.simulator.requests).toEqual([]);
		expect(workflow.credentials.reads).toBe(0);
		expect(workflow.workflow.staticData.__dataChanged).toBe(false);
	});

	it("has the first company's row of the list and no other, because its mail goes to a real address", async () => {
		const kite = '9000001\tKite Ltd\tKite <jd@x.uk>';
		const rows = ['Company no.\tClient\tE-mail', 'none\tRoe', kite, '99718281\tEuler'];
		const items = await executeStep(triggerWith({ companyNumbers: rows.join('\r\n') }));
		expect(items[0].json).toMatchObject({
			company_number: '09000001',
			list_email: 'jd@x.uk',
			list_columns: { 'Company no.': '9000001', Client: 'Kite Ltd' },
		});
		expect(items[0].json.text).toContain('Client: Kite Ltd');
		expect(items[0].json.text).not.toMatch(/Euler|Roe/);
		const [verdict] = previewOf(items);
		expect(verdict).toBe('Publishing will watch 2 companies; 1 row without a company number');
	});

	it('says what a publish would change, and ends with an item of Watch Report if that is chosen', async () => {
		const events = ['filing.new', 'watch.report'];
		const companyNumbers = 'Company no\tName\n99718281\tEuler\nSC123456\tOther';
		const published = harness.watch(['99000001\tTessellate Stores plc', 'SC123456']);
		await published.publish();
		const { workflowId } = published.setup;
		const changed = triggerWith({ events, companyNumbers }, { workflowId });
		const [event, status, ...more] = await executeStep(changed);
		expect(more).toEqual([]);
		const [verdict, ...lines] = previewOf([event]);
		expect(verdict).toBe('Publishing will watch 2 companies: 1 added, 1 removed');
		expect(['preview', ...Object.keys(status.json)]).toEqual(Object.keys(event.json));
		expect(outputSchema.parse(status.json)).toMatchObject({
			subject: `SAMPLE: ${verdict}`,
			text: ['SAMPLE. Nothing was filed.', ...lines].join('\n'),
			event: 'watch.report',
			payload: {
				...{ state: 'complete', wanted: 2, watched: 2 },
				...{ added: { count: 1 }, removed: { count: 1 } },
			},
		});
	});

	it("asks what the publish will ask after a change of n8n's address", async () => {
		const companies = ['99110001', '99110002'];
		const published = harness.watch(companies);
		await published.publish();
		published.setup.webhookBaseUrl = 'https://here.example.com/webhook';
		await published.start();

		const { workflowId, nodeType } = published.setup;
		const parameters = watching(companies);
		const items = await executeStep(triggerWith({}, { workflowId, parameters, nodeType }));
		const [verdict, question] = previewOf(items);
		expect(verdict).toBe('Publishing will change nothing');
		expect(question).toMatch(
			/^This trigger's webhooks deliver to .* but this n8n's address is https:\/\/here\..* 'If Address Changed'/,
		);
	});

	it('says that the first publish fails where n8n has no https address', async () => {
		const webhookTestBaseUrl = `${harness.server.url}/webhook-test`;
		const [verdict, reason] = previewOf(await executeStep(triggerWith({}, { webhookTestBaseUrl })));
		expect([verdict, reason]).toEqual([
			'The first publish will fail',
			expect.stringContaining('delivers only to https addresses'),
		]);
	});

	const setups = [{}, { node: { webhookId: undefined } }];
	it.each(setups)('arrives by the local address where the public one fails: %j', async (setup) => {
		const webhookTestBaseUrl = `${NOWHERE}/n8n/webhook-test`;
		const unreachable = triggerWith({}, { webhookTestBaseUrl, ...setup });
		const [{ json }] = await executeStep(unreachable);
		expect(json).toMatchObject({ event: 'filing.new', payload: { sample: true } });
	});

	it('arrives where n8n ends an earlier test only after this one has begun', async () => {
		const workflow = triggerWith();
		const executions = harness.serve(workflow, { isTest: true });
		await begin(workflow);
		await begin(workflow);
		await end(workflow);
		await waitFor('the sample', () => executions[0], { everyMs: 10 });
		// Three times as long as a sample waits: the earlier one does not arrive.
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect(executions).toHaveLength(1);
	});

	it('starts nothing where its request comes again later, or has another reference', async () => {
		const workflow = triggerWith();
		captureLog(workflow);
		const received = jest.spyOn(workflow.nodeType, 'webhook');
		await executeStep(workflow);
		const [context] = received.mock.contexts.slice(-1) as IWebhookFunctions[];
		const { originalUrl } = context.getRequestObject();
		const post = async (path: string, isTest: boolean) => {
			const executions = harness.serve(workflow, { isTest });
			const { ok } = await fetch(harness.server.url + path, { method: 'POST' });
			return [ok, executions.flat().filter(({ json }) => json.event)];
		};
		expect(await post(originalUrl.replace('-test', ''), false)).toEqual([false, []]);
		const other = originalUrl.slice(0, -22) + 'A'.repeat(22);
		expect(await post(other, true)).toEqual([false, []]);
	});
});

describe('the test fails at once', () => {
	it.each<[string, string, () => string]>([
		['nothing answers', 'no answer (ECONNREFUSED)', () => NOWHERE],
		['no trust', 'no answer (DEPTH_ZERO_SELF_SIGNED_CERT)', () => harness.proxy.url],
		['something else', 'another server answered (status 404)', () => harness.server.url],
	])('where n8n cannot reach itself: %s, %s', async (_why, reason, urlOf) => {
		SAMPLE.localAddress = NOWHERE;
		const webhookTestBaseUrl = `${urlOf()}/webhook-test`;
		const message = await failureOfStep(triggerWith({}, { webhookTestBaseUrl }));
		expect(message).toContain(`n8n cannot reach itself at ${webhookTestBaseUrl}: ${reason}.`);
		expect(message).toContain(`It also tried ${NOWHERE}.`);
		expect(harness.simulator.requests).toEqual([]);
	});

	const unsound = { options: { signature: { scheme: { header: '' } } } };

	it.each<[string, INodeParameters, string]>([
		['no company', { companyNumbers: 'Acme' }, 'No column has company numbers'],
		['no event', { events: [] }, 'No event is chosen'],
		['an unsound custom scheme', unsound, 'The custom signature scheme cannot be used'],
	])('where there is %s', async (_what, parameters, message) => {
		const workflow = triggerWith(parameters);
		harness.serve(workflow, { isTest: true });
		expect(await failureOfStep(workflow)).toContain(message);
	});
});
