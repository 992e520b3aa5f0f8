// What a report leads with where several things are so at once, and what it says of gaps.
import { map } from 'lodash';

import type { Gap } from '../../../nodes/CompanyRegistry/trigger/records/gap';
import { noReading } from '../../../nodes/CompanyRegistry/trigger/records/desired';
import { reportOn } from '../../../nodes/CompanyRegistry/trigger/reports/report';
import type { Status } from '../../../nodes/CompanyRegistry/trigger/reports/status';
import { COMPANIES, failureWith, minutes, NOW, statusWith } from '../../support/statuses';

const [ONE, TWO, THREE, FOUR] = COMPANIES;
const report = (status: Status) =>
	reportOn(status, { workflow: 'Clients', timezone: 'Europe/London', at: NOW });
const kinds = (status: Status) => map(report(status).problems, (problem) => problem.split(' ')[0]);

const gapOf = (company: string, gap: Gap) => ({ company, gap });
const AWAY: Gap = { from: minutes(10), to: minutes(30), cause: 'n8n' };
const DRIFTED: Gap = { from: minutes(5), to: minutes(40), cause: 'changed' };
const unreadable = [{ words: 'row 9 ("1X")', looksMistyped: true, cell: '1X', name: '' }];

/** All at once, where the service answers. */
const ALL: Partial<Status> = {
	addressQuestion: 'Moved or copied?',
	unwatched: [FOUR],
	refused: new Map([[FOUR, failureWith(422)]]),
	unsetEvents: { 'psc.added': [ONE] },
	unreadList: { reason: new Error('The link is broken.'), since: minutes(0) },
	gaps: [gapOf(TWO, AWAY), gapOf(ONE, DRIFTED)],
	unreachable: [{ id: 'wh_1', company: ONE }],
	others: { [ONE]: ['wh_2'] },
	reading: noReading({
		unreadable,
		waiting: [
			{ company: TWO, why: 'large' },
			{ company: THREE, why: 'row' },
		],
	}),
	added: [ONE],
	removed: ['99000001'],
	changedNumbers: [{ name: 'Acme Ltd', before: '99000001', now: ONE }],
};

it('the worst comes first', () => {
	const worst = ['address', 'unwatched', 'events', 'list', 'large', 'row'];
	const rest = ['drift', 'away', 'account', 'others', 'renumbered'];
	expect(kinds(statusWith(ALL))).toEqual([...worst, ...rest]);
	// A row that holds no one comes later.
	const lessWaiting = { ...ALL, reading: noReading({ unreadable }) };
	expect(kinds(statusWith(lessWaiting)).slice(-3)).toEqual(['others', 'rows', 'renumbered']);
	// A pass that failed has looked at nothing else.
	const failing = { reason: failureWith(503), since: minutes(25) };
	const failed = statusWith({ ...ALL, failing, isFinished: false });
	expect(kinds(failed).slice(0, 3)).toEqual(['check', 'address', 'list']);
});

it('no verdict is longer than 120 characters, and the text has all', () => {
	const { verdict, text } = report(statusWith(ALL));
	expect(verdict.length).toBeLessThanOrEqual(120);
	for (const one of ['Moved or copied?', FOUR, 'PSC Added', 'broken', 'row 9', 'wh_1', 'wh_2']) {
		expect(text).toContain(one);
	}
	expect(text).toContain(`Acme Ltd: 99000001 → ${ONE}`);
});

it('what was reported once leads no later report', () => {
	const changes = { others: { [ONE]: ['wh_2'] }, added: [TWO], reading: noReading({ unreadable }) };
	const { problems, verdict } = report(statusWith(changes));
	expect(problems).toEqual(['others', expect.stringMatching(/^rows /)]);
	const reported = new Set(problems);
	const later = report(statusWith({ ...changes, reported }));
	expect(later.verdict).not.toBe(verdict);
	expect(later.verdict).toContain('1 added');
	expect(later.text).toContain('wh_2');
});

describe('a problem is another one', () => {
	const keyOf = (changes: Partial<Status>) => report(statusWith(changes)).problems[0];
	const row = (words: string, cell: string, name = 'Acme') => ({
		reading: noReading({ unreadable: [{ words, looksMistyped: true, cell, name }] }),
	});

	it.each<[boolean, string, Partial<Status>, Partial<Status>]>([
		[
			false,
			'companies come in another order',
			{ unwatched: [ONE, TWO] },
			{ unwatched: [TWO, ONE] },
		],
		[false, 'a row has moved', row('row 2', '1X'), row('row 3', '1X')],
		[true, 'its cell changed', row('row 2', '1X'), row('row 2', '2X')],
		[
			false,
			'a failing check goes on',
			{ failing: { reason: failureWith(503, 'Request 1'), since: minutes(1) }, isFinished: false },
			{ failing: { reason: failureWith(503, 'Request 2'), since: minutes(9) }, isFinished: false },
		],
		[
			false,
			'the same companies drift again',
			{ gaps: [gapOf(ONE, DRIFTED)] },
			{ gaps: [gapOf(ONE, { ...DRIFTED, to: NOW })] },
		],
		[
			true,
			'n8n was away again',
			{ gaps: [gapOf(ONE, AWAY)] },
			{ gaps: [gapOf(ONE, { ...AWAY, from: minutes(45), to: minutes(55) })] },
		],
	])('%s where %s', (isOther, _what, before, now) => {
		expect(keyOf(now) !== keyOf(before)).toBe(isOther);
	});
});

describe('gaps', () => {
	const all = (count: number, gap: (nth: number) => Gap) =>
		COMPANIES.slice(0, count).map((company, nth) => gapOf(company, gap(nth)));

	it.each<[string, Gap[], RegExp]>([
		['one time that all have', [AWAY, { ...AWAY, to: minutes(31) }], / between 05:10 and 05:31$/],
		['no time where they differ', [AWAY, { ...AWAY, from: minutes(20) }], /2 companies$/],
		['no end where one lasts', [DRIFTED, { ...DRIFTED, to: undefined }], / since 05:05$/],
		['only the end after a kill', [{ to: minutes(30), cause: 'n8n' }], / before 05:30, /],
	])('have %s in the verdict', (_what, gaps, verdict) => {
		const status = statusWith({ gaps: all(gaps.length, (nth) => gaps[nth]) });
		expect(report(status).verdict).toMatch(verdict);
	});

	it('of other lengths stand behind their companies, the first twenty with an address', () => {
		const gaps = all(58, (nth) => ({ ...DRIFTED, from: minutes(nth % 30) }));
		const { text } = report(statusWith({ gaps }));
		expect(text.match(/between 05:\d\d and 05:40/g)).toHaveLength(58);
		expect(text.match(/\/filing-history/g)).toHaveLength(20);
	});

	it.each<[string, Gap, boolean]>([
		['someone changed', DRIFTED, true],
		['n8n was away', AWAY, true],
		['the trigger was not published', { ...AWAY, cause: 'unpublished' }, false],
		['the company was not listed', { ...AWAY, cause: 'unlisted' }, false],
	])('need a person where %s: %3$s', (_what, gap, needsPerson) => {
		const { problems, state } = report(statusWith({ gaps: [gapOf(ONE, gap)] }));
		expect([problems.length > 0, state]).toEqual([needsPerson, 'repaired']);
	});
});
