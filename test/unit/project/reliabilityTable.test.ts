// test/whatTestsShow.json names tests that exist for each fault that users are told of.
import { tables } from '../../support/documents';
import { titlesIn } from '../../support/testTitles';
import whatTestsShow from '../../whatTestsShow.json';

/** For each fault, by file, whole titles of tests, outer groups first, with the `%s` of a table. */
const shown: Array<[string, Record<string, string[]>]> = Object.entries(whatTestsShow);

const told = ['docs/reliability.md', 'docs/portfolio.md'].flatMap((page) =>
	tables(page, 'Fault', 'What happens'),
);

it.each(shown)('%s: each test that is named exists', (_fault, tests) => {
	const missing = Object.entries(tests).flatMap(([file, titles]) =>
		titles.filter((title) => !titlesIn(file).includes(title)).map((title) => `${file}: ${title}`),
	);
	expect(missing).toEqual([]);
	expect(Object.values(tests).flat()).not.toEqual([]);
});

it('each fault that users are told of has its tests, and comes with what becomes of it', () => {
	const untested = told.map(([fault]) => fault).filter((fault) => !(fault in whatTestsShow));
	expect(untested).toEqual([]);
	expect(told.filter((row) => row.length !== 2 || row.includes(''))).toEqual([]);
	expect(told.length).toBeGreaterThan(50);
});

it('tells of each fault once', () => {
	const faults = told.map(([fault]) => fault);
	expect(new Set(faults).size).toBe(faults.length);
});
