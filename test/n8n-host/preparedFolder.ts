import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { versionOf, type N8nInstallation } from './installation';
import { defaultOwner, N8nClient } from './n8nClient';
import { startN8n } from './n8nProcess';

const preparedFolders = resolve(__dirname, '../../.cache/prepared');

/**
 * The user folder of an n8n that has been started once, with its tables and its owner (`defaultOwner`): starting on
 * a copy takes half the time of a first start. It is made in `.cache`, unless it is there; `npm test` does this
 * before the tests, so that only one process does.
 */
export async function preparedFolder(installation: N8nInstallation): Promise<string> {
	const owner = createHash('sha256').update(JSON.stringify(defaultOwner)).digest('hex');
	const prepared = join(preparedFolders, `${versionOf(installation)}-${owner.slice(0, 16)}`);
	if (existsSync(prepared)) return prepared;

	await mkdir(preparedFolders, { recursive: true });
	const userFolder = await mkdtemp(join(preparedFolders, 'being-made-'));
	try {
		const host = await startN8n({ installation, tarball: null, userFolder, isHeadless: true });
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
	return prepared;
}
