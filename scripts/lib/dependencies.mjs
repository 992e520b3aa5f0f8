import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { longRun } from './longRun.mjs';
import { host1xFolder, hostFolder, hostNode, repository } from './paths.mjs';

/** Installs this package's own tools unless exactly what the lock file says is there. */
export async function installTools() {
	if (isInstalled(repository)) return;
	await longRun('Installing the development tools', 'npm', ['ci'], { cwd: repository });
}

/** Installs the pinned n8n and the Node beside it unless both are there and work. */
export async function installN8n() {
	await installHost(hostFolder, 'Installing the pinned n8n (about 3 minutes, once)');
	if (!succeeds(hostNode, ['--version'], hostFolder)) {
		await rebuild('Fetching the Node that n8n runs on', 'node', hostFolder);
	}
	await buildSqlite(hostFolder);
}

/** Installs the n8n 1.x of the compatibility tests unless it is there. */
export async function installN8n1x() {
	await installHost(host1xFolder, 'Installing n8n 1.x (about 3 minutes, once)');
	await buildSqlite(host1xFolder);
}

/** Whether n8n 1.x is there and can run. */
export function hasN8n1x() {
	return isInstalled(host1xFolder) && loadsSqlite(host1xFolder);
}

async function installHost(folder, purpose) {
	if (isInstalled(folder)) return;
	await longRun(purpose, 'npm', ['ci', '--legacy-peer-deps', '--ignore-scripts'], { cwd: folder });
}

/**
 * n8n keeps its embedded database with sqlite3, a native module. Its own install step takes a
 * ready-made binary where there is one and compiles otherwise.
 */
async function buildSqlite(folder) {
	if (loadsSqlite(folder)) return;
	await rebuild('Building the embedded database (about a minute, once)', 'sqlite3', folder).catch(
		(error) => {
			throw new Error(`${error.message}\n\n${compilerAdvice}`);
		},
	);
}

const compilerAdvice = `sqlite3 is downloaded or else compiled. Compiling needs python3, make and a C++ compiler:
  Debian, Ubuntu:  apt-get install -y python3 make g++
  macOS:           xcode-select --install
Then run the command again.`;

async function rebuild(purpose, name, folder) {
	await longRun(purpose, 'npm', ['rebuild', name, '--ignore-scripts=false'], { cwd: folder });
}

/**
 * Compares what npm recorded at the end of its last install with the lock file. npm removes its
 * record first and writes it last, so an install that was interrupted or has aged is found out.
 */
function isInstalled(folder) {
	const recordFile = join(folder, 'node_modules', '.package-lock.json');
	if (!existsSync(recordFile)) return false;
	const { packages: wanted } = readJson(join(folder, 'package-lock.json'));
	const { packages: present } = readJson(recordFile);
	return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
		if (path === '') return true;
		// Optional ones are left out where they do not fit the platform.
		if (!present[path]) return Boolean(optional ?? devOptional);
		return present[path].version === version && existsSync(join(folder, path));
	});
}

function loadsSqlite(folder) {
	return succeeds(hostNode, ['-e', "require('sqlite3')"], folder);
}

function succeeds(command, args, folder) {
	try {
		execFileSync(command, args, { cwd: folder, stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

function readJson(path) {
	return JSON.parse(readFileSync(path, 'utf8'));
}
