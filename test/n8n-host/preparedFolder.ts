import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { installCommunityPackage } from './communityPackage';
import { versionOf, type N8nInstallation } from './installation';
import { defaultOwner, N8nClient } from './n8nClient';
import { newUserFolder, startN8n } from './n8nProcess';

const preparedFolders = resolve(__dirname, '../../.cache/prepared');
const A_DAY_MS = 24 * 60 * 60_000;

/**
 * A new user folder in which n8n has been started before, with its tables, its owner (`defaultOwner`) and the
 * package: starting on it takes half the time of a first start. It is a copy of what the first start of this n8n
 * has left in `.cache`. Whoever asks for it removes it.
 *
 * @param tarball the packed package, or null for none
 */
export async function preparedUserFolder(
	installation: N8nInstallation,
	tarball: string | null,
): Promise<string> {
	const userFolder = await newUserFolder();
	await cp(await preparedFolder(installation), userFolder, { recursive: true });
	if (tarball !== null) await installCommunityPackage(userFolder, tarball);
	return userFolder;
}

/** Makes what is copied, unless it is there. `npm test` does this before the tests, so that only one process does. */
export async function preparedFolder(installation: N8nInstallation): Promise<string> {
	const prepared = join(preparedFolders, nameOf(installation));
	if (existsSync(prepared)) return prepared;

	await mkdir(preparedFolders, { recursive: true });
	await removeOld();
	await prepare(prepared, installation);
	return prepared;
}

/** Begins with the release of n8n. */
function nameOf(installation: N8nInstallation): string {
	const digest = createHash('sha256').update(JSON.stringify(defaultOwner));
	return `${versionOf(installation)}-${digest.digest('hex').slice(0, 16)}`;
}

async function prepare(prepared: string, installation: N8nInstallation): Promise<void> {
	const userFolder = await mkdtemp(join(preparedFolders, 'being-made-'));
	try {
		const host = await startN8n({ installation, tarball: null, userFolder });
		try {
			await new N8nClient(host).setupOwner();
		} finally {
			await host.stop();
		}
		await rm(join(userFolder, 'n8n.log'));
		await rename(userFolder, prepared);
	} catch (error) {
		await rm(userFolder, { recursive: true, force: true });
		// Another process may have been faster.
		if (!existsSync(prepared)) throw error;
	}
}

/** Of an earlier n8n, and what a killed process was making. */
async function removeOld(): Promise<void> {
	for (const name of await readdir(preparedFolders)) {
		const folder = join(preparedFolders, name);
		// Another process may have removed or renamed it by now.
		const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
		if (mtimeMs < Date.now() - A_DAY_MS) await rm(folder, { recursive: true, force: true });
	}
}
