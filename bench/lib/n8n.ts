import { N8nClient } from '../../test/n8n-host/n8nClient';
import { startN8n, type N8nHost } from '../../test/n8n-host/n8nProcess';
import type { Credential } from '../../test/n8n-host/n8nTypes';
import { behindProxy } from '../../test/n8n-host/publicAddress';
import { waitFor } from '../../test/n8n-host/waitFor';
import { startGithubApi, type GithubApi } from './githubApi';
import { startSimulatorProcess, type SimulatorProcess } from './simulatorProcess';

/** A real n8n with the services that it and its peer trigger subscribe to. */
export interface BenchN8n {
	host: N8nHost;
	client: N8nClient;
	simulator: SimulatorProcess;
	github: GithubApi;
	registryCredential: Credential;
	githubCredential: Credential;
	/** Waits until no execution runs any more. */
	untilIdle(): Promise<void>;
	stop(): Promise<void>;
}

/** @param memory flags of V8; room for a quick start unless told */
export async function startBenchN8n(
	env: Record<string, string> = {},
	memory?: string[],
): Promise<BenchN8n> {
	const simulator = await startSimulatorProcess();
	const github = await startGithubApi();
	const host = await startN8n({
		memory,
		env: {
			// Nobody calls the public address: deliveries are sent to n8n directly.
			...behindProxy('https://n8n.example'),
			// n8n answers 503 for a while after a look at its database took 5 seconds, as it does here
			// when the machine is given too much.
			DB_PING_TIMEOUT_MS: '60000',
			...env,
		},
	});
	const client = new N8nClient(host);
	await client.setupOwner();
	const registryCredential = await client.createCredential({
		name: 'Company Registry',
		type: 'companyRegistryApi',
		data: { baseUrl: simulator.url, apiKey: simulator.apiKey },
	});
	const githubCredential = await client.createCredential({
		name: 'GitHub',
		type: 'githubApi',
		data: { server: github.url, user: 'owner', accessToken: 'unused' },
	});
	return {
		host,
		client,
		simulator,
		github,
		registryCredential,
		githubCredential,
		untilIdle: async () => await untilIdle(client),
		async stop() {
			await host.stop();
			await github.close();
			await simulator.close();
		},
	};
}

async function untilIdle(client: N8nClient): Promise<void> {
	const filter = encodeURIComponent(JSON.stringify({ status: ['new', 'running'] }));
	await waitFor(
		'all executions to end',
		async () => {
			const { count } = await client.request<{ count: number }>(
				'GET',
				`/executions?filter=${filter}&limit=1`,
			);
			return count === 0;
		},
		{ timeoutMs: 300_000, everyMs: 250 },
	);
}
