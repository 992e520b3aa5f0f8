import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** An installed n8n and the Node that runs it. */
export interface N8nInstallation {
	node: string;
	n8n: string;
	/** What it needs in its environment, which that of a test wins over. */
	env?: Record<string, string>;
}

const repository = resolve(__dirname, '../..');

/** The n8n that test/n8n-host/package.json pins, and the Node beside it. */
export const pinnedInstallation: N8nInstallation = installationIn(join(__dirname, 'node_modules'));

/** The n8n 1.x that test/n8n-host-1x/package.json pins, or the one in `nodeModules`. */
export function n8n1x(
	nodeModules = resolve(__dirname, '../n8n-host-1x/node_modules'),
): N8nInstallation {
	return {
		...installationIn(nodeModules),
		node: pinnedInstallation.node,
		// It does not start when told to leave out a module that it does not have.
		env: { N8N_DISABLED_MODULES: '' },
	};
}

/** What tests run that do not say which: the pinned n8n, or 1.x with TEST_N8N=1.x. */
export const testedInstallation = process.env.TEST_N8N === '1.x' ? n8n1x() : pinnedInstallation;

/** An installation laid out as npm does it: n8n and node beside each other in `nodeModules`. */
export function installationIn(nodeModules: string): N8nInstallation {
	return {
		node: join(nodeModules, 'node', 'bin', 'node'),
		n8n: join(nodeModules, 'n8n', 'bin', 'n8n'),
	};
}

/** Such as 2.40.7. */
export function versionOf({ n8n }: N8nInstallation): string {
	return JSON.parse(readFileSync(resolve(n8n, '../../package.json'), 'utf8')).version;
}

/** Path of this package as `npm start` and `npm test` have packed it. Throws when they have not. */
export function packedTarball(): string {
	const manifest: { name: string; version: string } = JSON.parse(
		readFileSync(join(repository, 'package.json'), 'utf8'),
	);
	const tarball = join(repository, '.cache', `${manifest.name}-${manifest.version}.tgz`);
	if (!existsSync(tarball)) {
		throw new Error(`${tarball} is missing: run "node scripts/bootstrap.mjs", which packs it`);
	}
	return tarball;
}
