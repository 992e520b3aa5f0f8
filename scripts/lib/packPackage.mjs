import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { digestOf } from './files.mjs';
import { longRun } from './longRun.mjs';
import { cacheFolder, repository } from './paths.mjs';

/** What the packed package is made from. */
const sources = [
	'nodes',
	'credentials',
	'icons',
	'package.json',
	'package-lock.json',
	'tsconfig.json',
	'gulpfile.js',
	'README.md',
	'CHANGELOG.md',
	'LICENSE.md',
];

/**
 * Builds and packs the package into `.cache` unless nothing it is made from has changed since.
 *
 * @returns {Promise<string>} path of the packed package
 */
export async function packPackage() {
	const { tarball, digestFile, digest, isFresh } = packed();
	if (isFresh) return tarball;

	rmSync(digestFile, { force: true });
	// What an earlier build left must not be packed.
	rmSync(join(repository, 'dist'), { recursive: true, force: true, maxRetries: 5 });
	await longRun('Building the package', 'npm', ['run', 'build'], { cwd: repository });
	mkdirSync(cacheFolder, { recursive: true });
	await longRun('Packing the package', 'npm', ['pack', '--pack-destination', cacheFolder], {
		cwd: repository,
	});
	writeFileSync(digestFile, digest);
	return tarball;
}

function packed() {
	const { name, version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
	const tarball = join(cacheFolder, `${name}-${version}.tgz`);
	const digestFile = `${tarball}.sources`;
	const digest = digestOf(sources);
	const isPacked = existsSync(tarball) && existsSync(digestFile);
	const isFresh = isPacked && readFileSync(digestFile, 'utf8') === digest;
	return { tarball, digestFile, digest, isFresh };
}
