import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes into `folder` a manifest and a lock file that hold these direct dependencies of the manifest in
 * `source`, and what they need, at the versions that are locked there.
 *
 * @param {string} source
 * @param {string[]} names
 * @param {string} folder
 */
export function writePartOfLock(source, names, folder) {
	const { packages, ...lock } = JSON.parse(readFileSync(join(source, 'package-lock.json'), 'utf8'));
	const found = {};
	const add = (path) => {
		if (found[path]) return;
		found[path] = packages[path];
		const { dependencies, optionalDependencies } = packages[path];
		for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
			const needed = placeOf(name, path);
			if (needed) add(needed);
		}
	};
	/** As Node looks for it: inside the package that needs it, then beside that, and so on. */
	const placeOf = (name, from) => {
		const path = join(from, 'node_modules', name);
		if (packages[path] || from === '') return packages[path] && path;
		return placeOf(name, from.slice(0, from.lastIndexOf('node_modules')).replace(/\/$/, ''));
	};
	for (const name of names) add(placeOf(name, ''));

	const dependencies = Object.fromEntries(
		names.map((name) => [name, packages[placeOf(name, '')].version]),
	);
	const root = { name: 'native-parts', private: true, dependencies };
	mkdirSync(folder, { recursive: true });
	const write = (file, content) =>
		writeFileSync(join(folder, file), JSON.stringify(content, null, 2));
	write('package.json', root);
	write('package-lock.json', { ...lock, name: root.name, packages: { '': root, ...found } });
}
