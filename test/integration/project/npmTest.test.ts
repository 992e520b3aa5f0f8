// What `npm test` prints, and what it prepares for the tests that it is asked for.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(__dirname, '../../..');

jest.setTimeout(60_000);

describe('the report', () => {
	const folder = mkdtempSync(join(tmpdir(), 'npm-test-'));
	afterAll(() => rmSync(folder, { recursive: true }));

	/** Runs two test files, one of which has a test that fails; each test writes a line to the log. */
	function report(...options: string[]): string {
		for (const [name, outcome] of [
			['passes', 'true'],
			['fails', 'false'],
		]) {
			const test = `beforeAll(() => console.log('set-up of ${name}'));
				it('is tested', () => { console.log('log of ${name}'); expect(${outcome}).toBe(true); });
				it('is tested besides', () => console.log('OTHER LOG'.toLowerCase()));`;
			writeFileSync(join(folder, `${name}.test.js`), test);
		}
		const args = [...options, '--roots', folder, '--testMatch', '**/*.test.js'];
		const { stdout, stderr } = spawnSync(
			process.execPath,
			['node_modules/jest/bin/jest.js', ...args],
			{ cwd: repository, encoding: 'utf8' },
		);
		return stdout + stderr;
	}

	it('is one line for a file that passes, without its log', () => {
		const lines = report('passes').split('\n');
		const [first, second] = lines.filter((line) => line.trim() !== '');
		expect(first).toMatch(/^PASS .*passes\.test\.js/);
		expect(second).toMatch(/^Test Suites: 1 passed/);
	});

	it('has the log of a test that failed and of the set-up around it, and only that', () => {
		const text = report();
		expect(text).toMatch(/^PASS .*passes\.test\.js/m);
		expect(text).toMatch(/^FAIL .*fails\.test\.js/m);
		expect(text).toContain('set-up of fails');
		expect(text).toContain('log of fails');
		expect(text).not.toContain('other log');
		expect(text).not.toMatch(/(log|set-up) of passes/);
	});

	it('names the tests and shows the log with --verbose', () => {
		const text = report('passes', '--verbose');
		expect(text).toContain('✓ is tested');
		expect(text).toContain('log of passes');
	});
});

it.each([
	[['test/unit'], { n8n: false, tarball: false }],
	[['test/integration', '-t', 'a company'], { n8n: false, tarball: false }],
	[['test/unit', 'test/release'], { n8n: false, tarball: true }],
	[['test/e2e/trigger'], { n8n: true, tarball: true }],
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
