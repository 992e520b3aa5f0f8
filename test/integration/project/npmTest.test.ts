// What `npm test` prepares for the tests that it is asked for.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const repository = join(__dirname, '../../..');

it.each([
	[['test/unit'], { n8n: false, tarball: false }],
	[['test/integration', '-t', 'a company'], { n8n: false, tarball: false }],
	[['test/unit', 'test/release'], { n8n: false, tarball: true }],
	[['test/e2e/compatibility'], { n8n: true, tarball: true }],
	[[], { n8n: true, tarball: true }],
	[['--ci', '--json', '--outputFile=.cache/unused.json'], { n8n: true, tarball: true }],
])('%j needs %j', (args, needed) => {
	const script = `import { neededForTests } from './scripts/lib/neededForTests.mjs';
		console.log(JSON.stringify(neededForTests(${JSON.stringify(args)})));`;
	const answer = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
		cwd: repository,
		encoding: 'utf8',
	});
	expect(JSON.parse(answer)).toEqual(needed);
});
