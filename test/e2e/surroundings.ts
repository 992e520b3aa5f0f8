import { Cleanups } from '../n8n-host/cleanups';
import type { N8nInstallation } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import type { Credential } from '../n8n-host/n8nTypes';
import { startSimulator, type Simulator } from '../simulator';
import { addWitness } from '../support/witnesses';
import { startReachableN8n, type ReachableN8n } from './reachableN8n';
import type { SharedN8n } from './sharedN8n';

/** Starting n8n and publishing take seconds, on a busy machine many. */
export const E2E_TIMEOUT_MS = 180_000;

/** A real n8n with the package installed, reachable over https, and the stand-in service. */
export interface Surroundings extends ReachableN8n {
	simulator: Simulator;
	/** An API key that the stand-in takes. */
	credential: Credential;
	stop(): Promise<void>;
}

/**
 * The n8n is one that other test files had before and have afterwards, empty again each time; it may
 * be restarted and killed. With `env`, which is added to its environment, or another installation
 * than the one under test it is a new one.
 */
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
	const isPlain = Object.keys(env).length === 0 && !installation;
	const n8n =
		(isPlain && (await borrowN8n(cleanups))) ||
		(await startReachableN8n(cleanups, { env, installation }));
	cleanups.add("end the stand-in's faults", async () => {
		simulator.clearFaults();
		simulator.latencyMs = 0;
	});
	addWitness({ name: 'n8n', log: () => n8n.host.logs() });
	const credential = await n8n.client.createCredential({
		name: 'Company Registry',
		type: 'companyRegistryApi',
		data: { baseUrl: simulator.url, apiKey: simulator.apiKey },
	});
	return { ...n8n, simulator, credential };
}

declare global {
	/** Of test/support/testEnvironment.ts. */
	var sharedN8n: SharedN8n;
}

/** Nothing where another part of the test file has it already. */
async function borrowN8n(cleanups: Cleanups): Promise<ReachableN8n | undefined> {
	const lent = await sharedN8n.lend();
	if (!lent) return undefined;
	const { host, ca, giveBack } = lent;
	cleanups.add('give n8n back', giveBack);
	const client = new N8nClient(host.url);
	await client.login();
	return { host, client, ca };
}
