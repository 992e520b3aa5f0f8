import { createRequire } from 'node:module';
import { join } from 'node:path';

const load = createRequire(__filename);

/** A module of the package as it was built: what a loader does to sources on their way costs time. */
export function built<Module>(path: string): Module {
	return load(join(__dirname, '../../dist', path));
}
