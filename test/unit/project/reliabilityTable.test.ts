// docs/what-tests-show.md names a test that exists for each row of docs/reliability.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { titlesIn } from '../../support/testTitles';

const repository = join(__dirname, '../../..');

/** Rows of every table in a page, header and rule left out, as their cells. */
function rowsOf(page: string): string[][] {
	return readFileSync(join(repository, 'docs', page), 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('|') && !/^\|(\s*:?-+:?\s*\|)+$/.test(line))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		)
		.filter(([fault]) => fault !== 'Fault');
}

/** What a cell names: a file, and a test in it by its whole title, outer groups first. */
function namedTests(cell: string): Array<{ file: string; title: string }> {
	return cell.split('<br>').map((reference) => {
		const [, file, title] = /^`(test\/[^`]+\.test\.ts)`: (.+)$/.exec(reference) ?? [];
		if (!file || !title) throw new Error(`"${reference}" is not of the form \`file\`: title`);
		return { file, title };
	});
}

const shown = rowsOf('what-tests-show.md');
const told = rowsOf('reliability.md');

it.each(shown)('%s: each test that is named exists', (_fault, cell) => {
	const missing = namedTests(cell).filter(({ file, title }) => !titlesIn(file).includes(title));
	expect(missing).toEqual([]);
});

it('has a row for each fault that users are told of, and no other', () => {
	expect(shown.map(([fault]) => fault)).toEqual(told.map(([fault]) => fault));
	expect(told.length).toBeGreaterThan(30);
});

it('leaves no cell empty on either page', () => {
	for (const row of [...told, ...shown])
		expect(row.map((cell) => cell !== '')).toEqual([true, true]);
});
