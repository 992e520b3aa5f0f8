import { cp, rm } from 'node:fs/promises';

import type { Cleanups } from './cleanups';
import { withLazyEngine } from './environment';
import { testedInstallation } from './installation';
import { N8nClient } from './n8nClient';
import { newUserFolder, startN8n, type N8nHost, type N8nOptions } from './n8nProcess';
import { freePort } from './ports';
import { preparedFolder } from './preparedFolder';
import { openAddress } from './publicAddress';

export interface ReachableN8n {
	host: N8nHost;
	/** Signed in as the owner. */
	client: N8nClient;
	/** Certificate that deliveries to this n8n have to trust. */
	ca: string;
}

/**
 * Starts an n8n that is reachable at an https `url`, on a copy of what a first start has left, or of another user folder.
 */
export async function startReachableN8n(
	cleanups: Cleanups,
	{ installation = testedInstallation, copied, ...options }: N8nOptions & { copied?: string } = {},
): Promise<ReachableN8n & { url: string }> {
	const port = options.port ?? (await freePort());
	const { url, ca, env: reached } = await openAddress(cleanups, port);
	const userFolder = await newUserFolder();
	cleanups.add("remove n8n's folder", async () => await rm(userFolder, { recursive: true }));
	await cp(copied ?? (await preparedFolder(installation)), userFolder, { recursive: true });

	const env = { ...withLazyEngine, ...reached, ...options.env };
	const interruption = new AbortController();
	const { signal } = interruption;
	const starting = startN8n({ ...options, installation, userFolder, port, env, signal });
	// From now on: an interruption while n8n starts must end it too.
	cleanups.add('stop n8n', async () => {
		interruption.abort();
		const host = await starting.catch(() => undefined);
		await host?.stop();
	});
	const host = await starting;
	const client = new N8nClient(host);
	await client.login();
	return { host, client, ca, url };
}
