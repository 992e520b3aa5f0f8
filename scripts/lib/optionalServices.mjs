import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';

import { hasN8n } from './dependencies.mjs';
import { olderHostFolder } from './paths.mjs';

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const chromiumOnMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const defaultPostgres = 'postgres://registry_test:registry_test@127.0.0.1:5432/registry_test';

/**
 * What some tests need and not everybody has. Each is named by an environment variable, which the
 * tests read; set it to choose another one than is found here.
 */
const services = [
	{
		name: 'Chromium',
		variable: 'TEST_CHROMIUM',
		find: findChromium,
		howTo: 'apt-get install -y chromium, or TEST_CHROMIUM=<path of Chrome or Chromium>',
	},
	{
		name: 'Redis',
		variable: 'TEST_REDIS_URL',
		find: findRedis,
		howTo:
			'apt-get install -y redis-server && redis-server --daemonize yes, or TEST_REDIS_URL=<url>',
	},
	{
		name: 'PostgreSQL',
		variable: 'TEST_POSTGRES_URL',
		find: findPostgres,
		howTo: `apt-get install -y postgresql, start it, and a role and database as in ${defaultPostgres}, or TEST_POSTGRES_URL=<url>`,
	},
	{
		name: 'n8n 2.40',
		variable: 'TEST_N8N_OLDER',
		find: findOlderN8n,
		howTo: 'npm run test:compatibility, which installs it (some minutes, once)',
	},
];

/** @returns {Promise<{ env: Record<string, string>, missing: Array<{ name: string, howTo: string }> }>} */
export async function findOptionalServices() {
	const env = {};
	const missing = [];
	for (const { name, variable, find, howTo } of services) {
		const found = process.env[variable] || (await find());
		if (found) env[variable] = found;
		else missing.push({ name, howTo });
	}
	return { env, missing };
}

function findOlderN8n() {
	const folder = olderHostFolder('2.40');
	return hasN8n(folder) ? join(folder, 'node_modules') : undefined;
}

function findChromium() {
	const onPath = (process.env.PATH ?? '')
		.split(delimiter)
		.flatMap((folder) => chromiumNames.map((name) => join(folder, name)));
	return [...onPath, chromiumOnMac].find(existsSync);
}

async function findRedis() {
	return (await listens(6379)) ? 'redis://127.0.0.1:6379' : undefined;
}

function findPostgres() {
	try {
		execFileSync('psql', [defaultPostgres, '-c', 'select 1'], { stdio: 'ignore', timeout: 5_000 });
		return defaultPostgres;
	} catch {
		return undefined;
	}
}

async function listens(port) {
	const socket = connect(port, '127.0.0.1');
	const answer = await new Promise((resolve) => {
		socket.once('connect', () => resolve(true));
		socket.once('error', () => resolve(false));
	});
	socket.destroy();
	return answer;
}
