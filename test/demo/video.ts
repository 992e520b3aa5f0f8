import type { Cleanups } from '../n8n-host/cleanups';
import { packedTarball } from '../n8n-host/installation';
import { startPackageRegistry } from '../n8n-host/packageRegistry';
import { openStage, type Stage } from './stage';

/**
 * For the video of docs/maintainers/video.md: an n8n without the package, which it can install, and a simulated service
 * that sends events when it is told to.
 */
export async function setTheStage(cleanups: Cleanups): Promise<Stage> {
	const packages = await startPackageRegistry();
	cleanups.add('stop the package registry', async () => await packages.close());
	const { name, version } = await packages.publish(packedTarball());
	const stage = await openStage(cleanups, { env: packages.env, tarball: null });
	console.log(`  install         ${name} (${version})`);
	return stage;
}
