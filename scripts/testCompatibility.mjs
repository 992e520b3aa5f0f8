// `npm run test:compatibility`: the steps of one user in both releases of n8n, and then the tests of
// actions, of the trigger and of reliability in n8n 1.x. Takes about ten minutes once all is installed, outside CI's time.
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

	const bothReleases = await runOnHostNode([...args, 'test/e2e/compatibility.test.ts'], env);

	console.log('\nIn n8n 1.x alone, without the tests of what it does differently:');
	for (const [difference, titles] of Object.entries(leftOut)) {
		console.log(`- it ${difference}: "${titles.join('", "')}"`);
	}
	const others = `^(?!.*(?:${Object.values(leftOut).flat().join('|')}))`;
	const only1x = await runOnHostNode([...args, ...suites, '--testNamePattern', others], {
		...env,
		TEST_N8N: '1.x',
	});
	return bothReleases || only1x;
});
