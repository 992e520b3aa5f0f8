// What is so, in one line: each situation has one verdict, the worst fact first.
import { factsOf } from '../../../nodes/CompanyRegistry/trigger/reports/verdict';
import { reportOn } from '../../../nodes/CompanyRegistry/trigger/reports/report';
import {
	COMPANIES,
	failureWith,
	keptFor,
	minutes,
	newsOf,
	refused,
	situationOf,
	unread,
	type Facts,
} from '../../support/situations';

const [ONE, TWO, THREE] = COMPANIES;
const LAST = COMPANIES.slice(-3);
const webhooks = (count: number) =>
	COMPANIES.slice(0, count).map((company) => ({ id: `wh_${company}`, company }));
const failedPauses = (count: number) => ({
	failedPauses: { subscriptions: webhooks(count) as never, why: 'Forbidden' },
});
const verdictOf = (facts: Facts) => reportOn(situationOf(facts)).verdict;
const gap = { from: minutes(10), to: minutes(22) };
const followed = (leftOut: string[]) => ({
	followed: { isWindows1252: false, leftOut } as never,
});
const down: Facts = {
	outcome: { isChecked: false, failure: failureWith(503) },
	situation: { failingSince: minutes(25) },
};
const brokenLink = { problem: new Error('No answer.'), followsLink: true };
const restart = newsOf(COMPANIES, {
	gap: { from: minutes(10), to: minutes(11), isDowntime: true },
});

type Row = [situation: string, facts: Facts, verdict: string];

const NEEDS_PERSON: Row[] = [
	['the service is down', down, 'Could not check since 05:25 (last seen: 58 of 58 watched)'],
	[
		'the first failing pass',
		{ watched: 55, outcome: down.outcome },
		'Could not check (last seen: 55 of 58 watched)',
	],
	[
		'the service has the list, and then fails',
		{ ...down, outcome: { failure: failureWith(503) } },
		'Could not finish the check since 05:25 (last seen: 58 of 58 watched)',
	],
	[
		'the link is broken',
		{ ...down, outcome: {}, desired: brokenLink },
		'Could not read your list since 05:25; as before, 58 of 58 companies are watched',
	],
	[
		'an expression fails, and a company is not watched',
		{ watched: 57, desired: { problem: new Error('No event is chosen.') } },
		"Could not read this trigger's settings; as before, 57 of 58 companies are watched",
	],
	[
		'neither the service nor the link answers',
		{ ...down, desired: brokenLink },
		'Could not check since 05:25 (last seen: 58 of 58 watched)',
	],
	[
		'one company is refused while others have gaps',
		{ watched: 57, outcome: refused(LAST.slice(-1)), news: newsOf([ONE, TWO], { gap }) },
		'1 of 58 companies is not watched',
	],
	[
		'10 of 58 rows were pasted while n8n was down',
		{
			desired: keptFor('shrunk', COMPANIES.slice(10)),
			news: newsOf(COMPANIES, { gap: { ...gap, isDowntime: true } }),
		},
		'48 companies left your list: they stay watched until you confirm',
	],
	[
		'two numbers changed',
		{ desired: keptFor('renumbered', [ONE, TWO], THREE) },
		'2 companies have another number now: check them',
	],
	[
		'someone changed webhooks',
		{ news: newsOf([ONE, TWO], { drift: 'paused', gap: { to: gap.to } }) },
		'Events may be missing for 2 companies until 05:22',
	],
	[
		'gaps began at different times',
		{
			news: {
				companies: new Map([
					[ONE, { gap }],
					[TWO, { gap: { from: minutes(0), to: minutes(22) } }],
				]),
			},
		},
		'Events may be missing for 2 companies',
	],
	[
		'n8n was down',
		{ news: newsOf(COMPANIES, { gap: { ...gap, isDowntime: true } }) },
		'Events may be missing for 58 companies between 05:10 and 05:22',
	],
	[
		'an unpublish of a minute',
		{ news: newsOf(COMPANIES, { gap: { from: minutes(10), to: minutes(11) } }) },
		'Events may be missing for 58 companies between 05:10 and 05:11',
	],
	[
		'a restart, and a row that cannot be read',
		{ desired: unread(1), news: restart },
		'58 companies are watched; 1 row has no company number',
	],
	[
		'a skipped row looks mistyped',
		{ desired: unread(1, 'skip', true) },
		'58 companies are watched; 1 row has no company number',
	],
	[
		'companies stay for such a row',
		{ desired: { ...unread(1), ...keptFor('unreadable', [ONE, TWO]) } },
		'58 companies are watched; 2 companies may have left your list',
	],
	[
		'a webhook cannot be verified',
		{ outcome: { lost: [ONE], others: { [ONE]: ['wh_other'] } } },
		'58 companies are watched; 1 webhook cannot be verified',
	],
	[
		'the key opens another account',
		{ news: { leftActive: webhooks(58) } },
		'58 companies are watched; 58 earlier webhooks may still be active elsewhere',
	],
	[
		'columns are left out',
		{ desired: followed(['Notes', 'Owner', 'Fax']) },
		'58 companies are watched; 3 columns of your list are left out',
	],
	[
		'the list has more pages',
		{ outcome: { hasMorePages: true } },
		"58 companies are watched; the service's list has further pages",
	],
	[
		'of two of one rank, the one of more companies',
		{ desired: unread(2), outcome: failedPauses(3) },
		'58 companies are watched; 3 unneeded webhooks could not be paused',
	],
	[
		'and the other way round',
		{ desired: unread(4), outcome: failedPauses(3) },
		'58 companies are watched; 4 rows have no company number',
	],
];

const NEEDS_NOBODY: Row[] = [
	['all is well', {}, '58 companies are watched'],
	['one company', { all: [ONE] }, '1 company is watched'],
	[
		'the setup goes on, with a refusal',
		{ watched: 12, situation: { isSettingUp: true }, outcome: refused(LAST) },
		'12 of 58 companies are watched so far; setup continues',
	],
	[
		'the setup goes on, and the service has not answered yet',
		{ watched: 12, situation: { isSettingUp: true }, outcome: { isChecked: false } },
		'Setup continues (last seen: 12 of 58 watched)',
	],
	[
		'n8n was restarted',
		{ news: restart },
		'Events may be missing for 58 companies between 05:10 and 05:11',
	],
	['rows are skipped', { desired: unread(2, 'skip') }, '58 companies are watched'],
	[
		'a changed list',
		{ news: { watchedBefore: [...COMPANIES.slice(3), '99000001', '99000002'] } },
		'58 companies are watched: 3 added, 2 removed',
	],
	[
		'a gap has ended whose beginning was told',
		{ news: newsOf([ONE], { drift: 'events', gap, isBeginningReported: true }) },
		'Events may be missing for 1 company between 05:10 and 05:22',
	],
	[
		'a first setup has ended',
		{ news: { watchedBefore: [] }, situation: { isFirst: true } },
		'58 companies are watched',
	],
];
const TABLE = [...NEEDS_PERSON, ...NEEDS_NOBODY];

it.each(TABLE)('%s', (_situation, facts, verdict) => {
	expect(verdictOf(facts)).toBe(verdict);
});

// Where a person has to act, n8n shows a failed execution as well.
it('a person has to act in some situations', () => {
	const those = TABLE.filter(([, facts]) => reportOn(situationOf(facts)).needsPerson);
	expect(those).toEqual(NEEDS_PERSON);
	const withKey = TABLE.filter(([, facts]) => {
		const { lasting, happened } = reportOn(situationOf(facts)).keys;
		return lasting.length + happened.length > 0;
	});
	expect(withKey).toEqual(NEEDS_PERSON);
});

it('never says that something is watched where it could not be checked', () => {
	for (const [, facts] of TABLE) {
		const outcome = { ...facts.outcome, isChecked: false };
		const situation = situationOf({ ...facts, outcome });
		const { verdict, text } = reportOn(situation);
		expect(verdict + text).not.toMatch(/(is|are) watched/);
	}
});

it('has at most 120 characters, whatever the counts, dates and zone', () => {
	const companies = Array.from({ length: 20_000 }, (_, n) => String(10_000_000 + n));
	// The clocks change within the gap, and both days are in other years.
	const times = { from: Date.UTC(2024, 8, 9, 5), to: Date.UTC(2025, 11, 9, 5) };
	const longest = verdictOf({
		all: companies,
		news: newsOf(companies, { gap: times }),
		situation: { timezone: 'America/North_Dakota/New_Salem' },
	});
	expect(longest).toMatch(/^Events may be missing for 20000 companies between .*2025 \d\d:\d\d/);
	expect(longest.length).toBeLessThanOrEqual(120);
	const all = companies.slice(0, 2_000);
	for (const [, facts] of TABLE) {
		const verdict = verdictOf({ ...facts, all });
		expect(verdict.length).toBeLessThanOrEqual(120);
		expect(verdict).not.toMatch(/…$/);
	}
});

it('exists for each situation, at each point of a pass', () => {
	for (const [, facts] of TABLE) {
		for (const isSettingUp of [false, true]) {
			for (const isChecked of [false, true]) {
				const situation = situationOf({
					...facts,
					outcome: { ...facts.outcome, isChecked },
					situation: { ...facts.situation, isSettingUp },
				});
				const { verdict, needsPerson } = reportOn(situation);
				expect(verdict).toMatch(/^\w.*\w/);
				expect(isSettingUp && needsPerson).toBe(false);
			}
		}
	}
});

it('has all facts after the worst one', () => {
	const facts = factsOf(
		situationOf({
			watched: 57,
			outcome: { ...refused(LAST.slice(-1)), ...failedPauses(3) },
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
