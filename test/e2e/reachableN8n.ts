import { cp, rm } from 'node:fs/promises';

import type { Cleanups } from '../n8n-host/cleanups';
import { withLazyEngine } from '../n8n-host/environment';
import { testedInstallation } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import { newUserFolder, startN8n, type N8nHost, type N8nOptions } from '../n8n-host/n8nProcess';
import { freePort } from '../n8n-host/ports';
import { preparedFolder } from '../n8n-host/preparedFolder';
import { openAddress } from '../n8n-host/publicAddress';

export interface ReachableN8n {
	host: N8nHost;
	/** Signed in as the owner. */
	client: N8nClient;
	/** Certificate that deliveries to this n8n have to trust. */
	ca: string;
}

/** Starts an n8n that is reachable over https, on a copy of what a first start has left. */
export async function startReachableN8n(
	cleanups: Cleanups,
	{ installation = testedInstallation, ...options }: N8nOptions = {},
): Promise<ReachableN8n> {
	const port = await freePort();
	const { ca, env: reached } = await openAddress(cleanups, port, options.isInBackground);
	const userFolder = await newUserFolder();
	cleanups.add("remove n8n's folder", async () => await rm(userFolder, { recursive: true }));
	await cp(await preparedFolder(installation), userFolder, { recursive: true });

	const env = { ...withLazyEngine, ...reached, ...options.env };
	const host = await startN8n({ ...options, installation, userFolder, port, env });
	cleanups.add('stop n8n', async () => await host.stop());
	const client = new N8nClient(host);
	await client.login();
	return { host, client, ca };
}
