// One webhook's line is found in a long text without reading all of it.
import { createHash } from 'node:crypto';

import { findLine, startOfSearch } from '../../../nodes/CompanyRegistry/trigger/memory/findLine';

/** References that share their first character, in order: as if random, but the same in every run. */
function references(count: number, what = 'known'): string[] {
	const digest = (index: number) =>
		createHash('sha256').update(`${what} ${index}`).digest('base64url');
	return Array.from({ length: count }, (_, index) => `R${digest(index).slice(0, 21)}`).sort();
}

/** As long as a stored line. */
const line = (reference: string) => `${reference} +${'0'.repeat(69)}`;

describe.each([1, 2, 3, 30, 2000])('among %d lines', (count) => {
	const sorted = references(count);
	const starts = new Map(
		sorted.map((reference, index) => [reference, index * (line(reference).length + 1)]),
	);

	it('each reference finds its line, in whichever order they are', () => {
		const lines = sorted.map(line).join('\n');
		const reversed = [...sorted].reverse().map(line).join('\n');
		for (const [reference, start] of starts) {
			expect(findLine(lines, reference)).toBe(start);
			expect(reversed.slice(findLine(reversed, reference))).toMatch(new RegExp(`^${reference}`));
		}
	});

	it('an unknown reference finds none', () => {
		const lines = sorted.map(line).join('\n');
		for (const reference of references(100, 'unknown')) expect(findLine(lines, reference)).toBe(-1);
		expect(findLine(lines, `R\n${sorted[0].slice(2)}`)).toBe(-1);
		expect(findLine(lines, sorted[0].slice(1))).toBe(-1);
	});
});

it('the search for a line begins shortly before it', () => {
	const sorted = references(2000);
	const length = line(sorted[0]).length + 1;
	const distances = sorted.map(
		(reference, index) => index * length - startOfSearch(sorted.length * length, reference),
	);
	// All 2,000 lines have 186,000 characters.
	expect(Math.max(...distances)).toBeLessThan(15_000);
	expect(distances.filter((distance) => distance < 0).length).toBeLessThan(sorted.length / 10);
});

it('the search begins at a place in the text, whatever is sought', () => {
	for (const reference of ['R-', 'Rz', 'R', 'R\n', 'R💼', '']) {
		const start = startOfSearch(10_000, reference);
		expect(Number.isSafeInteger(start)).toBe(true);
		expect(start).toBeGreaterThanOrEqual(0);
		expect(start).toBeLessThan(10_000);
	}
});
