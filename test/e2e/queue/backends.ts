import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

import type { Backends } from './settings';

const run = promisify(execFile);
const LARGE = 512 * 1024 * 1024;

/**
 * Makes a place of the run's own in each service.
 *
 * @param redisUrl redis://[:password@]host:port
 * @param postgresUrl postgres://user:password@host:port/database of a role that may make schemas
 */
export async function openBackends(redisUrl: string, postgresUrl: string): Promise<Backends> {
	const name = `registry_test_${randomBytes(6).toString('hex')}`;
	const backends = { redis: new URL(redisUrl), postgres: new URL(postgresUrl), name };
	await command(backends, `create schema ${name}`);
	return backends;
}

/** Leaves nothing of the run behind in either service. */
export async function dropBackends(backends: Backends): Promise<void> {
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
