// What a person reads: one verdict, the worst fact first, then the next step, and then all else that is so.
import { Stopped, UnusableAnswer } from '../../../nodes/CompanyRegistry/trigger/records/failures';
import { isUnread, reportedAfter } from '../../../nodes/CompanyRegistry/trigger/reports/reported';
import { reportOn } from '../../../nodes/CompanyRegistry/trigger/reports/report';
import { factsOf } from '../../../nodes/CompanyRegistry/trigger/reports/verdict';
import { reportItem } from '../../../nodes/CompanyRegistry/trigger/reports/reportItem';
import {
	COMPANIES,
	expectPlain,
	failureWith,
	keptFor,
	minutes,
	newsOf,
	NOW,
	numbersOf,
	refused,
	situationOf,
	unread,
	type Facts,
} from '../../support/situations';

const [ONE, TWO, THREE, FOUR] = COMPANIES;
const [LAST] = COMPANIES.slice(-1);
const MANY = numbersOf(500);
const downtime = { from: minutes(10), to: minutes(11), isDowntime: true };
const restarted = newsOf(COMPANIES, { gap: downtime });
const gap = { from: minutes(10), to: minutes(22) };
/** From this minute on. */
const gapOf = (company: string, from = 10) =>
	newsOf([company], { gap: { ...gap, from: minutes(from) } }).companies;
const reportIn = (facts: Facts) => reportOn(situationOf(facts));

/** How often the text has the company. */
const mentions = (text: string, company: string) => text.split(company).length - 1;

const failedPauses = (companies: string[]) => ({
	failedPauses: {
		subscriptions: companies.map((company) => ({ id: `wh_${company}`, company })) as never,
		why: 'Forbidden.',
	},
});
const down: Facts = {
	outcome: { isChecked: false, failure: failureWith(503) },
	situation: { failingSince: minutes(25) },
};

const NOT_CHECKED = 'Could not check since 05:25 (last seen: 58 of 58 watched)';
const ONE_ROW_UNREAD = '58 companies are watched; 1 row has no company number';
/** Where a row has no text, any text will do. */
const ANY = 'any text';
type Row = [situation: string, facts: Facts, verdict: string, text?: string];

const NEEDS_PERSON: Row[] = [
	[
		'the plan is used up',
		{ ...down, outcome: { isChecked: false, failure: failureWith(402, 'Pay first') } },
		NOT_CHECKED,
		`The account is not allowed to make this request (HTTP 402). Check the permissions of the account and its API key in the service's dashboard. The service said: "Pay first" (invalid).

Time zone: Europe/London`,
	],
	[
		'the service is down, and companies had gaps',
		{
			watched: 57,
			outcome: { isChecked: false, failure: failureWith(503) },
			news: newsOf([ONE, LAST], { gap: { from: minutes(10) } }),
		},
		'Could not check (last seen: 57 of 58 watched); events may be missing for 1 company since 05:10',
		`The registry service could not process the request (HTTP 503). The service said: "Refused" (invalid). The trigger retries automatically.

Not watched when last seen:
- 10000058: events may be missing since 05:10

Events may be missing for 1 company since 05:10. Look this company up in the register:
- 10000001 Acme Ltd

Time zone: Europe/London`,
	],
	[
		'a pass is stopped by refusals',
		{
			all: COMPANIES.slice(0, 3),
			watched: 0,
			outcome: {
				...refused([ONE, TWO]),
				failure: new Stopped('Setup stopped after 2 identical refusals in a row', {
					cause: failureWith(422),
				}),
			},
		},
		'3 of 3 companies are not watched',
		`The registry service refused 2 companies. The service said: "Struck off" (invalid). All were refused for the same reason. Check your account and n8n's address first:
- 10000001 Acme Ltd
- 10000002

Setup stopped after 2 identical refusals in a row. Not watched yet:
- 10000003`,
	],
	[
		'an answer cannot be used',
		{ watched: 57, outcome: refused([LAST], new UnusableAnswer('It answered with another one')) },
		'1 of 58 companies is not watched',
		`It answered with another one. Find their webhooks with Webhook → Get Many, and ask the service's support:
- 10000058`,
	],
	[
		'answers are lost, and a webhook is found',
		{ watched: 57, outcome: { lost: [LAST], unverified: { [LAST]: ['wh_1'] } } },
		'1 of 58 companies is not watched',
		`The registry service's answers for these companies were lost or unusable. Unpublish and publish:
- 10000058: pause its webhook wh_1, which cannot be verified, unless something else uses it`,
	],
	[
		'changed events are not confirmed',
		{ watched: 0, all: [ONE, TWO], outcome: { delivering: [ONE], failure: failureWith(503) } },
		'2 of 2 companies are not watched',
		`1 of them may still deliver the previously chosen events.

The registry service could not process the request (HTTP 503). The service said: "Refused" (invalid). The trigger retries automatically. Not watched yet:
- 10000001 Acme Ltd
- 10000002`,
	],
	[
		'most of the list is gone',
		{ desired: keptFor('shrunk', [ONE, TWO]) },
		'2 companies left your list: they stay watched until you confirm',
		`To end them, unpublish and publish this list. To keep them, put them back on your list:
- 10000001 Acme Ltd
- 10000002

58 companies are watched.`,
	],
	[
		'two numbers lost a digit',
		{
			desired: keptFor('renumbered', [ONE, TWO], THREE),
			news: { watchedBefore: COMPANIES.slice(3) },
		},
		'2 companies have another number now: check them',
		`Both numbers stay watched. If the new number is wrong, correct it. To end the old one, unpublish and publish this list:
- 10000001 Acme Ltd has the number 10000003 now
- 10000002 has the number 10000003 now

58 companies are watched.`,
	],
	[
		'a number lost a digit, and the service refuses what is left',
		{
			watched: 57,
			desired: keptFor('renumbered', [ONE], LAST),
			outcome: refused([LAST]),
		},
		'1 of 58 companies is not watched',
		`The registry service refused 1 company. The service said: "Struck off" (invalid). Correct these numbers or remove them:
- ${LAST}

1 company has another number now: check it. The old number stays watched. If the new number is wrong, correct it. To end the old one, unpublish and publish this list:
- 10000001 Acme Ltd has the number ${LAST} now`,
	],
	[
		'n8n was down, and has another address since',
		{
			watched: 0,
			all: [ONE],
			outcome: { isChecked: false, failure: new Error('Publish with another option.') },
			news: newsOf([ONE], { gap: { ...gap, isDowntime: true } }),
		},
		'Could not check (last seen: 0 of 1 watched)',
		`Publish with another option.

Not watched when last seen:
- 10000001 Acme Ltd: n8n was not running; events may be missing since 05:10

Time zone: Europe/London`,
	],
	[
		'someone changed webhooks, and n8n was down',
		{
			news: {
				companies: new Map([
					[ONE, { drift: 'paused' as const, gap }],
					[TWO, { gap: { ...gap, isDowntime: true } }],
					[THREE, { gap }],
				]),
			},
			situation: { timezone: 'America/New_York' },
		},
		'Events may be missing for 3 companies between 00:10 and 00:22',
		`Events may be missing for 2 companies between 00:10 and 00:22. Look these companies up in the register:
- 10000002
- 10000003

Events may be missing for 1 company between 00:10 and 00:22. Look this company up in the register, because someone changed 1 webhook at the service, perhaps this workflow in another n8n:
- 10000001 Acme Ltd: Had been paused (between 00:10 and 00:22)

58 companies are watched.

Time zone: America/New_York`,
	],
	[
		'rows cannot be read',
		{ desired: { ...unread(1), ...keptFor('unreadable', [ONE]) } },
		ONE_ROW_UNREAD,
		`Correct each, or remove it:
- row 2 ("sole trader")

1 company may have left your list. A row that cannot be read may hold its number, so it stays watched until you confirm. Correct the rows, or unpublish and publish again:
- 10000001 Acme Ltd`,
	],
	[
		'webhooks are left active',
		{
			outcome: failedPauses([TWO]),
			news: { leftActive: [{ id: 'wh_1', company: ONE }], watchedBefore: [...COMPANIES, TWO] },
		},
		'58 companies are watched; 1 unneeded webhook could not be paused',
		`Reason: Forbidden. The trigger tries again at the next check:
- wh_10000002 (10000002)

1 earlier webhook may still be active elsewhere. The credential does not reach these webhooks. They belong to another account, where they are still active, or someone removed them. Pause them there:
- wh_1 (10000001 Acme Ltd)`,
	],
	[
		'the service has the list, and then fails',
		{ ...down, outcome: { failure: failureWith(503) } },
		'Could not finish the check since 05:25 (last seen: 58 of 58 watched)',
	],
	[
		'an expression fails, and a company is not watched',
		{ watched: 57, desired: { problem: new Error('No event is chosen.') } },
		'1 of 58 companies is not watched',
	],
	[
		'neither the service nor the link answers',
		{ ...down, desired: { problem: new Error('No answer.'), followsLink: true } },
		NOT_CHECKED,
	],
	[
		'gaps began at different times',
		{ news: { companies: new Map([...gapOf(ONE), ...gapOf(TWO, 0)]) } },
		'Events may be missing for 2 companies',
	],
	[
		'an unpublish of a minute',
		{ news: newsOf(COMPANIES, { gap: { from: minutes(10), to: minutes(11) } }) },
		'Events may be missing for 58 companies between 05:10 and 05:11',
	],
	[
		'a restart, and an unreadable row',
		{ desired: unread(1), news: restarted },
		`${ONE_ROW_UNREAD}; events may be missing for 58 companies between 05:10 and 05:11`,
	],
	['a skipped row looks mistyped', { desired: unread(1, 'skip', true) }, ONE_ROW_UNREAD],
	[
		'columns are left out',
		{
			desired: { followed: { isWindows1252: false, leftOut: ['Notes', 'Owner', 'Fax'] } as never },
		},
		'58 companies are watched; 3 columns of your list are left out',
	],
	[
		'of two of one rank, the one that concerns more rows or webhooks',
		{ desired: unread(4), outcome: failedPauses([ONE, TWO, THREE]) },
		'58 companies are watched; 4 rows have no company number',
	],
];

const NEEDS_NOBODY: Row[] = [
	['all is well', {}, '58 companies are watched', ''],
	[
		'a followed list has what a preview would show',
		{
			desired: {
				followsLink: true,
				completed: ['654321 → 00654321, Glen Croft Ltd'],
				repeats: ['row 12 repeats row 4'],
				...unread(1, 'skip'),
				followed: { isWindows1252: true, leftOut: [] } as never,
			},
			outcome: { others: { [ONE]: ['wh_9'] } },
			news: { watchedBefore: [...COMPANIES.slice(1), '99000001'] },
		},
		'58 companies are watched: 1 added, 1 removed, 1 row not read',
		`Added:
- 10000001 Acme Ltd

Removed:
- 99000001

Skipped, because these rows have no company number:
- row 2 ("sole trader")

Zero added, so check these numbers:
- 654321 → 00654321, Glen Croft Ltd

Rows that repeat a company:
- row 12 repeats row 4

Other active webhooks exist for these companies, so their events may arrive twice. Pause these webhooks with Webhook → Pause, unless something else uses them:
- wh_9 (10000001 Acme Ltd)

The list was read as windows-1252, because it is not UTF-8: check the names.`,
	],
	['one company', { all: [ONE] }, '1 company is watched'],
	[
		'the setup goes on, with a refusal',
		{ watched: 12, situation: { isSettingUp: true }, outcome: refused([LAST]) },
		'12 of 58 companies are watched so far; setup continues',
	],
	[
		'the setup goes on, and the service has not answered yet',
		{ watched: 12, situation: { isSettingUp: true }, outcome: { isChecked: false } },
		'Setup continues (last seen: 12 of 58 watched)',
	],
	[
		'the setup is interrupted',
		{ watched: 12, situation: { isSettingUp: true, isInterrupted: true } },
		'12 of 58 companies are watched so far; setup was interrupted',
	],
	['rows are skipped', { desired: unread(2, 'skip') }, '58 companies are watched: 2 rows not read'],
];
const TABLE = [...NEEDS_PERSON, ...NEEDS_NOBODY];

it.each(TABLE)('%s', (_situation, facts, verdict, text = ANY) => {
	const report = reportIn(facts);
	expect(report.verdict).toBe(verdict);
	expectPlain(report.text);
	expect(report.text).not.toContain(verdict);
	if (text === ANY) return;
	const whole = ['Workflow: Watch our clients', text].filter(Boolean).join('\n\n');
	expect(report.text).toBe(whole);
});

// Where a person has to act, n8n shows a failed execution as well.
it('a person has to act in some situations', () => {
	const those = TABLE.filter(([, facts]) => reportIn(facts).needsPerson);
	expect(those).toEqual(NEEDS_PERSON);
	const withKey = TABLE.filter(([, facts]) => {
		const { lasting, happened } = reportIn(facts).keys;
		return lasting.length + happened.length > 0;
	});
	expect(withKey).toEqual(NEEDS_PERSON);
});

it('a verdict exists at each point of a pass, and never says "watched" of what was not checked', () => {
	for (const [, facts] of TABLE) {
		for (const [isSettingUp, isChecked] of [
			[false, false],
			[true, false],
			[true, true],
		]) {
			const { verdict, text, needsPerson } = reportIn({
				...facts,
				outcome: { ...facts.outcome, isChecked },
				situation: { ...facts.situation, isSettingUp },
			});
			expect(verdict).toMatch(/^\w.*\w/);
			expect(isSettingUp && needsPerson).toBe(false);
			if (!isChecked) expect(verdict + text).not.toMatch(/(is|are) watched/);
		}
	}
});

it('a verdict has at most 120 characters, whatever the counts, dates and zone', () => {
	const companies = numbersOf(20_000);
	// The clocks change within the gap, and both days are in other years.
	const times = { from: Date.UTC(2024, 8, 9, 5), to: Date.UTC(2025, 11, 9, 5) };
	const longest: Facts = {
		all: companies,
		news: newsOf(companies, { gap: times }),
		situation: { timezone: 'America/North_Dakota/New_Salem' },
	};
	expect(reportIn(longest).verdict).toMatch(/^Events may be missing for 20000 .*2025 \d\d:\d\d/);
	const others = TABLE.map(([, facts]) => ({ ...facts, all: companies.slice(0, 2_000) }));
	for (const facts of [longest, ...others]) {
		const { verdict } = reportIn(facts);
		expect(verdict.length).toBeLessThanOrEqual(120);
		expect(verdict).not.toMatch(/…$/);
	}
});

it('a report has all facts after the worst one', () => {
	const facts = factsOf(
		situationOf({
			watched: 57,
			outcome: { ...refused([LAST]), ...failedPauses([ONE, TWO, THREE]) },
			desired: { ...unread(2), ...keptFor('shrunk', [ONE]) },
			news: { ...newsOf([TWO], { gap }), watchedBefore: COMPANIES.slice(0, 56) },
		}),
	);
	expect(facts.map(({ says }) => says)).toEqual([
		'1 of 58 companies is not watched',
		'1 company left your list: it stays watched until you confirm',
		'Events may be missing for 1 company between 05:10 and 05:22',
		'3 unneeded webhooks could not be paused',
		'2 rows have no company number',
		'',
	]);
});

it('a report has each company under one heading only, and the names of those that recover', () => {
	const facts: Facts = {
		watched: 57,
		outcome: refused([LAST]),
		desired: keptFor('shrunk', [TWO]),
		news: {
			...newsOf([TWO, THREE, LAST], { drift: 'paused', gap }),
			watchedBefore: [...COMPANIES.slice(4), '99000001'],
		},
	};
	const { text, lists, state } = reportIn(facts);
	expect(state).toBe('incomplete');
	for (const company of [ONE, TWO, THREE, FOUR, LAST, '99000001']) {
		expect([company, mentions(text, company)]).toEqual([company, 1]);
	}
	expect(lists.added).toEqual([ONE, FOUR]);
	expect(lists.removed).toEqual(['99000001']);
	expect([...lists.repaired]).toEqual([[THREE, 'Had been paused (between 05:10 and 05:22)']]);
	expect([...lists.left]).toEqual([
		[LAST, 'The service said: "Struck off" (invalid).; Had been paused (since 05:10)'],
	]);
});

it.each<[string, (n: number) => unknown, RegExp]>([
	['a reason for each', (n) => failureWith(422, 'No', `code_${n}`), /496 companies for other/],
	['three reasons', (n) => failureWith([400, 409, 422][n % 3]), /… and 67 more.*and 66 more/s],
])('500 refusals have at most a hundred names for %s', (_what, reasonOf, expected) => {
	const outcome = { refused: new Map(MANY.slice(1).map((company, n) => [company, reasonOf(n)])) };
	const { verdict, text, lists } = reportIn({ all: MANY, watched: 1, outcome });
	expect(verdict).toBe('499 of 500 companies are not watched');
	expect(text).toMatch(expected);
	expect(text.split('\n').length).toBeLessThan(320);
	expect(lists.left.size).toBe(499);
});

describe('the keys', () => {
	const keyOf = (facts: Facts) => JSON.stringify(reportIn(facts).keys);
	/** Whether a person who has just read of the first learns something from the second. */
	const tells = (first: Facts, second: Facts) => {
		const reported = reportedAfter(reportIn(first).keys, {}, NOW, true);
		return isUnread(reportIn(second).keys, reported, NOW + 1);
	};
	const refusal = (reason: unknown) => ({ watched: 57, outcome: refused([LAST], reason) });

	it('has no time and no words of the service', () => {
		const failing = (from: number, message: string, status = 503) =>
			keyOf({
				outcome: { isChecked: false, failure: failureWith(status, message) },
				situation: { failingSince: from, at: from + 600_000 },
			});
		expect(failing(minutes(1), 'Request 1')).toBe(failing(minutes(9), 'Request 2'));
		expect(failing(minutes(1), 'x')).toBe(failing(minutes(1), 'x', 500));
		expect(failing(minutes(1), 'x')).not.toBe(failing(minutes(1), 'x', 401));
		expect(keyOf(refusal(failureWith(422, 'Request 1')))).toBe(
			keyOf(refusal(failureWith(422, 'Request 2'))),
		);
		expect(keyOf(refusal(failureWith(422)))).not.toBe(keyOf(refusal(failureWith(409))));
		const later = { from: minutes(30), to: minutes(40) };
		expect(keyOf({ news: newsOf([ONE], { gap, drift: 'paused' }) })).toBe(
			keyOf({ news: newsOf([ONE], { gap: later, drift: 'paused' }) }),
		);
	});

	it('tell that a failure begins beside refusals, but not that it ends', () => {
		const refusals = refusal(failureWith(422));
		const failing = { ...refusals, outcome: { ...refusals.outcome, failure: failureWith(503) } };
		expect(tells(refusals, failing)).toBe(true);
		expect(tells(failing, refusals)).toBe(false);
	});

	it('tell nothing new while each check tries other companies of many, and stops or does not', () => {
		const failure = new Stopped('20 equal refusals in a row', { cause: failureWith(422) });
		const trying = (companies: string[], more = {}) => ({
			all: MANY,
			watched: 0,
			outcome: { ...refused(companies), ...more },
		});
		const stopped = (first: number) => trying(MANY.slice(first, first + 20), { failure });
		expect(tells(stopped(0), stopped(20))).toBe(false);
		expect(tells(trying(MANY), stopped(0))).toBe(false);
	});

	it('leaves out what needs nobody', () => {
		const changed = { watchedBefore: [...COMPANIES, '99000001'] };
		expect(keyOf({ desired: unread(1), news: changed })).toBe(keyOf({ desired: unread(1) }));
		expect(keyOf({ desired: unread(1), news: restarted })).toBe(keyOf({ desired: unread(1) }));
	});
});

it('the id is the same for one situation of a day, and another one for another workflow', () => {
	const idOf = (facts: Facts, situation: Facts['situation'] = {}) =>
		reportIn({ ...facts, situation }).id;
	const broken = { desired: unread(2) };
	expect(idOf(broken)).toMatch(/^[\w-]{12}$/);
	expect(idOf(broken, { at: NOW + 3_600_000 })).toBe(idOf(broken));
	const ids = [
		idOf(broken),
		idOf(broken, { at: NOW + 86_400_000 }),
		idOf(broken, { workflow: 'Other' }),
		idOf({ desired: unread(3) }),
		idOf({}),
		idOf({ news: { watchedBefore: [...COMPANIES, '99000001'] } }),
	];
	expect(new Set(ids).size).toBe(ids.length);
});

it('while the setup goes on, refusals are explained, and what is still to do is not listed', () => {
	const { text, lists } = reportIn({
		watched: 12,
		situation: { isSettingUp: true },
		outcome: refused([LAST]),
		news: { watchedBefore: COMPANIES.slice(0, 12) },
	});
	expect(text).toMatch(/refused 1 company/);
	expect(text).not.toMatch(/10000020|retries|Unpublish/);
	expect([lists.left.size, lists.left.get(COMPANIES[20])]).toEqual([46, 'Not watched yet']);
});

it('the item of Watch Report lists at most 100 companies', () => {
	const situation = situationOf({ all: MANY, watched: 0, outcome: refused(MANY) });
	const { payload } = reportItem(reportOn(situation), situation.outcome, NOW);
	const { left } = payload as Record<string, { count: number; companies: object[] }>;
	expect([left.count, left.companies.length]).toEqual([500, 100]);
});

it('a text is plain lines, whatever names and rows hold', () => {
	const { text } = reportIn({
		desired: { names: new Map([[LAST, 'Kite <b>\nLtd']]) },
		watched: 57,
		outcome: refused([LAST]),
		situation: { workflow: 'My\n<workflow>' },
	});
	expect(text).toMatch(/^Workflow: My ‹workflow›\n/);
	expect(text).toMatch(/- 10000058 Kite ‹b› Ltd$/);
});
