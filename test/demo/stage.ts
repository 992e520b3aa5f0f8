import { createInterface } from 'node:readline';

import type { Cleanups } from '../n8n-host/cleanups';
import { defaultOwner } from '../n8n-host/n8nClient';
import { freePort, isPortFree } from '../n8n-host/ports';
import { startReachableN8n } from '../n8n-host/reachableN8n';
import { startSimulator, type Simulator } from '../simulator';

/** Unless it is taken already. */
const USUAL_PORT = Number(process.env.N8N_PORT ?? 5678);
/** Only this machine reaches n8n, unless told otherwise, as in a container. */
const ADDRESS = process.env.N8N_LISTEN_ADDRESS ?? '127.0.0.1';
const FORGED = 'whsec_Zm9yZ2VyeQ==';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * A real n8n that is signed in to, beside the simulated registry service.
 * @param options what is added to n8n's environment, and `tarball: null` for an n8n without the package
 */
export async function openStage(
	cleanups: Cleanups,
	{ env = {}, ...options }: { env?: Record<string, string>; tarball?: null },
) {
	const simulator = await startSimulator();
	cleanups.add('stop the simulated service', async () => await simulator.close());
	const port = (await isPortFree(USUAL_PORT)) ? USUAL_PORT : await freePort();
	const editorUrl = `http://localhost:${port}`;
	console.log(
		`\nStarting n8n at ${editorUrl}, with a simulated registry service at ${simulator.url} …`,
	);
	const { host, client, ca, url } = await startReachableN8n(cleanups, {
		...options,
		port,
		env: { N8N_EDITOR_BASE_URL: editorUrl, N8N_LISTEN_ADDRESS: ADDRESS, ...env },
	});
	console.log(`
n8n ${host.version}:     ${editorUrl}
  sign in with    ${defaultOwner.email} / ${defaultOwner.password}
  deliveries to   ${url}`);
	const offerEvents = () => sendEventsOnEnter(simulator, ca, cleanups);
	return { simulator, ca, client, editorUrl, userFolder: host.userFolder, offerEvents };
}

/** Prints what a credential for the simulated service needs, and lets the keyboard cause events. */
function sendEventsOnEnter(simulator: Simulator, ca: string, cleanups: Cleanups): void {
	console.log(`
Simulated registry service:
  Base URL        ${simulator.url}
  API key         ${simulator.apiKey}

Press Enter to send a filing of each watched company, f and Enter to send a forged one.`);
	const lines = createInterface({ input: process.stdin });
	cleanups.add('close the keyboard input', async () => lines.close());
	lines.on('line', (line) => void report(simulator, ca, line.trim() === 'f').catch(console.error));
}

async function report(simulator: Simulator, ca: string, isForged: boolean): Promise<void> {
	const watched = simulator.webhooks().filter(({ is_active }) => is_active);
	if (watched.length === 0) console.log('No company is watched: no webhook is active.');
	for (const { id, company_number: company } of watched) {
		const forged = isForged && { secret: FORGED };
		const { status } = await simulator.deliver(id, { event: 'filing.new', ca, ...forged });
		const what = isForged ? 'A forged filing' : 'A filing';
		const outcome = status === 200 ? 'n8n verified it and answered 200' : `n8n answered ${status}`;
		console.log(`${what} of company ${company}: ${outcome}`);
	}
}
