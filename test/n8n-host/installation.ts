import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** An installed n8n and the Node that runs it. */
export interface N8nInstallation {
	node: string;
	n8n: string;
}

const repository = resolve(__dirname, '../..');

/** The n8n that test/n8n-host/package.json pins, and the Node beside it. */
export const pinnedInstallation: N8nInstallation = installationIn(join(__dirname, 'node_modules'));

/** An installation laid out as npm does it: n8n and node beside each other in `nodeModules`. */
export function installationIn(nodeModules: string): N8nInstallation {
	return {
		node: join(nodeModules, 'node', 'bin', 'node'),
		n8n: join(nodeModules, 'n8n', 'bin', 'n8n'),
	};
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
