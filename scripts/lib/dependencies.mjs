import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { longRun } from './longRun.mjs';
import { writePartOfLock } from './partOfLock.mjs';
import { host1xFolder, hostFolder, hostNode, nativeFolder, repository } from './paths.mjs';

/** Installs this package's own tools unless exactly what the lock file says is there. */
export async function installTools() {
	if (hasTools()) return;
	await longRun('Installing the development tools', 'npm', ['ci'], { cwd: repository });
}

export function hasTools() {
	return isInstalled(repository);
}

/**
 * Installs the pinned n8n and the Node beside it, with `withN8n1x` also the n8n of the compatibility
 * tests, unless they are there and work.
 */
export async function installN8n({ withN8n1x = false } = {}) {
	const folders = withN8n1x ? [hostFolder, host1xFolder] : [hostFolder];
	const lacking = folders.filter((folder) => !hasNativeParts(folder));
	await sideBySide([
		...folders.filter((folder) => !isInstalled(folder)).map(install),
		lacking.length > 0 ? makeNativeParts() : undefined,
	]);
	for (const folder of lacking) putNativePartsInto(folder);
	const broken = lacking.find((folder) => !hasNativeParts(folder));
	if (broken) throw new Error(`The embedded database of the n8n in ${broken} does not load.`);
}

/** How many steps the same would take. */
export function stepsToN8n({ withN8n1x = false } = {}) {
	const folders = withN8n1x ? [hostFolder, host1xFolder] : [hostFolder];
	const installs = folders.filter((folder) => !isInstalled(folder)).length;
	return installs + (folders.every(hasNativeParts) ? 0 : STEPS_OF_NATIVE_PARTS);
}

async function install(folder) {
	const purpose = folder === hostFolder ? 'Installing the pinned n8n' : 'Installing n8n 1.x';
	await longRun(`${purpose} (some minutes, once)`, 'npm', npmCi, { cwd: folder });
}

/** Whether n8n 1.x is there and can run. */
export function hasN8n1x() {
	return isInstalled(host1xFolder) && hasNativeParts(host1xFolder);
}

/** Lets every step come to its end, so that none goes on unseen when another has failed. */
export async function sideBySide(steps) {
	const failed = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
	if (failed) throw failed.reason;
}

const npmCi = ['ci', '--legacy-peer-deps', '--ignore-scripts'];

/** What installing n8n leaves out: Node, and the database that n8n has built in. By package. */
const nativeParts = { node: 'bin/node', sqlite3: 'build/Release/node_sqlite3.node' };
const STEPS_OF_NATIVE_PARTS = 3;

/** Makes both in a folder of their own, so that this need not wait until n8n is installed. */
async function makeNativeParts() {
	rmSync(nativeFolder, { recursive: true, force: true });
	writePartOfLock(hostFolder, Object.keys(nativeParts), nativeFolder);
	const npm = async (purpose, args) => await longRun(purpose, 'npm', args, { cwd: nativeFolder });
	await npm("Installing what builds n8n's database", npmCi);
	const rebuild = async (purpose, name) =>
		await npm(purpose, ['rebuild', name, '--ignore-scripts=false']);
	await rebuild('Fetching the Node that n8n runs on', 'node');
	// Takes a ready-made binary where there is one and compiles otherwise.
	await rebuild("Building n8n's database (about a minute, once)", 'sqlite3').catch((error) => {
		throw new Error(`${error.message}\n\n${compilerAdvice}`);
	});
}

function putNativePartsInto(folder) {
	for (const [name, file] of Object.entries(nativeParts)) {
		const place = join('node_modules', name);
		// n8n 1.x has no Node of its own.
		if (!existsSync(join(folder, place))) continue;
		mkdirSync(join(folder, place, dirname(file)), { recursive: true });
		copyFileSync(join(nativeFolder, place, file), join(folder, place, file));
	}
}

const compilerAdvice = `sqlite3 is downloaded or else compiled. Compiling needs python3, make and a C++ compiler:
  Debian, Ubuntu:  apt-get install -y python3 make g++
  macOS:           xcode-select --install
Then run the command again.`;

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

/** Whether Node runs and loads the database of the n8n in that folder. */
function hasNativeParts(folder) {
	try {
		execFileSync(hostNode, ['-e', "require('sqlite3')"], { cwd: folder, stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

function readJson(path) {
	return JSON.parse(readFileSync(path, 'utf8'));
}
