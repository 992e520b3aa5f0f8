// `npm test`: all tests, from a fresh clone. Arguments go to jest: `npm test -- test/unit`.
import { bootstrap } from './bootstrap.mjs';
import { runOnHostNode } from './lib/hostProcess.mjs';
import { findOptionalServices } from './lib/optionalServices.mjs';
import { runScript } from './lib/runScript.mjs';

/** Each end-to-end test file runs an n8n of its own, so more workers would need much memory. */
const WORKERS = '--maxWorkers=2';

await runScript(async () => {
	await bootstrap();
	const { env, missing } = await findOptionalServices();
	const jest = ['node_modules/jest/bin/jest.js', WORKERS, ...process.argv.slice(2)];
	const status = await runOnHostNode(jest, env);
	for (const { name, howTo } of missing) {
		console.log(
			`\n!!! Tests that need ${name} were SKIPPED: none was found. To run them: ${howTo}`,
		);
	}
	return status;
});
