// What Execute step says of a publish: the verdict, what has to be decided, and then the lists.
import {
	previewLines,
	previewVerdict,
	type Preview,
} from '../../../nodes/CompanyRegistry/trigger/reports/preview';
import type { DesiredState } from '../../../nodes/CompanyRegistry/trigger/lifecycle/desired';
import { COMPANIES, keptFor, situationOf, unread } from '../../support/situations';

const [ONE, TWO] = COMPANIES;

/** Of a published workflow whose list has not changed, but for what is given. */
function previewOf(desired: Partial<DesiredState> = {}, changes: Partial<Preview> = {}): Preview {
	const { outcome } = situationOf({ desired });
	const before = outcome.desired.companies;
	return { desired: outcome.desired, before, isFirst: false, ...changes };
}
const first: Partial<Preview> = { before: [], isFirst: true };

it.each<[string, Preview, string[]]>([
	['the first publish', previewOf({}, first), ['Publishing will watch 58 companies']],
	[
		'the first publish stops',
		previewOf(unread(2), first),
		[
			'The first publish will stop: 2 rows not read',
			"Correct them, or set 'Invalid Companies' (under Options) to 'Skip' to watch the other 58 companies",
			'Not read: row 2 ("sole trader")',
			'Not read: row 3 ("sole trader")',
		],
	],
	[
		'the first publish skips rows',
		previewOf(unread(1, 'skip'), first),
		['Publishing will watch 58 companies: 1 row not read', 'Not read: row 2 ("sole trader")'],
	],
	[
		'all kinds of changes',
		previewOf(
			{ ...keptFor('renumbered', [ONE], TWO), ...unread(2) },
			{
				before: [...COMPANIES.filter((one) => one !== TWO).slice(0, -3), '99000001', '99000002'],
				isReported: true,
			},
		),
		[
			'Publishing will watch 58 companies: 3 added, 2 removed, 1 changed number, 2 rows not read',
			'1 company has another number now: check it',
			'To end them, unpublish and publish this list',
			'Changed number: 10000001 Acme Ltd has the number 10000002 now',
			'Not read: row 2 ("sole trader")',
			'Not read: row 3 ("sole trader")',
			'Publishing will remove: 99000001',
			'Publishing will remove: 99000002',
			'Publishing will add: 10000056',
			'Publishing will add: 10000057',
			'Publishing will add: 10000058',
		],
	],
	[
		'the list cannot be read',
		previewOf({ problem: new Error('The link is broken. Check it.') }),
		['Publishing will change nothing: your list cannot be read', 'The link is broken. Check it.'],
	],
	[
		'the list was read with doubts',
		previewOf(
			{
				...keptFor('unreadable', [ONE]),
				...unread(1, 'skip', true),
				completed: ['654321 → 00654321, Glen Croft Ltd'],
				repeats: ['row 12 repeats row 4'],
				followed: { isWindows1252: true, leftOut: ['Notes'] } as never,
			},
			{ emails: '58 addresses in column email, such as jo@example.com' },
		),
		[
			'Publishing will watch 58 companies: 1 row not read',
			'Not read: row 2 ("sole trader")',
			'Stays watched, because a row that was not read may hold its number: 10000001 Acme Ltd',
			'The list was read as windows-1252, because it is not UTF-8: check the names',
			'58 addresses in column email, such as jo@example.com',
			'Zero added: 654321 → 00654321, Glen Croft Ltd: check',
			'Repeated: row 12 repeats row 4',
			'Column left out, because the list is too large: Notes',
		],
	],
])('%s', (_what, preview, lines) => {
	expect(previewLines(preview)).toEqual(lines);
	expect(previewVerdict(preview)).toBe(lines[0]);
});

it('names at most 100 rows and 20 companies of a kind, and no verdict is longer than 120 characters', () => {
	const all = Array.from({ length: 100_000 }, (_, n) => String(10_000_000 + n));
	const desired = {
		...unread(50_000),
		companies: all.slice(50_000),
		...keptFor('renumbered', all.slice(50_000, 90_000), '99000001'),
	};
	const before = all.slice(0, 99_000);
	const preview = previewOf(desired, { before });
	const lines = previewLines(preview);
	expect(lines[0]).toBe(
		'Publishing will watch 50000 companies: 1000 added, 50000 removed, 40000 changed numbers, 50000 rows not read',
	);
	expect(lines[0].length).toBeLessThanOrEqual(120);
	expect(lines).toEqual(
		expect.arrayContaining([
			'Not read: 49900 more',
			'Publishing will remove: 49980 more',
			'Changed number: 39980 more',
		]),
	);
	expect(lines.length).toBeLessThan(200);

	const notWatched = all.slice(0, 40_000);
	expect(previewVerdict(previewOf(desired, { before, notWatched })).length).toBeLessThanOrEqual(
		120,
	);
});
