// test/whatTestsShow.json names, for each fault that docs/reliability.md tells users of, tests that exist.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { titlesIn } from '../../support/testTitles';
import whatTestsShow from '../../whatTestsShow.json';

/** For each fault, by file, whole titles of tests, outer groups first, with the `%s` of a table. */
const shown: Array<[string, Record<string, string[]>]> = Object.entries(whatTestsShow);

/** The fault and what becomes of it, in each row of the page. */
const told = readFileSync(join(__dirname, '../../../docs/reliability.md'), 'utf8')
	.split('\n')
	.filter((line) => line.startsWith('|') && !/^\|(\s*:?-+:?\s*\|)+$/.test(line))
	.map((line) => line.split('|').slice(1, -1))
	.map((cells) => cells.map((cell) => cell.trim()))
	.filter(([fault]) => fault !== 'Fault');

it.each(shown)('%s: each test that is named exists', (_fault, tests) => {
	const missing = Object.entries(tests).flatMap(([file, titles]) =>
		titles.filter((title) => !titlesIn(file).includes(title)).map((title) => `${file}: ${title}`),
	);
	expect(missing).toEqual([]);
	expect(Object.values(tests).flat()).not.toEqual([]);
});

it('has the faults that users are told of, and no others', () => {
	expect(shown.map(([fault]) => fault)).toEqual(told.map(([fault]) => fault));
	expect(told.length).toBeGreaterThan(30);
});

it('each fault that users are told of comes with what becomes of it', () => {
	for (const row of told) expect(row.map((cell) => cell !== '')).toEqual([true, true]);
});
