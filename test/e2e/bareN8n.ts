import { Cleanups } from '../n8n-host/cleanups';
import { N8nClient } from '../n8n-host/n8nClient';
import { startN8n, type N8nHost } from '../n8n-host/n8nProcess';
import { startPackageRegistry, type PackageRegistry } from '../n8n-host/packageRegistry';
import { freePort } from '../n8n-host/ports';
import { behindProxy } from '../n8n-host/publicAddress';
import { startTlsProxy } from '../simulator/tlsProxy';

/** A real n8n without the package, reachable over https, and a registry to install packages from. */
export interface BareN8n {
	registry: PackageRegistry;
	host: N8nHost;
	/** Signed in as the owner. */
	client: N8nClient;
	/** Certificate that deliveries to this n8n have to trust. */
	ca: string;
	stop(): Promise<void>;
}

/** `env` is added to n8n's environment. */
export async function startBareN8n(env: Record<string, string> = {}): Promise<BareN8n> {
	const cleanups = new Cleanups();
	try {
		const registry = await startPackageRegistry();
		cleanups.add('stop the package registry', async () => await registry.close());
		const port = await freePort();
		const proxy = await startTlsProxy({ targetPort: port });
		cleanups.add('stop the TLS proxy', async () => await proxy.close());
		const settings = { ...behindProxy(proxy.url), ...registry.env, ...env };
		const host = await startN8n({ port, tarball: null, env: settings });
		cleanups.add('stop n8n', async () => await host.stop());
		const client = new N8nClient(host.url);
		await client.setupOwner();
		return { registry, host, client, ca: proxy.ca, stop: async () => await cleanups.run() };
	} catch (error) {
		await cleanups.run();
		throw error;
	}
}
