// What a user does first, in n8n's official image. Ends with status 1 where anything does not work, and says then in
// which version. `npm run try` runs it.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { showSearch, showTrigger } from '../demo/demonstration';
import { Cleanups } from '../n8n-host/cleanups';
import { installCommunityPackage } from '../n8n-host/communityPackage';
import { packedTarball } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import { startContainer } from '../n8n-host/n8nContainer';
import { freePort } from '../n8n-host/ports';
import { openAddress } from '../n8n-host/publicAddress';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator } from '../simulator';

const NODES = ['companyRegistry', 'companyRegistryTrigger'];

const [, , image] = process.argv;
let version = image;

async function main(cleanups: Cleanups): Promise<void> {
	const simulator = await startSimulator();
	cleanups.add('stop the simulator', async () => await simulator.close());
	const port = await freePort();
	const { ca, env, certificate } = await openAddress(cleanups, port);
	const userFolder = await mkdtemp(join(await realpath(tmpdir()), 'n8n-newest-'));
	cleanups.add("remove n8n's folder", async () => await rm(userFolder, { recursive: true }));
	await installCommunityPackage(userFolder, packedTarball());
	const host = await startContainer({ userFolder, port, env, image, certificate });
	cleanups.add('stop n8n', async () => await host.stop());
	cleanups.add("show n8n's last lines", async () => {
		if (process.exitCode) console.error(`\nn8n's log ends with:\n${host.logs().slice(-5_000)}`);
	});

	const client = new N8nClient(host);
	await client.setupOwner();
	version = /^Version: (\S+)$/m.exec(host.logs())?.[1] ?? version;
	console.log(`n8n ${version} has started`);
	await waitFor('n8n to know both nodes', async () => {
		const known = await client.file('/types/nodes.json');
		return NODES.every((name) => known.includes(`"n8n-nodes-company-registry.${name}"`));
	});
	const credential = await client.createRegistryCredential(simulator);
	await showTrigger({ client, simulator, ca }, credential);
	await showSearch({ client }, credential);
}

async function run(): Promise<void> {
	const cleanups = new Cleanups();
	try {
		await main(cleanups);
		console.log(`\nn8n ${version}: all works`);
	} catch (error) {
		process.exitCode = 1;
		const { message } = error as Error;
		const start = process.env.GITHUB_ACTIONS ? `::error title=n8n ${version}::` : '';
		console.log(`${start}n8n ${version}: ${message.split('\n')[0]}`);
	} finally {
		await cleanups.run();
	}
}

void run();
