// Changes of n8n 3 that an earlier n8n can be set to. See docs/self-hosting.md.
// Takes long because n8n starts three times.
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import { Cleanups } from '../n8n-host/cleanups';
import { installedPackageFolder } from '../n8n-host/communityPackage';
import { searchAlone } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import type { WorkflowRecord } from '../n8n-host/n8nTypes';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator, type Simulator } from '../simulator';
import { addWitness } from '../support/witnesses';
import { startReachableN8n, type ReachableN8n } from './reachableN8n';
import { PERSISTENT, TRIGGER, watcher } from './reliability/watchers';
import { E2E_TIMEOUT_MS } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

const PROTECTION = { N8N_SSRF_PROTECTION_ENABLED: 'true' };

const cleanups = new Cleanups();
let simulator: Simulator;
let n8n: ReachableN8n;
let workflow: WorkflowRecord;

beforeAll(async () => {
	simulator = await startSimulator();
	cleanups.add('stop the stand-in', async () => await simulator.close());
	// The stand-in is at a local address, and n8n's own address is one here.
	const env = { ...PROTECTION, N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8,::1/128' };
	n8n = await startReachableN8n(cleanups, { env, isHeadless: true });
	addWitness({ name: 'n8n', log: () => n8n.host.logs() });
});

afterAll(async () => await cleanups.run());

/** Runs a search and returns its execution. */
async function search() {
	const { client } = n8n;
	const credential = await client.createRegistryCredential(simulator);
	const { id } = await client.createWorkflow(searchAlone(credential));
	return await client.runToEnd(id, 'Start');
}

/** Asks from outside whether the trigger still answers: status and body. */
async function ask(): Promise<{ status?: number; body: unknown }> {
	const [webhook] = simulator.webhooks();
	const [url] = webhook.url.split('?');
	const asked = request(url, { method: 'POST', ca: n8n.ca });
	asked.end();
	const [response] = await once(asked, 'response');
	return { status: response.statusCode, body: await json(response) };
}

it('with protection against SSRF and the address of the service allowed, searching, publishing and deliveries work', async () => {
	const { client, ca } = n8n;
	expect(outputOf(await search(), 'Search Companies')).toHaveLength(3);
	const credential = await client.createRegistryCredential(simulator);
	workflow = await client.createWorkflow(watcher(credential, ['00445790']));
	await client.waitUntilPublished(workflow.id);
	const [{ id }] = simulator.webhooks();
	expect(await simulator.deliver(id, { ca, ...PERSISTENT })).toMatchObject({ status: 200 });
	const execution = await client.waitForNextExecution(workflow.id);
	expect(outputOf(execution, TRIGGER)).toHaveLength(1);
});

it('a request from outside shows whether the published trigger answers, and that n8n answers without the package', async () => {
	const answers = { status: 503, body: { error: 'unavailable' } };
	expect(await ask()).toMatchObject(answers);
	// Nothing has been verified since.
	await n8n.host.restart();
	await n8n.client.login();
	const before = await n8n.client.executions(workflow.id);
	expect(await ask()).toMatchObject(answers);
	expect(await n8n.client.executions(workflow.id)).toEqual(before);

	const folder = installedPackageFolder(n8n.host.userFolder);
	// n8n would load it under any name beside the other packages.
	const away = join(n8n.host.userFolder, 'away');
	await rename(folder, away);
	await n8n.host.restart();
	await n8n.client.login();
	// n8n tries to set the trigger up some time after it answers, and takes it down then. Nothing asks
	// before: n8n would remember where it had found the trigger, and answer 400.
	const { triggers } = await waitFor('n8n to show the failure', async () => {
		const publication = await n8n.client.publication(workflow.id);
		return publication.status === 'failed' && publication;
	});
	expect(triggers).toMatchObject([
		{ errorMessage: expect.stringContaining('Unrecognized node type') },
	]);
	expect(await ask()).toMatchObject({ status: 404 });

	// n8n shows the failure until someone publishes.
	await rename(away, folder);
	await n8n.host.restart();
	await n8n.client.login();
	expect(await ask()).toMatchObject({ status: 404 });
	const webhooks = simulator.webhooks();
	await n8n.client.unpublish(workflow.id);
	await n8n.client.waitUntilPublished(workflow.id);
	expect(await ask()).toMatchObject(answers);
	expect(simulator.webhooks()).toEqual(webhooks);
});

it('the service at an address that the protection refuses is named as the reason', async () => {
	await n8n.host.restart({ N8N_SSRF_ALLOWED_IP_RANGES: '' });
	await n8n.client.login();
	expect(errorOf(await search())).toMatch(/SSRF|blocked/i);
});

it('unpublished, it answers 404', async () => {
	await n8n.host.restart({ N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8,::1/128' });
	await n8n.client.login();
	await n8n.client.waitUntilUnpublished(workflow.id);
	expect(await ask()).toMatchObject({ status: 404 });
});
