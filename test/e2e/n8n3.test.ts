// Changes of n8n 3 that an earlier n8n can be set to. See docs/self-hosting.md.
import { searchAlone } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import type { WorkflowRecord } from '../n8n-host/n8nTypes';
import { PERSISTENT, publishedWatcher, TRIGGER } from './reliability/watchers';
import { useSurroundings } from './surroundings';

// The simulator is at a local address, and n8n's own address is one here.
const env = {
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32,::1/128',
	N8N_LOG_LEVEL: 'debug',
};

const surroundings = useSurroundings({ env });
let workflow: WorkflowRecord;

/** Runs a search and returns its execution. */
async function search(credential = surroundings.credential) {
	const { client } = surroundings;
	const { id } = await client.createWorkflow(searchAlone(credential));
	return await client.runToEnd(id, 'Start');
}

/** Asks from outside whether the trigger still answers: status and body. */
async function ask(): Promise<{ status: number; body: unknown }> {
	const { simulator, ca } = surroundings;
	const [webhook] = simulator.webhooks();
	const [url] = webhook.url.split('?');
	const unsigned = { url, ca, sign: false, rawBody: '' };
	const { status, body } = await simulator.deliver(webhook.id, unsigned);
	return { status, body: JSON.parse(body) };
}

it('with protection against SSRF and the address of the service allowed, searching, publishing and deliveries work', async () => {
	const { client, simulator, ca } = surroundings;
	expect(outputOf(await search(), 'Search Companies')).toHaveLength(3);
	workflow = await publishedWatcher(surroundings, ['00445790']);
	const [{ id }] = simulator.webhooks();
	expect(await simulator.deliver(id, { ca, ...PERSISTENT })).toMatchObject({ status: 200 });
	const execution = await client.waitForNextExecution(workflow.id);
	expect(outputOf(execution, TRIGGER)).toHaveLength(1);
});

it('a request from outside shows whether the trigger is published', async () => {
	const { client, simulator } = surroundings;
	const before = await client.executions(workflow.id);
	expect(await ask()).toMatchObject({ status: 503, body: { error: 'unavailable' } });
	expect(await client.executions(workflow.id)).toEqual(before);
	const webhooks = simulator.webhooks();
	await client.waitUntilUnpublished(workflow.id);
	expect(await ask()).toMatchObject({ status: 404 });
	await client.waitUntilPublished(workflow.id);
	expect(simulator.webhooks()).toEqual(webhooks);
});

it('the service at an address that the protection refuses is named as the reason', async () => {
	const service = { url: 'https://127.0.0.2', apiKey: 'key' };
	const elsewhere = await surroundings.client.createRegistryCredential(service);
	expect(errorOf(await search(elsewhere))).toMatch(/SSRF|blocked/i);
});

it("n8n's log at level debug names no secret and no API key", () => {
	const { host, simulator } = surroundings;
	const log = host.logs();
	expect(log).toContain('Answer: 503');
	for (const { secret } of simulator.webhooks())
		expect(log).not.toContain(secret.replace('whsec_', ''));
	expect(log).not.toContain(simulator.apiKey);
});
