// Each test file says in its first line what it is about.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const tests = join(__dirname, '../..');

it('each test file begins with a sentence', () => {
	const files = ['unit', 'integration', 'e2e', 'release'].flatMap((folder) =>
		readdirSync(join(tests, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.test.ts'))
			.map((file) => join(folder, file)),
	);
	const silent = files.filter((file) => {
		const [first] = readFileSync(join(tests, file), 'utf8').split('\n');
		return !/^\/\/ \S.{20,}/.test(first);
	});
	expect(silent).toEqual([]);
	expect(files.length).toBeGreaterThan(100);
});
