import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

import type { Cleanups } from '../../n8n-host/cleanups';
import { withTimes } from '../../n8n-host/environment';
import { N8nClient } from '../../n8n-host/n8nClient';
import { startN8n, type N8nHost, type N8nRole } from '../../n8n-host/n8nProcess';
import { freePort } from '../../n8n-host/ports';
import { openAddress } from '../../n8n-host/publicAddress';
import { deploymentSettings, operatorSettings, placeSettings } from './settings';

const run = promisify(execFile);
const LARGE = 512 * 1024 * 1024;

/** The trigger stores more often here. */
export const TIMES = { store: 5_000 };

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * n8n in queue mode: five processes, each with a folder of its own, as on five machines. In each service, the run
 * has a place of its own, of which nothing is left behind.
 *
 * @param redisUrl redis://[:password@]host:port
 * @param postgresUrl postgres://user:password@host:port/database of a role that may make schemas
 */
export async function startCluster(cleanups: Cleanups, redisUrl: string, postgresUrl: string) {
	const name = `registry_test_${randomBytes(6).toString('hex')}`;
	const backends = { redis: new URL(redisUrl), postgres: new URL(postgresUrl), name };
	const sql = async (text: string) => await run('psql', [postgresUrl, '-Xqc', text]);
	const redis = async (...args: string[]) =>
		await run('redis-cli', ['-u', redisUrl, ...args], { maxBuffer: LARGE });
	await sql(`create schema ${name}`);
	cleanups.add('drop the backends', async () => {
		await sql(`set client_min_messages = warning; drop schema ${name} cascade`);
		const { stdout } = await redis('--scan', '--pattern', `*${name}*`);
		const keys = stdout.split('\n').filter(Boolean);
		if (keys.length > 0) await redis('del', ...keys);
	});

	// By which n8n reaches itself: as in deploy/Caddyfile, only deliveries go to a process for webhooks.
	const [mainPort, webhookPort] = [await freePort(), await freePort()];
	const { env } = await openAddress(cleanups, (path) =>
		path.startsWith('/webhook/') ? webhookPort : mainPort,
	);
	const running: N8nHost[] = [];
	cleanups.add('stop the processes', async () => {
		await Promise.all(running.map(async (host) => await host.stop()));
	});
	const start = async (role: N8nRole, ownPort?: number) => {
		const port = ownPort ?? (await freePort());
		const settings = {
			...deploymentSettings(),
			...placeSettings(backends),
			...operatorSettings(backends),
			...env,
			...withTimes(TIMES),
			// One machine instead of one for each process.
			QUEUE_HEALTH_CHECK_PORT: String(port),
		};
		const host = await startN8n({ role, port, isHeadless: true, env: settings });
		running.push(host);
		return host;
	};

	// The main process makes the tables that the others need.
	const main = await start('start', mainPort);
	/** Signed in at the main process. */
	const client = new N8nClient(main);
	await client.setupOwner();
	const started = await Promise.allSettled([
		start('webhook', webhookPort),
		start('webhook'),
		start('worker'),
		start('worker'),
	]);
	const [webhook1, webhook2, worker1, worker2] = started.map((result) => {
		if (result.status === 'rejected') throw result.reason;
		return result.value;
	});
	const webhooks: [N8nHost, N8nHost] = [webhook1, webhook2];
	return { main, client, webhooks, workers: [worker1, worker2], running };
}
