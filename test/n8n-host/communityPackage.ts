import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { name as packageName } from '../../package.json';

const run = promisify(execFile);

/**
 * Puts a packed package where n8n's community nodes screen puts it: unpacked below `.n8n/nodes/node_modules`.
 * An earlier version there is replaced.
 */
export async function installCommunityPackage(userFolder: string, tarball: string): Promise<void> {
	const nodesFolder = nodesFolderOf(userFolder);
	await mkdir(join(nodesFolder, 'node_modules'), { recursive: true });
	const unpacked = await mkdtemp(join(nodesFolder, 'unpacked-'));
	await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);

	const { name, version } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
	const destination = join(nodesFolder, 'node_modules', name);
	await rm(destination, { recursive: true, force: true });
	await rename(unpacked, destination);
	const installed = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
	await writeFile(join(nodesFolder, 'package.json'), JSON.stringify(installed));
}

/** Where this package is in an n8n with that user folder. */
export function installedPackageFolder(userFolder: string): string {
	return join(nodesFolderOf(userFolder), 'node_modules', packageName);
}

function nodesFolderOf(userFolder: string): string {
	return join(userFolder, '.n8n', 'nodes');
}
