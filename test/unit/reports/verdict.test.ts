// What is so, in one line: each situation has one verdict, the worst fact first.
import { factsOf, verdictOf } from '../../../nodes/CompanyRegistry/trigger/reports/verdict';
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
const gap = { from: minutes(10), to: minutes(22) };
const others = (...companies: string[]) => ({
	others: Object.fromEntries(companies.map((one) => [one, [`wh_other_${one}`]])),
});
const followed = (leftOut: string[]) => ({
	followed: { isWindows1252: false, leftOut } as never,
});
const down: Facts = {
	outcome: { isChecked: false, failure: failureWith(503) },
	situation: { failingSince: minutes(25) },
};

// The situation, its verdict, and whether a person has to act: then it is a failed execution as well.
const TABLE: Array<[situation: string, facts: Facts, verdict: string, needsPerson: boolean]> = [
	['all is well', {}, '58 companies are watched', false],
	['one company', { all: [ONE] }, '1 company is watched', false],
	[
		'the key is refused',
		{ ...down, outcome: { isChecked: false, failure: failureWith(401) } },
		'Could not check since 05:25 (last seen: 58 of 58 watched)',
		true,
	],
	['the service is down', down, 'Could not check since 05:25 (last seen: 58 of 58 watched)', true],
	[
		'the first failing pass',
		{ watched: 55, outcome: down.outcome },
		'Could not check (last seen: 55 of 58 watched)',
		true,
	],
	[
		'the service has the list, and then fails',
		{ ...down, outcome: { failure: failureWith(503) } },
		'Could not finish the check since 05:25 (last seen: 58 of 58 watched)',
		true,
	],
	[
		'the link is broken',
		{
			...down,
			outcome: {},
			desired: { problem: new Error('No answer.'), followsLink: true },
		},
		'Could not read your list since 05:25; as before, 58 of 58 companies are watched',
		true,
	],
	[
		'an expression fails, and a company is not watched',
		{ watched: 57, desired: { problem: new Error('No event is chosen.') } },
		"Could not read this trigger's settings; as before, 57 of 58 companies are watched",
		true,
	],
	[
		'neither the service nor the link answers',
		{ ...down, desired: { problem: new Error('No answer.'), followsLink: true } },
		'Could not check since 05:25 (last seen: 58 of 58 watched)',
		true,
	],
	[
		'companies are refused',
		{ watched: 55, outcome: refused(LAST) },
		'3 of 58 companies are not watched',
		true,
	],
	[
		'one company is refused while others have gaps',
		{ watched: 57, outcome: refused(LAST.slice(-1)), news: newsOf([ONE, TWO], { gap }) },
		'1 of 58 companies is not watched',
		true,
	],
	[
		'the setup goes on',
		{ watched: 12, situation: { isSettingUp: true, isFirst: true } },
		'12 of 58 companies are watched so far; setup continues',
		false,
	],
	[
		'the setup goes on, with a refusal',
		{ watched: 12, situation: { isSettingUp: true }, outcome: refused(LAST) },
		'12 of 58 companies are watched so far; setup continues',
		false,
	],
	[
		'the setup goes on, and the service has not answered yet',
		{ watched: 12, situation: { isSettingUp: true }, outcome: { isChecked: false } },
		'Setup continues (last seen: 12 of 58 watched)',
		false,
	],
	[
		'10 of 58 rows were pasted',
		{ desired: keptFor('shrunk', COMPANIES.slice(10)) },
		'48 companies left your list: they stay watched until you confirm',
		true,
	],
	[
		'most of a list is gone while n8n was down',
		{
			desired: keptFor('shrunk', [ONE]),
			news: newsOf(COMPANIES, { gap: { ...gap, isDowntime: true } }),
		},
		'1 company left your list: it stays watched until you confirm',
		true,
	],
	[
		'a number lost a digit',
		{ desired: keptFor('renumbered', [ONE], TWO) },
		'1 company has another number now: check it',
		true,
	],
	[
		'two numbers changed',
		{ desired: keptFor('renumbered', [ONE, TWO], THREE) },
		'2 companies have another number now: check them',
		true,
	],
	[
		'someone changed webhooks',
		{ news: newsOf([ONE, TWO], { drift: 'paused', gap: { to: gap.to } }) },
		'Events may be missing for 2 companies until 05:22',
		true,
	],
	[
		'the workflow was unpublished',
		{ news: newsOf(COMPANIES, { gap }) },
		'Events may be missing for 58 companies between 05:10 and 05:22',
		true,
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
		true,
	],
	[
		'a gap that lasts',
		{ news: newsOf([ONE], { gap: { from: gap.from } }) },
		'Events may be missing for 1 company since 05:10',
		true,
	],
	[
		'n8n was down',
		{ news: newsOf(COMPANIES, { gap: { ...gap, isDowntime: true } }) },
		'Events may be missing for 58 companies between 05:10 and 05:22',
		true,
	],
	[
		'n8n was restarted',
		{ news: newsOf(COMPANIES, { gap: { from: minutes(10), to: minutes(11), isDowntime: true } }) },
		'Events may be missing for 58 companies between 05:10 and 05:11',
		false,
	],
	[
		'an unpublish of a minute',
		{ news: newsOf(COMPANIES, { gap: { from: minutes(10), to: minutes(11) } }) },
		'Events may be missing for 58 companies between 05:10 and 05:11',
		true,
	],
	[
		'a restart, and a row that cannot be read',
		{
			desired: unread(1),
			news: newsOf(COMPANIES, { gap: { from: minutes(10), to: minutes(11), isDowntime: true } }),
		},
		'58 companies are watched; 1 row has no company number',
		true,
	],
	[
		'rows cannot be read',
		{ desired: unread(2) },
		'58 companies are watched; 2 rows have no company number',
		true,
	],
	['such rows are skipped', { desired: unread(2, 'skip') }, '58 companies are watched', false],
	[
		'a skipped row looks mistyped',
		{ desired: unread(1, 'skip', true) },
		'58 companies are watched; 1 row has no company number',
		true,
	],
	[
		'companies stay for such a row',
		{ desired: { ...unread(1), ...keptFor('unreadable', [ONE, TWO]) } },
		'58 companies are watched; 2 companies may have left your list',
		true,
	],
	[
		'a webhook cannot be verified',
		{ outcome: { lost: [ONE], ...others(ONE) } },
		'58 companies are watched; 1 webhook cannot be verified',
		true,
	],
	[
		'webhooks could not be paused',
		{ outcome: failedPauses(2) },
		'58 companies are watched; 2 unneeded webhooks could not be paused',
		true,
	],
	[
		'the key opens another account',
		{ news: { leftActive: webhooks(58) } },
		'58 companies are watched; 58 earlier webhooks may still be active elsewhere',
		true,
	],
	[
		'columns are left out',
		{ desired: followed(['Notes', 'Owner', 'Fax']) },
		'58 companies are watched; 3 columns of your list are left out',
		true,
	],
	[
		'the list has more pages',
		{ outcome: { hasMorePages: true } },
		"58 companies are watched; the service's list has further pages",
		true,
	],
	[
		'of two of one rank, the one of more companies',
		{ desired: unread(2), outcome: failedPauses(3) },
		'58 companies are watched; 3 unneeded webhooks could not be paused',
		true,
	],
	[
		'and the other way round',
		{ desired: unread(4), outcome: failedPauses(3) },
		'58 companies are watched; 4 rows have no company number',
		true,
	],
	[
		'a changed list',
		{ news: { watchedBefore: [...COMPANIES.slice(3), '99000001', '99000002'] } },
		'58 companies are watched: 3 added, 2 removed',
		false,
	],
	[
		'a company only left',
		{ news: { watchedBefore: [...COMPANIES, '99000001'] } },
		'58 companies are watched: 1 removed',
		false,
	],
	[
		'a gap has ended whose beginning was told',
		{ news: newsOf([ONE], { drift: 'events', gap, isBeginTold: true }) },
		'Events may be missing for 1 company between 05:10 and 05:22',
		false,
	],
	[
		'a first setup has ended',
		{ news: { watchedBefore: [] }, situation: { isFirst: true } },
		'58 companies are watched',
		false,
	],
];

it.each(TABLE)('%s', (_situation, facts, verdict, needsPerson) => {
	const situation = situationOf(facts);
	expect(verdictOf(situation)).toBe(verdict);
	const report = reportOn(situation);
	expect([report.verdict, report.needsPerson]).toEqual([verdict, needsPerson]);
	expect([...report.keys.lasting, ...report.keys.happened].length > 0).toBe(needsPerson);
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
	const zones = [
		'America/Argentina/ComodRivadavia',
		'America/North_Dakota/New_Salem',
		'Asia/Kathmandu',
	];
	for (const timezone of zones) {
		const situation = situationOf({
			all: companies,
			news: newsOf(companies, { gap: times }),
			situation: { timezone },
		});
		const verdict = verdictOf(situation);
		expect(verdict).toMatch(/^Events may be missing for 20000 companies between .*2025 \d\d:\d\d/);
		expect(verdict.length).toBeLessThanOrEqual(120);
	}
	const all = companies.slice(0, 2_000);
	for (const [, facts] of TABLE) {
		const verdict = verdictOf(situationOf({ ...facts, all }));
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
