// `npm run test:compatibility`: the tests of one user's steps and of reliability in the oldest n8n
// that is supported. Takes about ten minutes once all is installed. Arguments choose others: versions or tags of
// npm's (latest, 2.41.3).
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { bootstrap } from './bootstrap.mjs';
import { runOnHostNode } from './lib/hostProcess.mjs';
import { jest } from './lib/neededForTests.mjs';
import { findOptionalServices } from './lib/optionalServices.mjs';
import { cacheFolder, hostFolder, olderHostFolder } from './lib/paths.mjs';
import { runScript } from './lib/runScript.mjs';

const LINES = ['2.40'];
const suites = ['test/e2e/compatibility.test.ts', 'test/e2e/reliability'];

await runScript(async () => {
	const wanted = process.argv.slice(2);
	let status = 0;
	for (const line of wanted.length > 0 ? wanted : LINES) status = (await testIn(line)) || status;
	return status;
});

/** Names the version and each test that failed, also where GitHub shows what is wrong with a run. */
async function testIn(line) {
	const results = join(cacheFolder, `compatibility-${line}.json`);
	rmSync(results, { force: true });
	let version = line;
	let failed = [];
	let status = 1;
	try {
		const isOlder = LINES.includes(line);
		if (!isOlder) version = published(line);
		const folder = isOlder ? olderHostFolder(line) : newHostFolder(version);
		await bootstrap([folder]);
		const modules = join(folder, 'node_modules');
		({ version } = readJson(join(modules, 'n8n', 'package.json')));
		console.log(`\n=== n8n ${version}`);
		const { env } = await findOptionalServices();
		const args = ['--maxWorkers=1', '--json', `--outputFile=${results}`, ...suites];
		status = await runOnHostNode([jest, ...args], { ...env, TEST_N8N: modules });
		const { numPassedTests, testResults } = readJson(results);
		failed = testResults.flatMap(({ name, message, assertionResults: tests }) => {
			const titles = tests.filter((test) => test.status === 'failed').map((test) => test.fullName);
			return titles.length === 0 && message ? [name] : titles;
		});
		console.log(`\nn8n ${version}: ${numPassedTests} passed, ${failed.length} failed`);
	} catch (error) {
		console.error(error.message);
		const reasons = error.message.match(/^npm error (?!A complete log).+$/gm) ?? [];
		failed = [[error.message.split('\n')[0], ...reasons.slice(0, 3)].join('; ')];
	}
	for (const what of failed) {
		const start = process.env.GITHUB_ACTIONS
			? `::error title=n8n ${version}::`
			: `n8n ${version}: `;
		console.log(start + what.split('\n')[0]);
	}
	return status;
}

/** Which version that tag or range stands for today. */
function published(wanted) {
	const versions = execFileSync('npm', ['view', `n8n@${wanted}`, 'version', '--json']);
	return [JSON.parse(versions)].flat().at(-1);
}

/** Installed each time: it has no lock file, and with the pinned n8n's overrides. */
function newHostFolder(version) {
	const folder = join(cacheFolder, 'n8n-new');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const manifest = readJson(join(hostFolder, 'package.json'));
	const wanted = { ...manifest, dependencies: { n8n: version } };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(wanted));
	return folder;
}

function readJson(path) {
	return JSON.parse(readFileSync(path, 'utf8'));
}
