// A published trigger in an n8n that cannot reach its own public address: no person has to publish again after n8n was
// stopped, or after something was changed at the service. That n8n has the protection against SSRF that n8n 3 has: see
// docs/self-hosting.md.
// Takes long because the trigger's next check does.
import { setTimeout as sleep } from 'node:timers/promises';

import { countBy } from 'lodash';

import { Cleanups } from '../../n8n-host/cleanups';
import { withTimes } from '../../n8n-host/environment';
import { newNode, searchAlone } from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { N8nClient } from '../../n8n-host/n8nClient';
import type { N8nHost } from '../../n8n-host/n8nProcess';
import type { WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { behindProxy } from '../../n8n-host/publicAddress';
import { waitFor } from '../../n8n-host/waitFor';
import { startSimulator, type Simulator } from '../../simulator';
import { serviceOf } from '../../support/atService';
import { useSurroundings } from '../surroundings';
import {
	TRIGGER,
	companyNumbers,
	failures,
	newTriggerId,
	waitUntilPaused,
	waitUntilStored,
	watcher,
	webhooksOf,
} from './watchers';

/** What an error workflow gets of a failed execution. */
type ExecutionFailure = Record<'message' | 'description', string>;

/** Requests a second. */
const RATE = 6;
const COMPANIES = 100;
/** The trigger stores more often here. */
const TIMES = { store: 2_000 };

/** Deliveries come from outside, and nothing answers there from inside. */
const PUBLIC = 'https://n8n.unreachable.invalid';
/** The simulator is at a local address. */
const SSRF = { N8N_SSRF_PROTECTION_ENABLED: 'true', N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32' };

const surroundings = useSurroundings({
	env: { ...behindProxy(PUBLIC), ...SSRF, ...withTimes(TIMES), N8N_LOG_LEVEL: 'debug' },
});
const cleanups = new Cleanups();
let simulator: Simulator;
let host: N8nHost;
let client: N8nClient;

beforeAll(() => void ({ simulator, host, client } = surroundings));
afterAll(async () => await cleanups.run());

const published = async (
	companies: string[],
	parameters = {},
	{ url = simulator.url, apiKey = simulator.apiKey, triggerId = newTriggerId() } = {},
) => {
	const credential = await client.createRegistryCredential({ url, apiKey });
	const file = watcher(credential, companies, parameters, triggerId);
	return { ...(await client.createPublished(file)), credential };
};
const activeOf = (workflow: WorkflowRecord) =>
	webhooksOf(simulator, workflow).filter(({ is_active }) => is_active);

const startedByErrors: WorkflowFile = {
	name: 'Started by errors',
	nodes: [newNode('n8n-nodes-base.errorTrigger', 'Error Trigger')],
	connections: {},
};

/** The latest webhook of each company delivers into the workflow. */
async function expectDeliveries(workflow: WorkflowRecord, companies: string[]): Promise<void> {
	const statuses = await Promise.all(
		companies.map(async (company) => {
			const one = activeOf(workflow)
				.filter(({ company_number, url }) => company_number === company && url.startsWith(PUBLIC))
				.at(-1);
			const url = String(one?.url).replace(PUBLIC, host.url);
			return (await simulator.deliver(String(one?.id), { url })).status;
		}),
	);
	expect(countBy(statuses)).toEqual({ 200: companies.length });
}

const reported = async ({ id }: WorkflowRecord) => await failures(client, id);
const firstReport = async (workflow: WorkflowRecord, options = {}) =>
	await waitFor('a report', async () => (await reported(workflow)).at(-1), options);

// deliveries.test.ts and queue.test.ts kill it.
test('stopped in the middle of a publish, it goes on at the next start', async () => {
	const companies = companyNumbers(COMPANIES, 52_000_000);
	simulator.rateLimit({ requests: RATE, perMs: 1000 });
	const workflow = await published(companies);
	await waitFor('most', () => activeOf(workflow).length >= 0.6 * COMPANIES);
	await host.stop();
	simulator.rateLimit(null);
	await host.restart();
	await waitUntilStored({ client, simulator }, workflow, companies);
	// An orderly end loses no secret.
	expect(activeOf(workflow)).toHaveLength(COMPANIES);
	await expectDeliveries(workflow, companies.slice(0, 20));
	await expectDeliveries(workflow, companies.slice(-20));
	expect(await reported(workflow)).toEqual([]);
	await client.waitUntilUnpublished(workflow.id);
	await waitUntilPaused(simulator);
});

test('what was paused, changed or removed at the service is repaired at the next check, with the key that the credential has by then, and reported once, also to an error workflow that was chosen after the publish; a check that finds nothing leaves no trace', async () => {
	const companies = companyNumbers(5, 53_000_000);
	const [paused, changed, removed] = companies;
	const options = { checkEvery: 'tenMinutes' };
	const soon = () => newTriggerId('tenMinutes', [50, 125]);
	const other = await startSimulator();
	cleanups.add('stop the other simulator', async () => await other.close());
	const inOther = { url: other.url, apiKey: other.apiKey, triggerId: soon() };
	const healthy = await published(companyNumbers(3, 54_000_000), { options }, inOther);
	const apiKey = simulator.addApiKey();
	const workflow = await published(companies, { options }, { apiKey, triggerId: soon() });
	const errorWorkflow = await client.createPublished(startedByErrors);
	const settings = { ...workflow.settings, errorWorkflow: errorWorkflow.id };
	await client.updateWorkflow(workflow.id, { settings });
	const data = { baseUrl: simulator.url, apiKey: simulator.addApiKey() };
	const { id, ...credential } = workflow.credential;
	await client.request('PATCH', `/credentials/${id}`, { ...credential, data });
	simulator.revokeApiKey(apiKey);
	// In one step, so that no check comes in between.
	const service = serviceOf(simulator);
	service.drift({ is_active: false }, [paused]);
	service.drift({ events: ['psc.added'] }, [changed]);
	service.drift('remove', [removed]);
	other.clearRequests();

	const report = await firstReport(workflow, { timeoutMs: 300_000 });
	const active = activeOf(workflow);
	expect(active.map(({ company_number }) => company_number).sort()).toEqual(companies);
	for (const { events } of active) expect(events).toEqual(['filing.new']);
	await expectDeliveries(workflow, companies);
	expect(report).toMatch(/^Events may be missing for 3 companies between \d\d:\d\d and \d\d:\d\d /);
	for (const company of [paused, changed, removed]) expect(report).toContain(company);
	const started = await client.waitForNextExecution(errorWorkflow.id);
	const [{ json }] = outputOf(started, 'Error Trigger');
	const { message, description } = (json as { execution: { error: ExecutionFailure } }).execution
		.error;
	expect(`${message} (${description})`).toBe(report);
	await waitFor('the other check', () => other.requests.length > 0, { timeoutMs: 300_000 });
	// So long a check that stores something would take to do so.
	await sleep(5_000);
	expect(other.requests.map(({ method }) => method)).toEqual(['GET']);
	// The first check after a publish stores once more, in an execution in which no node has run.
	const [stored, ...more] = await client.executions(healthy.id);
	expect([stored.status, more]).toEqual(['success', []]);
	expect(outputOf(await client.waitForExecution(stored.id), TRIGGER)).toEqual([]);
	expect(await reported(workflow)).toEqual([report]);
});

test('a request from outside shows whether the trigger is published', async () => {
	const workflow = await published(['00445790']);
	const [webhook] = activeOf(workflow);
	const url = webhook.url.replace(PUBLIC, host.url).replace(/\?.*/, '');
	const unsigned = { url, sign: false, rawBody: '', ignoreActive: true };
	const ask = async () => (await simulator.deliver(webhook.id, unsigned)).status;
	const before = await client.executions(workflow.id);
	expect(await ask()).toBe(503);
	expect(await client.executions(workflow.id)).toEqual(before);
	await client.waitUntilUnpublished(workflow.id);
	expect(await ask()).toBe(404);
});

test('a service at an address that n8n refuses is named as the reason', async () => {
	const service = { url: 'https://127.0.0.2', apiKey: 'key' };
	const elsewhere = await client.createRegistryCredential(service);
	const { id } = await client.createWorkflow(searchAlone(elsewhere));
	expect(errorOf(await client.runToEnd(id, 'Start'))).toMatch(/SSRF|blocked/i);
});

test("n8n's log at level debug names no secret and no API key", () => {
	const log = host.logs();
	expect(log).toContain('Answer: 503');
	for (const { secret } of simulator.webhooks())
		expect(log).not.toContain(secret.replace('whsec_', ''));
	expect(log).not.toContain(simulator.apiKey);
});
