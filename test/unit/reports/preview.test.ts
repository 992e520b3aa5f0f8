// What Execute step says of a publish: the verdict, what has to be decided, and then the lists.
import { emptyDesired } from '../../../nodes/CompanyRegistry/trigger/lifecycle/configuration';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { noReading, type Reading } from '../../../nodes/CompanyRegistry/trigger/records/desired';
import { previewLines, type Preview } from '../../../nodes/CompanyRegistry/trigger/reports/preview';
import { companyNumbers } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(58);
const [ONE, TWO] = COMPANIES;

/** Of a published workflow whose list has not changed, but for what is given. */
function previewOf(
	reading: Partial<Reading> = {},
	{ companies = COMPANIES, allowLargeRemovals = false, ...changes }: Changes = {},
): Preview {
	const options = optionsSchema.parse({ allowLargeRemovals });
	return {
		desired: { ...emptyDesired(''), companies, options },
		reading: noReading({ names: new Map([[ONE, 'Acme Ltd']]), ...reading }),
		before: COMPANIES,
		isFirst: false,
		...changes,
	};
}
type Changes = Partial<Preview> & { companies?: string[]; allowLargeRemovals?: boolean };

const unread = (count: number): Pick<Reading, 'unreadable'> => ({
	unreadable: Array.from({ length: count }, (_, row) => {
		const words = `row ${row + 2} ("sole trader")`;
		return { words, looksMistyped: false, cell: 'sole trader', name: '' };
	}),
});
const MISTYPED = { words: 'row 9 ("0912345X")', looksMistyped: true, cell: '0912345X', name: '' };
const first: Changes = { before: [], isFirst: true };

it.each<[string, Preview, string[]]>([
	['the first publish', previewOf({}, first), ['Publishing will watch 58 companies']],
	[
		'rows that look mistyped, and rows without a number',
		previewOf({ unreadable: [MISTYPED, ...unread(2).unreadable] }, first),
		[
			'Publishing will watch 58 companies; 1 row not read; 2 rows without a company number',
			...['Not read:', '- row 9 ("0912345X")'],
			...['No company number:', '- row 2 ("sole trader")', '- row 3 ("sole trader")'],
		],
	],
	[
		'all kinds of changes',
		previewOf(
			{ changedNumbers: [{ name: 'Acme Ltd', before: '99000001', now: ONE }] },
			{ before: [...COMPANIES.slice(1, -2), '99000001', '99000002'] },
		),
		[
			'Publishing will watch 58 companies: 2 added, 1 removed, 1 changed number',
			...['Changed numbers:', `- Acme Ltd: 99000001 → ${ONE}`],
			...['Publishing will remove:', '- 99000002'],
			...['Publishing will add:', '- 10000057', '- 10000058'],
		],
	],
	[
		'companies that would stay watched',
		previewOf({ waiting: [ONE, TWO].map((company) => ({ company, why: 'large' })) }),
		[
			'Publishing will watch 58 companies; 2 left your list and stay watched',
			...['Left your list, but stay watched:', `- ${ONE} Acme Ltd`, `- ${TWO}`],
		],
	],
	[
		'large removals allowed',
		previewOf({}, { allowLargeRemovals: true, before: [ONE, TWO], companies: [TWO] }),
		[
			'Publishing will watch 1 company: 1 removed',
			"'Allow Large Removals' is on: your next publish may stop watching most companies.",
			...['Publishing will remove:', `- ${ONE} Acme Ltd`],
		],
	],
	[
		'the list cannot be read',
		previewOf({ problem: new Error('The link is broken. Check it.') }),
		['Publishing will change nothing: your list cannot be read', 'The link is broken. Check it.'],
	],
	[
		'a setting with which nothing can be sent',
		previewOf({}, { ...first, addressObstacle: 'n8n has no https address.' }),
		['The first publish will fail', 'n8n has no https address.'],
	],
	[
		'the list was read with doubts',
		previewOf({
			unclearNames: [
				[ONE, 'Acme Ltd'],
				[ONE, 'Birch Ltd'],
			],
			completed: ['654321 → 00654321, Glen Croft Ltd', '7654321 → 07654321'],
			leftOut: ['Notes'],
		}),
		[
			'Publishing will watch 58 companies',
			'2 numbers completed with zeros:',
			...['- 654321 → 00654321, Glen Croft Ltd', '- 7654321 → 07654321'],
			'Numbers with several names: the first one is used:',
			`- ${ONE}: Acme Ltd, Birch Ltd`,
			...['Columns left out, because the list is too large:', '- Notes'],
		],
	],
])('%s', (_what, preview, lines) => {
	expect(previewLines(preview)).toEqual(lines);
});

it.each([
	[5, 58, false],
	[6, 58, true],
	[2, 3, false],
	[3, 3, true],
])('%i unread rows beside %i companies lead the verdict: %s', (count, companies, leads) => {
	const [verdict] = previewLines(
		previewOf(unread(count), { ...first, companies: COMPANIES.slice(0, companies) }),
	);
	expect(verdict.startsWith(`${count} rows without a company number; `)).toBe(leads);
});

it('names at most 100 rows or companies of a kind, and no verdict is longer than 120 characters', () => {
	const all = Array.from({ length: 100_000 }, (_, n) => String(10_000_000 + n));
	const companies = all.slice(50_000);
	const changedNumbers = companies.map((now) => ({
		name: 'A',
		before: now.replace('1', '2'),
		now,
	}));
	const waiting = companies.map((company) => ({ company, why: 'large' as const }));
	const reading = { ...unread(50_000), waiting, changedNumbers };
	const lines = previewLines(previewOf(reading, { before: all.slice(0, 99_000), companies }));
	expect(lines[0].length).toBeLessThanOrEqual(120);
	const more = lines.filter((line) => line === '… and 49900 more');
	expect([more.length, lines.length]).toEqual([4, 1 + 4 * 102]);
});
