// `npm run test:compatibility`: the steps of one user in both releases of n8n, and then the tests of
// actions, of the trigger and of reliability in n8n 1.x. Takes about ten minutes once all is installed, outside CI's time.
import { installN8n, installN8n1x, installTools } from './lib/dependencies.mjs';
import { runOnHostNode } from './lib/hostProcess.mjs';
import { jest } from './lib/neededForTests.mjs';
import { findOptionalServices } from './lib/optionalServices.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

const suites = ['test/e2e/actions.test.ts', 'test/e2e/trigger.test.ts', 'test/e2e/reliability'];

/** What n8n 1.x does differently, and titles of the tests that therefore do not run there. */
const leftOut = {
	'publishes while the editor waits, and does not try again by itself': [
		'recovers without user action',
		'while n8n retries a failed publish by itself',
		'so slow that n8n abandons it',
		'created just before a SIGKILL',
	],
	'asks the trigger at each start, which then refuses a new address until the user has said what it is':
		['a new public address reaches the webhooks'],
	'refuses a body that begins with a byte order mark': ['with a byte order mark'],
	'starts all triggers of a workflow anew when one of them changes': [
		'a polling trigger beside ours',
	],
	'stores a copy of the static data, and so of the secrets, with each execution': [
		'of deliveries that cannot be verified the first is shown as a failed execution',
	],
	'goes on listening after a test that has ended with an error': [
		'a test ends with the error, and the next one takes the delivery',
	],
	'does not show every execution that it had accepted when it was killed': [
		'sent while n8n is down after a kill',
	],
};

await runScript(async () => {
	await installTools();
	await installN8n();
	await installN8n1x();
	await packPackage();
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
