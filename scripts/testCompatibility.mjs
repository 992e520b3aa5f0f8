// `npm run test:compatibility`: the tests of one user's steps and of reliability in the oldest n8n
// that is supported. Takes about ten minutes once all is installed. An argument chooses another: a version or tag of
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

const OLDEST = '2.40';
const suites = ['test/e2e/compatibility.test.ts', 'test/e2e/reliability'];

await runScript(async () => {
	const [wanted = OLDEST] = process.argv.slice(2);
	const folder = wanted === OLDEST ? olderHostFolder(OLDEST) : newHostFolder(published(wanted));
	await bootstrap([folder]);
	const modules = join(folder, 'node_modules');
	const { version } = readJson(join(modules, 'n8n', 'package.json'));
	console.log(`\n=== n8n ${version}`);
	const { env } = await findOptionalServices();
	const args = [jest, '--maxWorkers=1', ...suites];
	const status = await runOnHostNode(args, { ...env, TEST_N8N: modules });
	if (status !== 0)
		console.log(`${process.env.GITHUB_ACTIONS ? '::error::' : ''}Tests failed in n8n ${version}`);
	return status;
});

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
