// What a user does first, in n8n's official image. Ends with status 1 where anything does not work, and says then in
// which version. `npm run try` runs it.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Cleanups } from '../n8n-host/cleanups';
import { installCommunityPackage } from '../n8n-host/communityPackage';
import { triggerAlone } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import { packedTarball } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import { startContainer } from '../n8n-host/n8nContainer';
import { freePort } from '../n8n-host/ports';
import { openAddress } from '../n8n-host/publicAddress';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator, type Simulator } from '../simulator';

const NODES = ['companyRegistry', 'companyRegistryTrigger'];
const COMPANY = '00445790';

const [, , image] = process.argv;
let version = image;
let step = 'start';

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

	step = 'load both nodes';
	await waitFor('n8n to know both nodes', async () => {
		const known = await client.file('/types/nodes.json');
		return NODES.every((name) => known.includes(`"n8n-nodes-company-registry.${name}"`));
	});
	console.log('It has both nodes');

	step = 'publish the trigger';
	const credential = await client.createRegistryCredential(simulator);
	const { id } = await client.createPublished(triggerAlone(credential, [COMPANY]));
	console.log('The trigger is published');

	step = 'start the workflow at a delivery';
	await deliver(client, simulator, id, ca);
	console.log('A forged delivery was refused, and a genuine one has started the workflow');

	step = 'restart';
	await host.restart();
	await client.login();
	step = 'start the workflow at a delivery after a restart';
	await deliver(client, simulator, id, ca);
	console.log('So it is after a restart');
}

/** A genuine one starts the workflow, and a forged one is refused. */
async function deliver(client: N8nClient, simulator: Simulator, workflowId: string, ca: string) {
	const before = await client.executions(workflowId);
	const [webhook] = simulator.webhooks();
	const send = async (secret?: string) =>
		await simulator.deliver(webhook.id, { ca, event: 'filing.new', secret });
	const { status: genuine } = await send();
	if (genuine !== 200) throw new Error(`a genuine delivery was answered ${genuine}`);
	const execution = await client.waitForNextExecution(workflowId, before);
	const error = errorOf(execution);
	if (error) throw new Error(error);
	const [item] = outputOf(execution, execution.workflowData.nodes[0].name);
	if (item.json.company_number !== COMPANY) throw new Error('the delivery is not in the output');
	const { status: forged } = await send('whsec_Zm9yZ2VyeQ==');
	if (forged !== 401) throw new Error(`a forged delivery was answered ${forged}`);
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
		console.log(`${start}n8n ${version} did not ${step}: ${message.split('\n')[0]}`);
	} finally {
		await cleanups.run();
	}
}

void run();
