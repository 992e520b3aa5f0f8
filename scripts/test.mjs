// `npm test`: all tests, from a fresh clone. Arguments go to jest: `npm test -- test/unit`.
// Only what the tests in question need is installed and built first.
import { installN8n, installTools } from './lib/dependencies.mjs';
import { runNode } from './lib/hostProcess.mjs';
import { jest, neededForTests, nodeForTests } from './lib/neededForTests.mjs';
import { findOptionalServices } from './lib/optionalServices.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

/**
 * One more than the cores of a small machine, because many tests wait more than they compute. Each
 * end-to-end test file runs an n8n of its own, so more workers would need much memory.
 */
const WORKERS = '--maxWorkers=3';

await runScript(async () => {
	const args = process.argv.slice(2);
	await installTools();
	const needed = neededForTests(args);
	if (needed.n8n) await installN8n();
	if (needed.tarball) await packPackage();

	const { env, missing } = needed.n8n ? await findOptionalServices() : { env: {}, missing: [] };
	const status = await runNode(nodeForTests(), [jest, WORKERS, ...args], env);
	for (const { name, howTo } of missing) {
		console.log(
			`\n!!! Tests that need ${name} were SKIPPED: none was found. To run them: ${howTo}`,
		);
	}
	return status;
});
