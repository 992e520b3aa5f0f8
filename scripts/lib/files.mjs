import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from './paths.mjs';

/** Paths relative to the repository; none where there is nothing of that name. */
export function filesOf(path) {
	const absolute = join(repository, path);
	if (!existsSync(absolute)) return [];
	if (!statSync(absolute).isDirectory()) return [path];
	return readdirSync(absolute).flatMap((entry) => filesOf(join(path, entry)));
}

/** The same as long as no file there changes, comes or goes. */
export function digestOf(paths) {
	const hash = createHash('sha256');
	for (const file of paths.flatMap(filesOf).sort()) {
		hash
			.update(file)
			.update('\0')
			.update(readFileSync(join(repository, file)))
			.update('\0');
	}
	return hash.digest('hex');
}
