import { searchAlone, triggerAlone } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import { defaultOwner, N8nClient } from '../n8n-host/n8nClient';
import { startN8n } from '../n8n-host/n8nProcess';
import type { Credential, Execution } from '../n8n-host/n8nTypes';
import { freePort, isPortFree } from '../n8n-host/ports';
import type { Cleanups } from '../n8n-host/cleanups';
import { openRegistry, type Registry } from './registry';

/** Unless it is taken already. */
const USUAL_PORT = Number(process.env.N8N_PORT ?? 5678);
/** What the real service may take to send something. */
const EVENT = { timeoutMs: 10 * 60_000 };

/**
 * The package at work in a real n8n: a published workflow that a delivery starts, and one that
 * searches. `env` is added to n8n's environment. Answers where that n8n goes on running, and the folder that
 * holds its `.n8n`. Throws when something did not happen.
 */
export async function demonstrate(cleanups: Cleanups, env: Record<string, string>) {
	const registry = await openRegistry(cleanups);
	console.log(`\nRegistry service: ${registry.name}, ${registry.baseUrl}`);

	const { client, editorUrl, userFolder } = await openN8n(registry, cleanups, env);
	const { baseUrl: url, apiKey } = registry;
	const credential = await client.createRegistryCredential({ url, apiKey });
	await showTrigger(client, credential, registry, cleanups);
	await showSearch(client, credential);
	return { editorUrl, userFolder, offerEvents: registry.offerEvents };
}

async function openN8n(registry: Registry, cleanups: Cleanups, extra: Record<string, string>) {
	const port = (await isPortFree(USUAL_PORT)) ? USUAL_PORT : await freePort();
	const editorUrl = `http://localhost:${port}`;
	const { url: publicUrl, env: reached } = await registry.reach(port);

	console.log('Starting n8n …');
	const env = { ...reached, N8N_EDITOR_BASE_URL: editorUrl, ...extra };
	const interruption = new AbortController();
	const starting = startN8n({ port, env, signal: interruption.signal });
	// From now on: an interruption while n8n starts must end it too.
	cleanups.add('stop n8n', async () => {
		interruption.abort();
		const host = await starting.catch(() => undefined);
		await host?.stop();
	});
	const host = await starting;

	const client = new N8nClient(host);
	await client.setupOwner();
	console.log(`n8n:              ${editorUrl}`);
	console.log(`  sign in with    ${defaultOwner.email} / ${defaultOwner.password}`);
	console.log(`  deliveries to   ${publicUrl}`);
	return { client, editorUrl, userFolder: host.userFolder };
}

async function showTrigger(
	client: N8nClient,
	credential: Credential,
	registry: Registry,
	cleanups: Cleanups,
): Promise<void> {
	const workflow = triggerAlone(credential, ['00445790']);
	const { id, name, nodes } = await client.createWorkflow(workflow);
	console.log(`\nPublishing the workflow "${name}" …`);
	// Pauses the webhook, so that the service does not go on to send to an n8n that has gone.
	cleanups.add('unpublish the workflow', async () => {
		await client.waitUntilUnpublished(id);
		await registry.waitUntilPaused();
	});
	await client.waitUntilPublished(id);

	await registry.causeEvent();
	const execution = await client.waitForNextExecution(id, [], EVENT);
	show(execution, nodes[nodes.length - 1].name);
}

async function showSearch(client: N8nClient, credential: Credential): Promise<void> {
	const { id, name, nodes } = await client.createWorkflow(searchAlone(credential));
	console.log(`\nRunning the workflow "${name}" …`);
	const execution = await client.runToEnd(id, nodes[0].name);
	show(execution, nodes[nodes.length - 1].name);
}

function show(execution: Execution, nodeName: string): void {
	if (execution.status !== 'success') {
		throw new Error(
			`Execution ${execution.id} ended with ${execution.status}: ${errorOf(execution)}`,
		);
	}
	const items = outputOf(execution, nodeName).map(({ json }) => json);
	if (items.length === 0) throw new Error(`Execution ${execution.id} put out nothing.`);
	console.log(`Execution ${execution.id} succeeded. Output of "${nodeName}":`);
	console.log(JSON.stringify(items, null, 2));
}
