import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Cleanups } from './cleanups';

/**
 * What tells an n8n to trust this certificate, in PEM form, as it trusts a proper one: its own public
 * address is behind it, and in a test run of a trigger it delivers to itself.
 */
export async function trusting(cleanups: Cleanups, ca: string): Promise<Record<string, string>> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-ca-'));
	cleanups.add('remove the certificate', async () => await rm(folder, { recursive: true }));
	const file = join(folder, 'ca.pem');
	await writeFile(file, ca);
	return { NODE_EXTRA_CA_CERTS: file };
}
