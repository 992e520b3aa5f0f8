import { Cleanups } from '../n8n-host/cleanups';
import type { N8nOptions } from '../n8n-host/n8nProcess';
import { startPackageRegistry, type PackageRegistry } from '../n8n-host/packageRegistry';
import { addWitness } from '../support/witnesses';
import { startReachableN8n, type ReachableN8n } from './reachableN8n';

/** A real n8n without the package, reachable over https, and a registry to install packages from. */
export interface BareN8n extends ReachableN8n {
	registry: PackageRegistry;
	stop(): Promise<void>;
}

export async function startBareN8n(
	options: Pick<N8nOptions, 'env' | 'isHeadless'> = {},
): Promise<BareN8n> {
	const cleanups = new Cleanups();
	try {
		const registry = await startPackageRegistry();
		cleanups.add('stop the package registry', async () => await registry.close());
		const n8n = await startReachableN8n(cleanups, {
			...options,
			tarball: null,
			env: { ...registry.env, ...options.env },
		});
		addWitness({ name: 'n8n', log: () => n8n.host.logs() });
		return { ...n8n, registry, stop: async () => await cleanups.run() };
	} catch (error) {
		await cleanups.run();
		throw error;
	}
}
