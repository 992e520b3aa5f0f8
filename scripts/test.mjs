// `npm test`: all tests, from a fresh clone. Arguments go to jest: `npm test -- test/unit`.
// Only what the tests in question need is installed and built first.
import { totalmem } from 'node:os';

import { installN8n, installTools, sideBySide } from './lib/dependencies.mjs';
import { runNode } from './lib/hostProcess.mjs';
import { jest, neededForTests } from './lib/neededForTests.mjs';
import { findOptionalServices } from './lib/optionalServices.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

/**
 * Twice the cores of a small machine, because many tests wait more than they compute. Each worker has
 * up to two n8n and a browser for its end-to-end tests: 2.5 GB in all.
 */
const WORKERS = `--maxWorkers=${Math.max(2, Math.min(4, Math.floor(totalmem() / 3e9)))}`;

await runScript(async () => {
	const args = process.argv.slice(2);
	await installTools();
	const needed = neededForTests(args);
	await sideBySide([
		needed.n8n ? installN8n().then(prepareN8n) : undefined,
		needed.tarball ? packPackage() : undefined,
	]);

	const { env, missing } = needed.n8n ? await findOptionalServices() : { env: {}, missing: [] };
	const status = await runNode(process.execPath, [jest, WORKERS, ...args], env);
	for (const { name, howTo } of missing) {
		console.log(
			`\n!!! Tests that need ${name} were SKIPPED: none was found. To run them: ${howTo}`,
		);
	}
	return status;
});

/** Starts n8n for the first time, before the tests that need it. */
async function prepareN8n() {
	await runNode(process.execPath, ['--import', 'tsx', 'test/n8n-host/prepare.ts']);
}
