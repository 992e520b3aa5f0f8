import type { Target } from './deliveries';
import type { BenchN8n } from './n8n';
import { githubWorkflow, registryWorkflow } from './workflows';

/** Publishes a workflow with n8n's own GitHub Trigger and answers where its deliveries go. */
export async function publishGithub({ client, github, githubCredential, host }: BenchN8n): Promise<Target[]> {
	const { id } = await client.createWorkflow(githubWorkflow(githubCredential));
	await client.waitUntilPublished(id);
	const { url, secret } = github.hook();
	return [{ url: atHost(url, host.url), secret }];
}

/** Publishes a workflow with our trigger and answers where the deliveries of each company go. */
export async function publishRegistry(
	{ client, standIn, registryCredential, host }: BenchN8n,
	companies: number,
): Promise<Target[]> {
	const { webhooks: before } = await standIn.order({});
	const { id } = await client.createWorkflow(registryWorkflow(companies, registryCredential));
	await client.waitUntilPublished(id, { timeoutMs: 300_000 });
	const { webhooks } = await standIn.order({});
	return webhooks.slice(before.length).map(({ url, secret }) => ({ url: atHost(url, host.url), secret }));
}

/** The public address leads nowhere: the delivery is sent to n8n itself. */
function atHost(publicUrl: string, hostUrl: string): string {
	const { pathname, search } = new URL(publicUrl);
	return `${hostUrl}${pathname}${search}`;
}
