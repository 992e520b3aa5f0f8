import { execFileSync } from 'node:child_process';
import {
	copyFileSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { longRun } from './longRun.mjs';
import { hostFolder, hostNode, nativeFolder, nodeCliFolder, repository } from './paths.mjs';

const database = 'node_modules/sqlite3/build/Release/node_sqlite3.node';
/** What npm has installed, in the folder of packages. */
const RECORD = '.package-lock.json';

/** Installs this package's own tools unless exactly what the lock file says is there. */
export async function installTools() {
	if (isInstalled(repository)) return;
	await longRun('Installing the development tools', 'npm', ['ci'], { cwd: repository });
}

/** Installs n8n's own tool for authors of nodes unless it is there. */
export async function installNodeCli() {
	if (isInstalled(nodeCliFolder)) return;
	await npm("Installing n8n's lint (a minute, once)", nodeCliFolder, 'ci');
}

/**
 * Installs n8n in these folders, the pinned one unless told, and what it runs on, unless all is there and
 * works. A folder without a lock file gets what its manifest asks for today.
 */
export async function installN8n(folders = [hostFolder]) {
	await sideBySide([installAll(folders), installWhatItRunsOn()]);
	for (const folder of folders.filter((one) => !hasDatabase(one))) {
		mkdirSync(dirname(join(folder, database)), { recursive: true });
		copyFileSync(join(nativeFolder, database), join(folder, database));
		if (!hasDatabase(folder))
			throw new Error(`The database of the n8n in ${folder} does not load.`);
	}
}

/** Whether there is nothing left to do for that n8n. */
export function hasN8n(folder = hostFolder) {
	return isInstalled(folder) && hasDatabase(folder);
}

/** Lets every step come to its end, so that none goes on unseen when another has failed. */
export async function sideBySide(steps) {
	const failed = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
	if (failed) throw failed.reason;
}

/** One after the other: two releases of n8n share most of their packages, so the second one takes a minute. */
async function installAll(folders) {
	let installed;
	for (const folder of folders) {
		if (!isInstalled(folder)) await install(folder, installed);
		installed = folder;
	}
}

async function install(folder, similar) {
	const { n8n } = readJson(join(folder, 'package.json')).dependencies;
	const purpose = `Installing n8n ${n8n} (some minutes, once)`;
	const hasLock = existsSync(join(folder, 'package-lock.json'));
	const isNew = !existsSync(join(folder, 'node_modules'));
	if (!hasLock) return await npm(purpose, folder, 'install');
	if (!similar || !isNew) return await npm(purpose, folder, 'ci');

	const [modules, copy] = [similar, folder].map((one) => join(one, 'node_modules'));
	linkTree(modules, copy);
	// Of all files, npm writes only its record in place.
	rmSync(join(copy, RECORD));
	copyFileSync(join(modules, RECORD), join(copy, RECORD));
	await npm(purpose, folder, 'install');
}

/** A copy of a folder that takes no room: its files are hard links. */
function linkTree(from, to) {
	mkdirSync(to);
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		const [source, copy] = [join(from, entry.name), join(to, entry.name)];
		if (entry.isDirectory()) linkTree(source, copy);
		else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), copy);
		else linkSync(source, copy);
	}
}

/** In a folder of its own: compiling the database takes a minute, which is that of installing n8n. */
async function installWhatItRunsOn() {
	if (hasN8n(nativeFolder)) return;
	await npm("Installing what builds n8n's database", nativeFolder, 'ci');
	await npm('Fetching the Node that n8n runs on', nativeFolder, 'rebuild', 'node');
	// Takes a ready-made binary where there is one and compiles otherwise.
	const purpose = "Building n8n's database (about a minute, once)";
	await npm(purpose, nativeFolder, 'rebuild', 'sqlite3').catch((error) => {
		throw new Error(`${error.message}\n\n${compilerAdvice}`);
	});
}

/** Only `rebuild` runs install scripts, those of the package that it names. */
async function npm(purpose, cwd, command, ...names) {
	const flag = `--ignore-scripts=${command !== 'rebuild'}`;
	await longRun(purpose, 'npm', [command, ...names, '--legacy-peer-deps', flag], { cwd });
}

const compilerAdvice = `sqlite3 is downloaded or else compiled. Compiling needs python3, make and a C++ compiler:
  Debian, Ubuntu:  apt-get install -y python3 make g++
  macOS:           xcode-select --install
Then run the command again.`;

/**
 * Compares what npm recorded at the end of its last install with the lock file. npm removes its
 * record first and writes it last, so an install that was interrupted or has aged is found out.
 */
export function isInstalled(folder) {
	const files = ['package-lock.json', join('node_modules', RECORD)];
	const [wanted, present] = files.map((file) => readJson(join(folder, file)).packages);
	if (!wanted || !present) return false;
	return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
		if (path === '') return true;
		// Optional ones are left out where they do not fit the platform.
		if (!present[path]) return Boolean(optional ?? devOptional);
		return present[path].version === version && existsSync(join(folder, path));
	});
}

/** Whether Node runs and loads the database there. */
function hasDatabase(folder) {
	try {
		execFileSync(hostNode, ['-e', "require('sqlite3')"], { cwd: folder, stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

/** An empty object where there is no such file. */
function readJson(path) {
	return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}
