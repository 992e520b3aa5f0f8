import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { name, version } from '../../package.json';

/** An installed n8n and the Node that runs it. */
export interface N8nInstallation {
	node: string;
	n8n: string;
}

/** What tests run that do not say which: the n8n pinned here, or that of the `node_modules` in TEST_N8N. */
export const testedInstallation = installationIn(
	process.env.TEST_N8N || join(__dirname, 'node_modules'),
);

/** An n8n that npm has installed, and the Node that test/n8n-native/package.json pins. */
export function installationIn(nodeModules: string): N8nInstallation {
	return {
		node: resolve(__dirname, '../n8n-native/node_modules/node/bin/node'),
		n8n: join(nodeModules, 'n8n', 'bin', 'n8n'),
	};
}

/** Such as 2.41.1. */
export function versionOf({ n8n }: N8nInstallation): string {
	return JSON.parse(readFileSync(resolve(n8n, '../../package.json'), 'utf8')).version;
}

/** Path of this package as `npm start` and `npm test` have packed it. Throws when they have not. */
export function packedTarball(): string {
	const tarball = resolve(__dirname, `../../.cache/${name}-${version}.tgz`);
	if (existsSync(tarball)) return tarball;
	throw new Error(`${tarball} is missing: run "node scripts/bootstrap.mjs", which packs it`);
}
