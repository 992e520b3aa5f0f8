// A published trigger in an n8n that cannot reach its own public address: nobody publishes by hand after it was
// killed or stopped in the middle, or after something was changed at the service.
// Takes long because the service lets few requests through, and n8n starts several times.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { countBy } from 'lodash';

import { TIMES } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import { Cleanups } from '../../n8n-host/cleanups';
import { withParameters } from '../../n8n-host/exampleWorkflows';
import { packedTarball, testedInstallation } from '../../n8n-host/installation';
import { N8nClient } from '../../n8n-host/n8nClient';
import { startN8n, type N8nHost } from '../../n8n-host/n8nProcess';
import type { WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { preparedUserFolder } from '../../n8n-host/preparedFolder';
import { behindProxy } from '../../n8n-host/publicAddress';
import { withLazyEngine } from '../../n8n-host/environment';
import { errorOf, outputOf } from '../../n8n-host/execution';
import { waitFor } from '../../n8n-host/waitFor';
import { startSimulator, type Simulator } from '../../simulator';
import { refuse } from '../../support/atService';
import { E2E_TIMEOUT_MS } from '../surroundings';
import {
	AT_STAKE,
	TRIGGER,
	companyNumbers,
	waitUntilStored,
	watcher,
	webhooksOf,
} from './watchers';

// The clock comes round once in ten minutes.
jest.setTimeout(3 * E2E_TIMEOUT_MS);

/** The clock is looked at once a minute, and may be late. */
const A_ROUND = { timeoutMs: 13 * 60_000 };

const STOPPED = /n8n was stopped while it set these companies up/;

/** Deliveries come from outside, and nothing answers there from inside. */
const PUBLIC = 'https://n8n.unreachable.invalid';

const cleanups = new Cleanups();
let simulator: Simulator;
let host: N8nHost;
let client: N8nClient;

beforeAll(async () => {
	simulator = await startSimulator();
	cleanups.add('stop the stand-in', async () => await simulator.close());
	const userFolder = await preparedUserFolder(testedInstallation, packedTarball());
	cleanups.add("remove n8n's folder", async () => await rm(userFolder, { recursive: true }));
	const ssrf = { N8N_SSRF_PROTECTION_ENABLED: 'true', N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32' };
	const env = { ...withLazyEngine, ...behindProxy(PUBLIC), ...ssrf };
	host = await startN8n({ userFolder, tarball: null, env, isHeadless: true });
	cleanups.add('stop n8n', async () => await host.stop());
	client = new N8nClient(host);
	await client.login();
});
afterAll(async () => await cleanups.run());

const published = async (
	companies: string[],
	parameters = {},
	{ apiKey }: { apiKey: string } = simulator,
) => {
	const credential = await client.createRegistryCredential({ url: simulator.url, apiKey });
	const workflow = await client.createWorkflow(watcher(credential, companies, parameters));
	await client.waitUntilPublished(workflow.id);
	return { ...workflow, credential };
};
const activeOf = (workflow: WorkflowRecord) =>
	webhooksOf(simulator, workflow).filter(({ is_active }) => is_active);

const startedByErrors: WorkflowFile = {
	name: 'Tells of errors',
	nodes: [
		{
			id: randomUUID(),
			name: 'Error Trigger',
			type: 'n8n-nodes-base.errorTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
	],
	connections: {},
	settings: { executionOrder: 'v1' },
};

/** Each company's latest webhook delivers into the workflow. */
async function expectDeliveries(workflow: WorkflowRecord, companies: string[]): Promise<void> {
	const statuses = await Promise.all(
		companies.map(async (company) => {
			const one = activeOf(workflow)
				.filter(({ company_number }) => company_number === company)
				.at(-1);
			const url = String(one?.url).replace(PUBLIC, host.url);
			return (await simulator.deliver(String(one?.id), { url })).status;
		}),
	);
	expect(countBy(statuses)).toEqual({ 200: companies.length });
}

const toldOf = async (workflow: WorkflowRecord) => {
	const failed = (await client.executions(workflow.id)).filter(({ status }) => status === 'error');
	return await Promise.all(
		failed.map(async ({ id }) => errorOf(await client.waitForExecution(id))),
	);
};

test.each([
	['killed', async () => await host.kill()],
	// Once: an n8n that is stopped while it starts tells the trigger nothing, as one that is killed.
	['stopped', async () => await host.stop()],
])('%s in the middle of a publish, it goes on at the next start', async (how, end) => {
	const companies = companyNumbers(300, how === 'killed' ? 51_000_000 : 52_000_000);
	simulator.rateLimit({ requests: 3, perMs: 1000, retryAfter: 'seconds' });
	const workflow = await published(companies);
	await waitFor('two thirds', () => activeOf(workflow).length >= 200, { timeoutMs: 300_000 });
	await end();
	simulator.rateLimit(null);
	await host.restart();
	await waitUntilStored({ client, simulator }, workflow, companies);
	// A kill costs what was made since the last store, and says so; an orderly end nothing.
	const lost = activeOf(workflow).length - 300;
	expect(lost).toBeLessThanOrEqual(how === 'stopped' ? 0 : AT_STAKE);
	const isTold = async () => (await toldOf(workflow)).some((text) => STOPPED.test(String(text)));
	if (lost > 0) await waitFor('it to be told', isTold);
	await client.login();
	await expectDeliveries(workflow, companies.slice(0, 20));
	await expectDeliveries(workflow, companies.slice(-20));
	if (lost === 0) expect(await toldOf(workflow)).toEqual([]);
	await client.waitUntilUnpublished(workflow.id);
	// Nobody can pause what was lost. The next test counts requests.
	await waitFor('the others to be paused', () => activeOf(workflow).length === lost);
});

test('what a later publish cannot do is told in a failed execution, and all of before stays watched', async () => {
	const companies = companyNumbers(12, 55_000_000);
	const workflow = await published(companies.slice(0, 10));
	refuse(simulator, [companies[10]], 422, 'Struck off the register');
	const parameters = { companyNumbers: companies.join('\n') };
	await client.updateWorkflow(workflow.id, withParameters(workflow, TRIGGER, parameters));
	await client.waitUntilPublished(workflow.id);
	const [told] = await waitFor('it to be told', async () => {
		const all = await toldOf(workflow);
		return all.length > 0 && all;
	});
	expect(told).toMatch(/^11 of 12 companies are watched\. .*Struck off the register.*55000010/);
	simulator.clearFaults();
	await expectDeliveries(workflow, [...companies.slice(0, 10), companies[11]]);

	// A copy of n8n begins under another address: it writes nothing, and says once what to choose.
	await host.stop();
	simulator.clearRequests();
	await host.restart({
		N8N_WEBHOOK_URL: 'https://copy.invalid/',
		WEBHOOK_URL: 'https://copy.invalid/',
	});
	const isQuestion = (text = '') => text.includes('Address Changed') && text.includes(PUBLIC);
	await waitFor('the question', async () => (await toldOf(workflow)).some(isQuestion));
	expect(simulator.requests).toEqual([]);
	await host.restart(behindProxy(PUBLIC));
	await client.waitUntilUnpublished(workflow.id);
	await waitFor('all to be paused', () => activeOf(workflow).length === 0);
});

test("what was paused, changed or removed at the service is mended at the clock's next check, with the key that is in the credential by then, and told once, also to the error workflow that was chosen after the publish; a check that finds nothing leaves no trace", async () => {
	const companies = companyNumbers(5, 53_000_000);
	const [paused, changed, removed] = companies;
	const options = { checkWebhooks: 'tenMinutes' };
	const events = ['filing.new', 'watch.status'];
	const right = await published(companyNumbers(3, 54_000_000), { options });
	const apiKey = simulator.addApiKey();
	const workflow = await published(companies, { options, events }, { apiKey });
	await waitFor('its status', async () => (await client.executions(workflow.id)).length > 0);
	const errorWorkflow = await client.createWorkflow(startedByErrors);
	await client.waitUntilPublished(errorWorkflow.id);
	const settings = { ...workflow.settings, errorWorkflow: errorWorkflow.id };
	await client.updateWorkflow(workflow.id, { settings });
	// What differs within a minute of our own write counts as the list's lag.
	await sleep(TIMES.listLag + 1_000);
	const data = { baseUrl: simulator.url, apiKey: simulator.addApiKey() };
	const { id, ...credential } = workflow.credential;
	await client.session.request('PATCH', `/credentials/${id}`, { ...credential, data });
	simulator.revokeApiKey(apiKey);
	// At once: a check in between would tell of some of it.
	const [one, another, third] = [paused, changed, removed].map(
		(company) => activeOf(workflow).find(({ company_number }) => company_number === company)!,
	);
	simulator.restoreWebhook({ ...one, is_active: false });
	simulator.restoreWebhook({ ...another, events: ['psc.added'] });
	simulator.forgetWebhook(third.id);
	simulator.clearRequests();

	const [told] = await waitFor(
		'it to be told',
		async () => {
			const all = await toldOf(workflow);
			return all.length > 0 && all;
		},
		A_ROUND,
	);
	const active = activeOf(workflow);
	expect(active.map(({ company_number }) => company_number).sort()).toEqual(companies);
	for (const { events: sent } of active) expect(sent).toEqual(['filing.new']);
	await expectDeliveries(workflow, companies);
	for (const company of [paused, changed, removed]) expect(told).toContain(company);
	expect(told).toMatch(/Events may be missing: .*when all was last seen to be right/);
	const [started] = await waitFor('the error workflow', async () => {
		const all = await client.executions(errorWorkflow.id);
		return all.length > 0 && all;
	});
	const [{ json }] = outputOf(await client.waitForExecution(started.id), 'Error Trigger');
	expect(json).toMatchObject({ execution: { error: { message: told } } });
	const checks = () => simulator.requests.filter(({ method }) => method === 'GET').length;
	await waitFor('the other check', () => checks() >= 2, A_ROUND);
	// What a publish has stored is stored once more by the first check after it, which runs no node.
	const [stored, ...others] = await waitFor('that', async () => {
		const all = await client.executions(right.id);
		return all.length > 0 && all;
	});
	expect(others).toEqual([]);
	const { status, data: run } = await client.waitForExecution(stored.id);
	expect([status, run.resultData.runData]).toEqual(['success', {}]);
	expect(await toldOf(workflow)).toEqual([told]);
});
