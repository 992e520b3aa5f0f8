import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startTlsProxy, type TargetPort } from '../simulator/tlsProxy';
import type { Cleanups } from './cleanups';

/**
 * What tells an n8n that the world reaches it at `publicUrl`, an https address without a trailing
 * slash, through one reverse proxy.
 */
export function behindProxy(publicUrl: string): Record<string, string> {
	return {
		N8N_WEBHOOK_URL: `${publicUrl}/`,
		N8N_PROXY_HOPS: '1',
	};
}

/**
 * Opens an https address of an n8n that listens at that port, now or later. `ca` is the certificate that
 * deliveries have to trust, `certificate` the path of its file; `env` tells n8n of the address, and to trust its certificate as it trusts a
 * proper one: in a test run of a trigger it delivers to itself.
 */
export async function openAddress(cleanups: Cleanups, targetPort: TargetPort) {
	const { url, ca, close } = await startTlsProxy({ targetPort });
	cleanups.add('stop the TLS proxy', close);
	const folder = await mkdtemp(join(tmpdir(), 'n8n-ca-'));
	cleanups.add('remove the certificate', async () => await rm(folder, { recursive: true }));
	const file = join(folder, 'ca.pem');
	await writeFile(file, ca);
	return { url, ca, certificate: file, env: { ...behindProxy(url), NODE_EXTRA_CA_CERTS: file } };
}
