// The package as n8n itself installs and updates it.
// Takes long because n8n's npm installs the package twice.
import { setTimeout as sleep } from 'node:timers/promises';

import { TIMES } from '../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import { Cleanups } from '../n8n-host/cleanups';
import { outputOf } from '../n8n-host/execution';
import { withParameters } from '../n8n-host/exampleWorkflows';
import { packedTarball } from '../n8n-host/installation';
import type { WorkflowRecord } from '../n8n-host/n8nTypes';
import {
	packNextRelease,
	startPackageRegistry,
	type PackageRegistry,
} from '../n8n-host/packageRegistry';
import { startSimulator, type Simulator } from '../simulator';
import { startReachableN8n, type ReachableN8n } from '../n8n-host/reachableN8n';
import { PERSISTENT, TRIGGER, watcher } from './reliability/watchers';
import { E2E_TIMEOUT_MS, keepLog } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

const PACKAGE = 'n8n-nodes-company-registry';
/** Later than any real one. */
const NEXT = '999.0.0';

const cleanups = new Cleanups();
let simulator: Simulator;
let registry: PackageRegistry;
let n8n: ReachableN8n;
let version: string;
let workflow: WorkflowRecord;

beforeAll(async () => {
	simulator = await startSimulator();
	cleanups.add('stop the simulator', async () => await simulator.close());
	registry = await startPackageRegistry();
	cleanups.add('stop the package registry', async () => await registry.close());
	const { env } = registry;
	n8n = await startReachableN8n(cleanups, { tarball: null, env, isHeadless: true });
	keepLog(cleanups, n8n.host);
});

afterAll(async () => await cleanups.run());

async function packages(): Promise<object[]> {
	return await n8n.client.request('GET', '/community-packages');
}

/** Has the service report a filing and answers what the workflow's execution put out. */
async function deliver() {
	const before = await n8n.client.executions(workflow.id);
	const [webhook] = simulator.webhooks();
	const { status } = await simulator.deliver(webhook.id, { ca: n8n.ca, ...PERSISTENT });
	expect(status).toBe(200);
	const execution = await n8n.client.waitForNextExecution(workflow.id, before);
	return outputOf(execution, TRIGGER).map(({ json }) => json);
}

it('n8n installs the package, and its trigger works without a restart', async () => {
	({ version } = await registry.publish(packedTarball()));

	const installed = await n8n.client.request<{ installedNodes: Array<{ name: string }> }>(
		'POST',
		'/community-packages',
		{ name: PACKAGE },
	);

	expect(installed).toMatchObject({ packageName: PACKAGE, installedVersion: version });
	expect(installed.installedNodes.map(({ name }) => name).sort()).toEqual([
		'Company Registry',
		'Company Registry Trigger',
	]);
	const credential = await n8n.client.createRegistryCredential(simulator);
	workflow = await n8n.client.createPublished(watcher(credential, ['00445790']));
	expect(await deliver()).toEqual([
		expect.objectContaining({ event: 'filing.new', company_number: '00445790' }),
	]);
});

it('n8n offers an update, and a published workflow goes on with it', async () => {
	const next = await packNextRelease(packedTarball(), NEXT);
	cleanups.add('remove the next release', next.remove);
	await registry.publish(next.tarball);
	const before = simulator.webhooks();
	simulator.clearRequests();

	expect(await packages()).toEqual([
		expect.objectContaining({ installedVersion: version, updateAvailable: NEXT }),
	]);
	await n8n.client.request('PATCH', '/community-packages', { name: PACKAGE });

	expect(await packages()).toEqual([expect.objectContaining({ installedVersion: NEXT })]);
	expect(await deliver()).toEqual([
		expect.objectContaining({ company_number: '00445790', release: 'next' }),
	]);
	expect(simulator.requests).toEqual([]);
	expect(simulator.webhooks()).toEqual(before);
});

it('a changed list that is published after the update costs the difference', async () => {
	const { client, ca } = n8n;
	const [before] = simulator.webhooks();
	const publish = async (companyNumbers: string) => {
		const record = await client.workflow(workflow.id);
		await client.publishChanges(workflow.id, withParameters(record, TRIGGER, { companyNumbers }));
	};
	simulator.clearRequests();

	await publish('SC123456');
	// By then an unpublish would have begun to pause.
	await sleep(TIMES.beforePausing + 1_000);

	expect(simulator.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'PATCH']);
	const [dropped, added] = simulator.webhooks();
	expect(dropped).toEqual({ ...before, is_active: false });
	expect(added).toMatchObject({ company_number: 'SC123456', is_active: true });
	expect((await simulator.deliver(added.id, { ca, ...PERSISTENT })).status).toBe(200);
	const executions = await client.executions(workflow.id);
	expect(executions.filter(({ status }) => status === 'error')).toEqual([]);

	await publish('00445790');
	expect(simulator.webhooks()).toEqual([before, { ...added, is_active: false }]);
});
