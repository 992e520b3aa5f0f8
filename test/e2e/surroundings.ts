import { Cleanups } from '../n8n-host/cleanups';
import type { N8nInstallation } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import type { Credential } from '../n8n-host/n8nTypes';
import { startSimulator, type Simulator } from '../simulator';
import { addWitness } from '../support/witnesses';
import { startReachableN8n, type ReachableN8n } from '../n8n-host/reachableN8n';
import type { SharedN8n } from './sharedN8n';

/** Ends a test that waits for ever: whatever it waits for has a shorter time of its own. */
export const E2E_TIMEOUT_MS = 600_000;

/** A real n8n with the package installed, reachable over https, and the simulated service. */
export interface Surroundings extends ReachableN8n {
	simulator: Simulator;
	/** An API key that the simulator takes. */
	credential: Credential;
}

interface SurroundingsOptions {
	/** Whether n8n has its editor and runs Code nodes, which make each of its starts take twice as long. */
	isWhole?: boolean;
	installation?: N8nInstallation;
	/** Added to n8n's environment. */
	env?: Record<string, string>;
}

/**
 * For the tests of a file or a `describe`. The n8n is one that other test files had before and have
 * afterwards, empty again each time; it may be restarted and killed. With an environment of its own, and as another
 * installation than the one under test, it is a new one.
 */
export function useSurroundings(options: SurroundingsOptions = {}): Surroundings {
	jest.setTimeout(E2E_TIMEOUT_MS);
	const cleanups = new Cleanups();
	const surroundings = {} as Surroundings;
	beforeAll(async () => void Object.assign(surroundings, await start(cleanups, options)));
	afterAll(async () => await cleanups.run());
	return surroundings;
}

async function start(
	cleanups: Cleanups,
	{ isWhole = false, installation, env }: SurroundingsOptions,
): Promise<Surroundings> {
	const simulator = await startSimulator();
	cleanups.add('stop the simulator', async () => await simulator.close());
	const isOwn = installation !== undefined || env !== undefined;
	const n8n = isOwn
		? await startReachableN8n(cleanups, { installation, env, isHeadless: !isWhole })
		: await borrowN8n(sharedN8n[isWhole ? 'whole' : 'headless'], cleanups);
	cleanups.add("end the simulator's faults", async () => {
		simulator.clearFaults();
		simulator.latencyMs = 0;
	});
	addWitness({ name: 'n8n', log: () => n8n.host.logs() });
	return { ...n8n, simulator, credential: await n8n.client.createRegistryCredential(simulator) };
}

declare global {
	/** Of test/support/testEnvironment.ts. */
	var sharedN8n: Record<'headless' | 'whole', SharedN8n>;
}

async function borrowN8n(shared: SharedN8n, cleanups: Cleanups): Promise<ReachableN8n> {
	const { host, ca, giveBack } = await shared.lend();
	cleanups.add('give n8n back', giveBack);
	const client = new N8nClient(host);
	await client.login();
	return { host, client, ca };
}
