import { createInterface } from 'node:readline';

import type { Cleanups } from '../n8n-host/cleanups';
import { packedTarball } from '../n8n-host/installation';
import { defaultOwner, N8nClient } from '../n8n-host/n8nClient';
import { startN8n } from '../n8n-host/n8nProcess';
import { startPackageRegistry } from '../n8n-host/packageRegistry';
import { freePort, isPortFree } from '../n8n-host/ports';
import { openAddress } from '../n8n-host/publicAddress';
import { startSimulator, type Simulator } from '../simulator';

const USUAL_PORT = Number(process.env.N8N_PORT ?? 5678);
const FORGED = 'whsec_Zm9yZ2VyeQ==';

/**
 * What the video for n8n's verification needs, as docs/maintainers/video.md describes it: an n8n without the package, from which
 * it can be installed, and a stand-in for the service that sends events when it is told to.
 */
export async function setTheStage(
	cleanups: Cleanups,
): Promise<{ editorUrl: string; userFolder: string; offerEvents?: undefined }> {
	const simulator = await startSimulator();
	cleanups.add('stop the stand-in', async () => await simulator.close());
	const packages = await startPackageRegistry();
	cleanups.add('stop the package registry', async () => await packages.close());
	const { name, version } = await packages.publish(packedTarball());

	const port = (await isPortFree(USUAL_PORT)) ? USUAL_PORT : await freePort();
	const editorUrl = `http://localhost:${port}`;
	const { ca, env } = await openAddress(cleanups, port);
	console.log('Starting n8n …');
	const host = await startN8n({
		port,
		env: { ...env, ...packages.env, N8N_EDITOR_BASE_URL: editorUrl },
		tarball: null,
	});
	cleanups.add('stop n8n', async () => await host.stop());
	await new N8nClient(host).setupOwner();

	console.log(`
n8n ${host.version}:     ${editorUrl}
  sign in with    ${defaultOwner.email} / ${defaultOwner.password}
  install         ${name} (${version})`);
	sendEventsOnEnter(simulator, ca, cleanups);
	return { editorUrl, userFolder: host.userFolder };
}

/** Prints what a credential for the stand-in needs, and lets the keyboard cause events. */
export function sendEventsOnEnter(simulator: Simulator, ca: string, cleanups: Cleanups): void {
	console.log(`
Stand-in for the service:
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
