import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

import type { Cleanups } from '../../n8n-host/cleanups';
import { withTimes } from '../../n8n-host/environment';
import { N8nClient } from '../../n8n-host/n8nClient';
import { startN8n, type N8nHost, type N8nRole } from '../../n8n-host/n8nProcess';
import { freePort } from '../../n8n-host/ports';
import { openAddress } from '../../n8n-host/publicAddress';
import { deploymentSettings, operatorSettings, placeSettings, type Backends } from './settings';

const run = promisify(execFile);
const LARGE = 512 * 1024 * 1024;

/** The trigger stores more often here. */
export const TIMES = { store: 5_000 };

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** n8n in queue mode: five processes, each with a folder of its own, as on five machines. */
export async function startCluster(cleanups: Cleanups, redisUrl: string, postgresUrl: string) {
	const backends = await openBackends(redisUrl, postgresUrl);
	cleanups.add('drop the backends', async () => await dropBackends(backends));
	// By which n8n reaches itself: that of the first process for webhooks.
	const port = await freePort();
	const { env } = await openAddress(cleanups, port);
	const running: N8nHost[] = [];
	cleanups.add('stop the processes', async () => {
		await Promise.all(running.map(async (host) => await host.stop()));
	});
	const start = async (role: N8nRole, ownPort?: number) => {
		const host = await startMember(role, backends, env, ownPort);
		running.push(host);
		return host;
	};
	// The main process makes the tables that the others need.
	const main = await start('start');
	/** Signed in at the main process. */
	const client = new N8nClient(main);
	await client.setupOwner();
	const started = await Promise.allSettled([
		start('webhook', port),
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

async function startMember(
	role: N8nRole,
	backends: Backends,
	env: Record<string, string>,
	ownPort?: number,
): Promise<N8nHost> {
	const port = ownPort ?? (await freePort());
	return await startN8n({
		role,
		port,
		isHeadless: true,
		env: {
			...deploymentSettings(),
			...placeSettings(backends),
			...operatorSettings(backends),
			...env,
			...withTimes(TIMES),
			// One machine instead of one for each process.
			QUEUE_HEALTH_CHECK_PORT: String(port),
		},
	});
}

/**
 * Makes a place of the run's own in each service.
 *
 * @param redisUrl redis://[:password@]host:port
 * @param postgresUrl postgres://user:password@host:port/database of a role that may make schemas
 */
async function openBackends(redisUrl: string, postgresUrl: string): Promise<Backends> {
	const name = `registry_test_${randomBytes(6).toString('hex')}`;
	const backends = { redis: new URL(redisUrl), postgres: new URL(postgresUrl), name };
	await command(backends, `create schema ${name}`);
	return backends;
}

/** Leaves nothing of the run behind in either service. */
async function dropBackends(backends: Backends): Promise<void> {
	await command(
		backends,
		`set client_min_messages = warning; drop schema ${backends.name} cascade`,
	);
	const keys = await redis(backends, '--scan', '--pattern', `*${backends.name}*`);
	for (const key of keys.split('\n').filter(Boolean)) await redis(backends, 'del', key);
}

async function command({ postgres }: Backends, sql: string): Promise<void> {
	await run('psql', [postgres.href, '-Xqc', sql]);
}

async function redis(backends: Backends, ...args: string[]): Promise<string> {
	return (await run('redis-cli', ['-u', backends.redis.href, ...args], { maxBuffer: LARGE }))
		.stdout;
}
