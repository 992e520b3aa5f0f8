import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { Cleanups } from '../n8n-host/cleanups';
import type { N8nInstallation } from '../n8n-host/installation';
import type { N8nHost } from '../n8n-host/n8nProcess';
import type { Credential } from '../n8n-host/n8nTypes';
import { startReachableN8n, type ReachableN8n } from '../n8n-host/reachableN8n';
import { startSimulator, type Simulator } from '../simulator';

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
	hasEditor?: boolean;
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
	{ hasEditor = false, installation, env }: SurroundingsOptions,
): Promise<Surroundings> {
	const simulator = await startSimulator();
	cleanups.add('stop the simulator', async () => await simulator.close());
	const n8n = await startReachableN8n(cleanups, { installation, env, isHeadless: !hasEditor });
	keepLog(cleanups, n8n.host);
	return { ...n8n, simulator, credential: await n8n.client.createRegistryCredential(simulator) };
}

/** At the end of the test file, whatever has become of it. @param name of one n8n among several */
export function keepLog(cleanups: Cleanups, host: N8nHost, name = 'n8n'): void {
	cleanups.add('keep its log', async () => writeFileSync(keptFile(`${name}.log`), host.logs()));
}

/** A path in `.cache/logs`, which CI keeps, that begins with the name of the test file. */
export function keptFile(name: string): string {
	const logs = resolve(__dirname, '../../.cache/logs');
	mkdirSync(logs, { recursive: true });
	return join(logs, `${basename(String(expect.getState().testPath), '.test.ts')}-${name}`);
}
