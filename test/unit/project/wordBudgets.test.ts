// Short pages get read. The limits are far away: they leave room for whole sentences, not for more content.
import { otherPages, pages, readPage } from '../../support/documents';

/** A licence, a report of measurements, and a code of conduct by reference. */
const UNCOUNTED = ['LICENSE.md', 'bench/RESULTS.md'];

const counted = [...pages, ...otherPages].filter((page) => !UNCOUNTED.includes(page));
const wordsOf = (part: string[]) =>
	part.reduce((sum, page) => sum + readPage(page).split(/\s+/).filter(Boolean).length, 0);

it('the README has at most 1,700 words', () => {
	expect(wordsOf(['README.md'])).toBeLessThanOrEqual(1700);
});

it('all pages beside the README have at most 10,000 words', () => {
	const others = counted.filter((page) => page !== 'README.md');
	expect(others.length).toBeGreaterThan(5);
	expect(wordsOf(others)).toBeLessThanOrEqual(10_000);
});
