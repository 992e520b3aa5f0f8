import type { WorkflowFile } from '../../test/n8n-host/n8nTypes';
import type { Target } from './deliveries';
import type { BenchN8n } from './n8n';
import { startListServer } from './listServer';
import {
	bothTriggersWorkflow,
	githubWorkflow,
	registryWorkflow,
	tableOf,
	tableWorkflow,
} from './workflows';

/** Publishes a workflow with n8n's own GitHub Trigger and answers where its deliveries go. */
export async function publishGithub({
	client,
	github,
	githubCredential,
	host,
}: BenchN8n): Promise<Target[]> {
	const { id } = await client.createWorkflow(githubWorkflow(githubCredential));
	await client.waitUntilPublished(id);
	const { url, secret } = github.hook();
	return [{ url: atHost(url, host.url), secret }];
}

/** Publishes a workflow with our trigger and answers where the deliveries of each company go. */
export async function publishRegistry(
	n8n: BenchN8n,
	companies: number,
	start = 0,
): Promise<Target[]> {
	return await publishTargets(n8n, registryWorkflow(companies, n8n.registryCredential, start));
}

/** Publishes one workflow that both triggers start: n8n has the same to read for either. */
export async function publishBoth(
	n8n: BenchN8n,
	companies: number,
): Promise<{ registry: Target[]; github: Target[] }> {
	const { registryCredential, githubCredential, github, host } = n8n;
	const workflow = bothTriggersWorkflow(companies, registryCredential, githubCredential);
	const registry = await publishTargets(n8n, workflow);
	const { url, secret } = github.hook();
	return { registry, github: [{ url: atHost(url, host.url), secret }] };
}

/** Publishes the same table twice: pasted, and behind a link. */
export async function publishTables(
	n8n: BenchN8n,
	companies: number,
): Promise<{ pasted: Target[]; followed: Target[] }> {
	const table = tableOf(companies);
	const url = await startListServer(table);
	const link = await n8n.client.createCredential({
		name: 'List',
		type: 'companyRegistryListApi',
		data: { url, headerName: '', headerValue: '' },
	});
	const pasted = await publishTargets(n8n, tableWorkflow(table, n8n.registryCredential));
	const followed = await publishTargets(n8n, tableWorkflow(table, n8n.registryCredential, link));
	return { pasted, followed };
}

async function publishTargets(
	{ client, simulator, host }: BenchN8n,
	workflow: WorkflowFile,
): Promise<Target[]> {
	const { webhooks: before } = await simulator.order({});
	const { id } = await client.createWorkflow(workflow);
	await client.waitUntilPublished(id, { timeoutMs: 300_000 });
	const { webhooks } = await simulator.order({});
	return webhooks
		.slice(before.length)
		.map(({ url, secret }) => ({ url: atHost(url, host.url), secret }));
}

/** The public address leads nowhere: the delivery is sent to n8n itself. */
function atHost(publicUrl: string, hostUrl: string): string {
	const { pathname, search } = new URL(publicUrl);
	return `${hostUrl}${pathname}${search}`;
}
