// Short pages get read. Each page has a word budget, and all pages beside the README share one.
import { otherPages, pages, readPage } from '../../support/documents';

const BUDGETS: Record<string, number> = {
	'README.md': 1400,
	'CHANGELOG.md': 250,
	'CONTRIBUTING.md': 1300,
	'SECURITY.md': 500,
	'deploy/README.md': 350,
	'docs/actions.md': 1100,
	'docs/maintainers': 1000,
	'docs/self-hosting.md': 700,
	'docs/signatures.md': 450,
	'docs/trigger.md': 1600,
	'docs/troubleshooting.md': 1000,
};
const ALL_BUT_README = 8000;
/** A licence, a report of measurements, and a page about one tool. */
const UNCOUNTED = ['LICENSE.md', 'bench/RESULTS.md'];

const counted = [...pages, ...otherPages].filter((page) => !UNCOUNTED.includes(page));
const isOf = (page: string, budget: string) => page === budget || page.startsWith(`${budget}/`);
const wordsOf = (part: string[]) =>
	part.reduce((sum, page) => sum + readPage(page).split(/\s+/).filter(Boolean).length, 0);

it('each page has a budget', () => {
	const budgets = Object.keys(BUDGETS);
	expect(counted.filter((page) => !budgets.some((budget) => isOf(page, budget)))).toEqual([]);
});

it.each(Object.entries(BUDGETS))('%s has at most %i words', (budget, maximum) => {
	const words = wordsOf(counted.filter((page) => isOf(page, budget)));
	expect(words).toBeGreaterThan(0);
	expect(words).toBeLessThanOrEqual(maximum);
});

it(`all pages beside the README have at most ${ALL_BUT_README} words`, () => {
	const words = wordsOf(counted.filter((page) => page !== 'README.md'));
	expect(words).toBeLessThanOrEqual(ALL_BUT_README);
});
