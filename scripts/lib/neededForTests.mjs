import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { repository } from './paths.mjs';

export const jest = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');

/**
 * What the test files that jest would run need beside the development tools. jest itself lists them,
 * because what its arguments select only jest knows.
 *
 * @param {string[]} args of jest
 * @returns {{ n8n: boolean, tarball: boolean }} the pinned n8n; the packed package
 */
export function neededForTests(args) {
	const files = execFileSync(process.execPath, [jest, '--listTests', ...withoutOutput(args)], {
		cwd: repository,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const n8n = files.includes('/test/e2e/');
	return { n8n, tarball: n8n || files.includes('/test/release/') };
}

/** Or the list would go to the file that the results are meant for. */
function withoutOutput(args) {
	return args.filter(
		(arg, index) => !/^--(?:json|outputFile\b.*)$/.test(arg) && args[index - 1] !== '--outputFile',
	);
}
