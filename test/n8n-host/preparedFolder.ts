import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { versionOf, type N8nInstallation } from './installation';
import { defaultOwner, N8nClient } from './n8nClient';
import { newUserFolder, startN8n } from './n8nProcess';

const preparedFolders = resolve(__dirname, '../../.cache/prepared');
const A_DAY_MS = 24 * 60 * 60_000;

/**
 * A new user folder in which n8n has been started before, with its tables, its owner (`defaultOwner`)
 * and the package: starting on it takes half the time of a first start. It is a copy of what the first
 * start for this release of n8n and this package has left in `.cache`. Whoever asks for it removes it.
 *
 * @param tarball the packed package, or null for none
 */
export async function preparedUserFolder(
	installation: N8nInstallation,
	tarball: string | null,
): Promise<string> {
	const name = await nameOf(installation, tarball);
	const prepared = join(preparedFolders, name);
	if (!existsSync(prepared)) await prepare(prepared, installation, tarball);
	const userFolder = await newUserFolder();
	await cp(prepared, userFolder, { recursive: true });
	return userFolder;
}

/** Begins with the release of n8n. */
async function nameOf(installation: N8nInstallation, tarball: string | null): Promise<string> {
	const content = tarball === null ? 'no package' : await readFile(tarball);
	const digest = createHash('sha256').update(JSON.stringify(defaultOwner)).update(content);
	return `${versionOf(installation)}-${digest.digest('hex').slice(0, 16)}`;
}

/** Several test processes may do this at once: the first one's folder is kept. */
async function prepare(
	prepared: string,
	installation: N8nInstallation,
	tarball: string | null,
): Promise<void> {
	await mkdir(preparedFolders, { recursive: true });
	await removeOld();
	const userFolder = await mkdtemp(join(preparedFolders, 'being-made-'));
	try {
		const host = await startN8n({ installation, tarball, userFolder });
		try {
			await new N8nClient(host).setupOwner();
		} finally {
			await host.stop();
		}
		await rm(join(userFolder, 'n8n.log'));
		await rename(userFolder, prepared);
	} catch (error) {
		await rm(userFolder, { recursive: true, force: true });
		if (!existsSync(prepared)) throw error;
	}
}

/** Of earlier builds of the package, and what a killed process was making. */
async function removeOld(): Promise<void> {
	for (const name of await readdir(preparedFolders)) {
		const folder = join(preparedFolders, name);
		const { mtimeMs } = await stat(folder);
		if (mtimeMs < Date.now() - A_DAY_MS) await rm(folder, { recursive: true, force: true });
	}
}
