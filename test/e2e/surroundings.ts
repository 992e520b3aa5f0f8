import { Cleanups } from '../n8n-host/cleanups';
import type { N8nInstallation } from '../n8n-host/installation';
import type { Credential } from '../n8n-host/n8nTypes';
import { startSimulator, type Simulator } from '../simulator';
import { addWitness } from '../support/witnesses';
import { startReachableN8n, type ReachableN8n } from '../n8n-host/reachableN8n';

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

/** For the tests of a file or a `describe`. The n8n may be restarted and killed. */
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
	const n8n = await startReachableN8n(cleanups, { installation, env, isHeadless: !isWhole });
	const forget = addWitness({ name: 'n8n', log: () => n8n.host.logs() });
	cleanups.add('forget n8n', async () => forget());
	return { ...n8n, simulator, credential: await n8n.client.createRegistryCredential(simulator) };
}
