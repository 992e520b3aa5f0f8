// `npm run test:compatibility`: the steps of one user in n8n 1.x, and then the tests of actions, of the
// trigger and of reliability there, as far as they apply. Takes about ten minutes once all is installed, outside CI's time.
import { readFileSync } from 'node:fs';

import { bootstrap } from './bootstrap.mjs';
import { runOnHostNode } from './lib/hostProcess.mjs';
import { jest } from './lib/neededForTests.mjs';
import { findOptionalServices } from './lib/optionalServices.mjs';
import { runScript } from './lib/runScript.mjs';

const suites = ['test/e2e/actions.test.ts', 'test/e2e/trigger.test.ts', 'test/e2e/reliability'];

/** What n8n 1.x does differently, and parts of the titles of the tests that therefore do not run there. */
const leftOut = JSON.parse(
	readFileSync(new URL('../test/e2e/leftOutIn1x.json', import.meta.url), 'utf8'),
);

await runScript(async () => {
	await bootstrap({ withN8n1x: true });
	const { env } = await findOptionalServices();
	const args = [jest, '--maxWorkers=1', ...process.argv.slice(2)];

	const stepsOfOneUser = await runOnHostNode([...args, 'test/e2e/compatibility.test.ts'], env);

	console.log('\nWithout the tests of what n8n 1.x does differently:');
	for (const [difference, titles] of Object.entries(leftOut)) {
		console.log(`- it ${difference}: "${titles.join('", "')}"`);
	}
	const pattern = `^(?!.*(?:${Object.values(leftOut).flat().join('|')}))`;
	const others = await runOnHostNode([...args, ...suites, '--testNamePattern', pattern], {
		...env,
		TEST_N8N: '1.x',
	});
	return stepsOfOneUser || others;
});
