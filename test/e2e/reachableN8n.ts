import { rm } from 'node:fs/promises';

import type { Cleanups } from '../n8n-host/cleanups';
import { withLazyEngine } from '../n8n-host/environment';
import { packedTarball, testedInstallation } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import { startN8n, type N8nHost, type N8nOptions } from '../n8n-host/n8nProcess';
import { freePort } from '../n8n-host/ports';
import { preparedUserFolder } from '../n8n-host/preparedFolder';
import { openAddress } from '../n8n-host/publicAddress';

export interface ReachableN8n {
	host: N8nHost;
	/** Signed in as the owner. */
	client: N8nClient;
	/** Certificate that deliveries to this n8n have to trust. */
	ca: string;
}

/** Starts an n8n that is reachable over https, and signs in as its owner. */
export async function startReachableN8n(
	cleanups: Cleanups,
	options: Pick<
		N8nOptions,
		'env' | 'installation' | 'tarball' | 'isHeadless' | 'isInBackground'
	> = {},
): Promise<ReachableN8n> {
	const { installation = testedInstallation, tarball = packedTarball() } = options;
	const { isHeadless, isInBackground } = options;
	const port = await freePort();
	const address = await openAddress(cleanups, port, isInBackground);
	const userFolder = await preparedUserFolder(installation, tarball);
	cleanups.add("remove n8n's folder", async () => await rm(userFolder, { recursive: true }));
	const env = { ...withLazyEngine, ...address.env, ...options.env };
	// The package is in the folder already.
	const place = { userFolder, tarball: null, port };
	const host = await startN8n({ installation, ...place, env, isHeadless, isInBackground });
	cleanups.add('stop n8n', async () => await host.stop());
	const client = new N8nClient(host);
	await client.login();
	return { host, client, ca: address.ca };
}
