// How each company stands, which failures of one company stop a round, and how many are told.
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import { Store } from '../../../nodes/CompanyRegistry/trigger/memory/store';
import { reportOf } from '../../../nodes/CompanyRegistry/trigger/subscriptions/report';
import {
	GivenUp,
	isGone,
	isOfOneCompany,
	isPassing,
	Standings,
	UnusableAnswer,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/standings';
import { wishOf } from '../../../nodes/CompanyRegistry/trigger/subscriptions/wish';
import { companyNumbers } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(500);
const URL_OF_TRIGGER = 'https://n8n.example.com/webhook/1/webhook';

let store: Store;

/** Of which the first so many are watched. */
function standingsOf(companies: string[], watched = 0): Standings {
	store = new Store();
	store.adopt({ companies, events: ['filing.new'], url: URL_OF_TRIGGER });
	store.use({ account: 'a', address: 'https://n8n.example.com/webhook', subscriptions: new Map() });
	for (const company of companies.slice(0, watched)) {
		store.keep({ reference: company, company, id: company, secret: 's', status: 'watched' });
	}
	return new Standings(wishOf(store), store);
}

function refused(
	status?: number,
	said = 'Refused',
	error = 'invalid',
	method: 'POST' | 'PATCH' = 'POST',
) {
	const body = { error, message: said, status };
	return new RegistryFailure({
		method,
		credentialType: 'companyRegistryApi',
		token: '',
		status,
		body,
	});
}
const page = new RegistryFailure({
	method: 'PATCH',
	credentialType: 'companyRegistryApi',
	token: '',
	status: 404,
	body: '<h1>Not found</h1>',
});

it.each<[unknown, { ofOne: boolean; passes: boolean; gone?: boolean }]>([
	[refused(400), { ofOne: true, passes: false }],
	[refused(404), { ofOne: true, passes: false, gone: true }],
	[page, { ofOne: true, passes: false }],
	[refused(409), { ofOne: true, passes: false }],
	[refused(410), { ofOne: true, passes: false, gone: true }],
	[refused(422), { ofOne: true, passes: false }],
	[refused(401), { ofOne: false, passes: false }],
	[refused(402), { ofOne: false, passes: false }],
	[refused(403), { ofOne: false, passes: false }],
	[refused(429), { ofOne: false, passes: true }],
	[refused(503, 'Busy', 'busy', 'PATCH'), { ofOne: false, passes: true }],
	[new UnusableAnswer('Paused', 'as not active'), { ofOne: true, passes: false }],
	[new Error('No secret'), { ofOne: false, passes: false }],
])('%s: %j', (reason, { ofOne, passes, gone = false }) => {
	expect([isOfOneCompany(reason), isPassing(reason), isGone(reason)]).toEqual([
		ofOne,
		passes,
		gone,
	]);
	const standings = standingsOf(['1']);
	if (!ofOne) return;
	standings.noteFailure('1', reason, () => 0);
	expect([standings.in('refused').length, standings.isSettled('1')]).toEqual([1, true]);
});

/** How many fail, one after the other, until no more are asked for. */
function countUntilGivenUp(reasonOf: (index: number) => unknown): number {
	const standings = standingsOf(COMPANIES);
	for (const [index, company] of COMPANIES.entries()) {
		try {
			const reason = reasonOf(index);
			if (reason === undefined) standings.noteAccepted();
			else standings.noteFailure(company, reason, () => COMPANIES.length - index - 1);
		} catch {
			return index + 1;
		}
	}
	return Infinity;
}

it.each<[string, (index: number) => unknown, number]>([
	['refused for the same reason', () => refused(409), 20],
	['refused in words that hold a number', (n) => refused(409, `Limit reached (request ${n})`), 20],
	[
		'refused with another code now and then',
		(n) => refused(409, 'No', n % 19 ? 'a' : 'b'),
		Infinity,
	],
	['refused with another status now and then', (n) => refused(n % 19 ? 409 : 422), Infinity],
	[
		'refused after one was accepted',
		(n) => (n < 100 && n % 19 === 0 ? undefined : refused(409)),
		116,
	],
	['shown paused', (n) => new UnusableAnswer(`Shows wh_${n} as paused`, 'as not active'), 20],
	['lost, if they are new', () => refused(500), 3],
	['lost, one after an accepted one', (n) => (n % 3 === 2 ? undefined : refused(500)), Infinity],
	['unclear, if they are known', () => refused(500, '', '', 'PATCH'), 10],
	['refused as an account', () => refused(402), 1],
])('where companies are %s, it gives up after %p', (_how, reasonOf, count) => {
	expect(countUntilGivenUp(reasonOf)).toBe(count);
});

describe('500 refusals are told with no more than twenty names', () => {
	it.each<[string, (index: number) => unknown, RegExp]>([
		['of one kind', (n) => refused(422, `No company ${n}`), /10000002, .*10000021 and 479 more/],
		['each of its own', (n) => refused(422, 'No', `code_${n}`), /494 more for other reasons/],
		['of three kinds', (n) => refused([400, 409, 422][n % 3]), /and 147 more.*166 more.*166 more/],
	])('%s', (_what, reasonOf, expected) => {
		const standings = standingsOf(COMPANIES, 1);
		for (const [index, company] of COMPANIES.slice(1).entries()) {
			standings.note(company, 'refused', reasonOf(index));
		}
		const { summary: said, watched, left } = reportOf(standings).status;
		expect(said).toMatch(/^1 of 500 companies are watched/);
		expect(said).toMatch(expected);
		expect(said.match(/\b100\d{5}\b/g)?.length).toBeLessThanOrEqual(20);
		expect(said.length).toBeLessThan(2200);
		expect([watched, left.size]).toEqual([1, 499]);
	});
});

it.each<[string, (standings: Standings) => void, boolean, string]>([
	['nothing to do', () => undefined, false, 'complete'],
	['something mended', mend, false, 'mended'],
	['work going on', mend, true, 'settingUp'],
	['a failure', (one) => (one.failure = refused(503)), false, 'incomplete'],
	['a failure, and work going on', (one) => (one.failure = refused(503)), true, 'settingUp'],
	['one that is left alone', (one) => one.note('2', 'disputed'), false, 'incomplete'],
	['one refused, and work going on', (one) => one.note('2', 'refused'), true, 'incomplete'],
	[
		'what could not be paused',
		(one) => (one.unpaused = { subscriptions: [], why: '' }),
		false,
		'incomplete',
	],
])('the state with %s', (_what, prepare, isGoingOn, expected) => {
	const standings = standingsOf(['1', '2'], expected === 'incomplete' ? 1 : 2);
	prepare(standings);
	expect(reportOf(standings, undefined, isGoingOn).status.state).toBe(expected);
});

function mend(): void {
	store.drifts.set('1', 'paused');
}

it('what is left while work goes on is no failure yet', () => {
	const standings = standingsOf(['1', '2', '3', '4'], 1);
	standings.note('2', 'refused', refused(422, 'No filings'));
	const summaryOf = (isGoingOn: boolean) =>
		reportOf(standings, undefined, isGoingOn).status.summary;
	expect(summaryOf(true)).toMatch(/^1 of 4 .*\. 1 company could not be set up .*The rest follows/);
	expect(summaryOf(false)).toMatch(/^1 of 4 .*\. 3 companies could not be set up/);
	expect(reportOf(standingsOf(['1', '2'], 1), undefined, true).status.summary).toBe(
		'1 of 2 companies are watched. The rest follows by itself.',
	);
});

it('companies are not named where all are refused for the same reason', () => {
	const standings = standingsOf(['1', '2'], 0);
	for (const company of ['1', '2']) standings.note(company, 'refused', refused(422, 'No filings'));
	const { summary } = reportOf(standings).status;
	expect(summary).toContain('No filings');
	expect(summary).not.toContain('(1, 2)');
});

it('what stopped a round is said once', () => {
	const standings = standingsOf(['1', '2'], 1);
	const reason = refused(409, 'Used up');
	standings.note('2', 'refused', reason);
	standings.failure = new GivenUp('No more were asked for', { cause: reason });
	const said = reportOf(standings).status.summary;
	expect(said.match(/Used up/g)).toHaveLength(1);
	expect(said).toContain('No more were asked for');
});
