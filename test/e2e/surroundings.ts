import { Cleanups } from '../n8n-host/cleanups';
import type { N8nInstallation } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import { startN8n, type N8nHost, type N8nOptions } from '../n8n-host/n8nProcess';
import type { Credential } from '../n8n-host/n8nTypes';
import { freePort } from '../n8n-host/ports';
import { behindProxy } from '../n8n-host/publicAddress';
import { trusting } from '../n8n-host/trustedCertificate';
import { startSimulator, type Simulator } from '../simulator';
import { startTlsProxy } from '../simulator/tlsProxy';

/** Starting n8n and publishing take seconds, on a busy machine many. */
export const E2E_TIMEOUT_MS = 180_000;

/** A real n8n with the package installed, reachable over https, and the stand-in service. */
export interface Surroundings {
	simulator: Simulator;
	host: N8nHost;
	/** Signed in as the owner. */
	client: N8nClient;
	/** Certificate that deliveries to this n8n have to trust. */
	ca: string;
	/** An API key that the stand-in takes. */
	credential: Credential;
	stop(): Promise<void>;
}

/** `env` is added to n8n's environment; without `installation` it is the one under test. */
export async function startSurroundings(
	env: Record<string, string> = {},
	installation?: N8nInstallation,
): Promise<Surroundings> {
	const cleanups = new Cleanups();
	try {
		return {
			...(await start(cleanups, env, installation)),
			stop: async () => await cleanups.run(),
		};
	} catch (error) {
		await cleanups.run();
		throw error;
	}
}

async function start(
	cleanups: Cleanups,
	env: Record<string, string>,
	installation?: N8nInstallation,
): Promise<Omit<Surroundings, 'stop'>> {
	const simulator = await startSimulator();
	cleanups.add('stop the stand-in', async () => await simulator.close());
	const { host, client, ca } = await startReachableN8n(cleanups, { env, installation });
	const credential = await client.createCredential({
		name: 'Company Registry',
		type: 'companyRegistryApi',
		data: { baseUrl: simulator.url, apiKey: simulator.apiKey },
	});
	return { simulator, host, client, ca, credential };
}

/** Starts an n8n that is reachable over https, and signs in as its owner. */
export async function startReachableN8n(
	cleanups: Cleanups,
	{ env, ...options }: Omit<N8nOptions, 'port'>,
): Promise<Pick<Surroundings, 'host' | 'client' | 'ca'>> {
	const port = await freePort();
	const proxy = await startTlsProxy({ targetPort: port });
	cleanups.add('stop the TLS proxy', async () => await proxy.close());
	const reached = { ...behindProxy(proxy.url), ...(await trusting(cleanups, proxy.ca)) };
	const host = await startN8n({ ...options, port, env: { ...reached, ...env } });
	cleanups.add('stop n8n', async () => await host.stop());
	const client = new N8nClient(host.url);
	await client.setupOwner();
	return { host, client, ca: proxy.ca };
}
