// What each outcome of a pass says: cause and next step in at most 40 words, then names, at most twenty.
import { map } from 'lodash';

import {
	isGone,
	isOfOneCompany,
	RegistryFailure,
} from '../../../nodes/CompanyRegistry/registry/failure';
import {
	emptyDesired,
	type DesiredState,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/desired';
import {
	describeFailedPublish,
	describeOutcome,
	describeUnpaused,
	type Circumstances,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/messages';
import {
	isTemporary,
	outcomeOf,
	Stopped,
	UnusableAnswer,
	type Outcome,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/outcome';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import type { Drift } from '../../../nodes/CompanyRegistry/trigger/lifecycle/plan';
import {
	TriggerMemory,
	type Status,
	type Subscription,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/state';
import { companyNumbers } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(500);
const [ONE, TWO, THREE] = COMPANIES;
const URL_OF_TRIGGER = 'https://n8n.example.com/webhook/1/webhook';
const AT = Date.UTC(2026, 10, 25, 1, 54);

interface Setup {
	/** How many companies of the list are watched. */
	watched?: number;
	all?: string[];
	desired?: Partial<DesiredState>;
	notes?: Partial<Outcome>;
	lost?: string[];
	failure?: unknown;
	/** Events that the webhooks were last confirmed for. */
	events?: string[];
}

function subscription(company: string, status: Status = 'active'): Subscription {
	return { reference: `${status} ${company}`, company, id: `wh_${company}`, secret: 's', status };
}

function outcome({ watched = 0, all = [ONE, TWO, THREE], desired, ...setup }: Setup): Outcome {
	const memory = new TriggerMemory({ workflow: '', node: '' });
	const { events = ['filing.new'], lost = [], notes, failure } = setup;
	memory.updateFacts({ url: URL_OF_TRIGGER, events });
	for (const one of all.slice(0, watched).map((company) => subscription(company)))
		memory.subscriptions.set(one.reference, one);
	for (const one of lost.map((company) => subscription(company, 'pending')))
		memory.subscriptions.set(one.reference, one);
	const whole = {
		...emptyDesired(URL_OF_TRIGGER, ['filing.new']),
		companies: all,
		names: new Map([[ONE, 'Acme Ltd']]),
		showsReport: true,
		...desired,
	};
	return outcomeOf(memory, whole, failure, notes);
}

function failureOf(
	status?: number,
	message = 'Refused',
	error = 'invalid',
	body: unknown = { error, message, status },
): RegistryFailure {
	const credentialType = 'companyRegistryApi';
	return new RegistryFailure({ method: 'POST', credentialType, token: '', status, body });
}
const refused = (companies: string[], reason: unknown = failureOf(422, 'Struck off')) => ({
	refused: new Map(companies.map((company) => [company, reason])),
});
const others = (...companies: string[]) => ({
	others: Object.fromEntries(companies.map((one) => [one, [`wh_other_${one}`]])),
});
const repaired = (...drifts: Array<[string, Drift]>) => ({
	drift: new Map(drifts),
	repaired: new Set(map(drifts, 0) as string[]),
});
const unread = (looksMistyped: boolean, unwatchable: 'stop' | 'skip') => ({
	unreadable: [{ row: 3, words: 'row 3 ("sole trader")', looksMistyped }],
	options: optionsSchema.parse({ unwatchable }),
});

function say(setup: Setup, circumstances: Partial<Circumstances> = {}) {
	const result = outcome(setup);
	return describeOutcome(result, { before: result.desired.companies, ...circumstances });
}

/** At most forty words stand before the first company, webhook or row that is listed. */
function expectPlain(words: string): void {
	const own = words.replace(/The service said: "[^"]*"( \(\w+\))?\./g, '');
	const [before] = own.split(/(?<=: )(?=\d{8}|wh_|row \d)/);
	const count = before.split(/\s+/).filter(Boolean).length;
	expect({ before, isShort: count <= 40 }).toEqual({ before, isShort: true });
	const sentences = own.split(/(?<=\.)\s+/);
	expect(new Set(sentences).size).toBe(sentences.length);
	expect(words).not.toMatch(/undefined|\[object|NaN|\.\.| {2}/);
}

// What happened, the state that Watch Report shows, and what a failed execution says; empty without one.
it.each<[string, Setup, string, RegExp | '']>([
	['all are watched', { watched: 3 }, 'complete', ''],
	[
		'the service is down',
		{ watched: 2, failure: failureOf(503) },
		'incomplete',
		/^2 of 3 companies are watched\. .*HTTP 503.* The trigger retries automatically\.$/,
	],
	[
		'the plan is used up',
		{ watched: 2, failure: failureOf(402) },
		'incomplete',
		/^2 of 3 .*account is not allowed/,
	],
	[
		'one is refused',
		{ watched: 2, notes: refused([THREE]) },
		'incomplete',
		/refused 1 company\. .*Struck off.* Correct these numbers or remove them: 10000003/,
	],
	[
		'all are refused alike',
		{ notes: refused([ONE, TWO, THREE]) },
		'incomplete',
		/refused 3 companies\. .*Struck off.* All were refused for the same reason\. Check your account/,
	],
	[
		'a pass is stopped by refusals',
		{
			all: COMPANIES,
			notes: refused(COMPANIES.slice(0, 20)),
			failure: new Stopped('Setup stopped after 20 identical refusals in a row', {
				cause: failureOf(422),
			}),
		},
		'incomplete',
		/in a row\. The registry service refused 20 companies\./,
	],
	[
		'an answer cannot be used',
		{
			watched: 2,
			notes: refused([THREE], new UnusableAnswer('It answered with another one')),
		},
		'incomplete',
		/watched\. It answered with another one\. Find their webhooks with .* support: 10000003\.$/,
	],
	['too many are gone', { watched: 2, failure: new Stopped('Gone') }, 'incomplete', /^2 of.*Gone/],
	[
		'answers are lost',
		{ watched: 2, lost: [THREE] },
		'incomplete',
		/answers for these companies were lost or unusable\. Unpublish and publish: 10000003\.$/,
	],
	[
		'a lost webhook is listed',
		{ watched: 3, lost: [THREE], notes: others(THREE) },
		'incomplete',
		/cannot verify.*Pause these.*wh_other_10000003 \(10000003\)/,
	],
	['companies have other webhooks', { watched: 3, notes: others(ONE) }, 'complete', ''],
	[
		'one webhook was paused',
		{ watched: 3, notes: repaired([ONE, 'paused']) },
		'repaired',
		/someone changed 1 webhook at the service.*Had been paused: 10000001 Acme Ltd/,
	],
	[
		'the account is another',
		{ watched: 3, notes: { leftActive: [subscription(TWO)] } },
		'incomplete',
		/another account.*still active.*Pause them there: wh_10000002/,
	],
	[
		'webhooks cannot be paused',
		{
			watched: 3,
			notes: { failedPauses: { subscriptions: [subscription(TWO)], why: 'Forbidden' } },
		},
		'incomplete',
		/could not pause webhooks .*: Forbidden.*wh_10000002/,
	],
	[
		'a row cannot be read',
		{ watched: 3, desired: unread(false, 'stop') },
		'incomplete',
		/number\. Correct them: row 3 \("sole trader"\)\.$/,
	],
	['such a row is skipped', { watched: 3, desired: unread(false, 'skip') }, 'complete', ''],
	[
		'it looks mistyped among skipped rows',
		{
			watched: 3,
			desired: {
				...unread(false, 'skip'),
				unreadable: [false, true].map((looksMistyped, row) => ({
					row,
					words: `row ${row}`,
					looksMistyped,
				})),
			},
		},
		'incomplete',
		/Correct them: row 1\.$/,
	],
	[
		'companies stay for such a row',
		{ watched: 3, desired: { ...unread(false, 'stop'), kept: [ONE] } },
		'incomplete',
		/1 company left the list but stays watched.*: 10000001 Acme Ltd/,
	],
	[
		'the parameters cannot be read',
		{ watched: 3, desired: { problem: new Error('No event is chosen.') } },
		'incomplete',
		/^3 of 3 companies are still watched\. No event is chosen\.$/,
	],
	[
		'the pass cannot begin',
		{ watched: 1, failure: new Error('Set the address.') },
		'incomplete',
		/^1 of 3 companies is watched\. Set the address\.$/,
	],
	[
		'changed events are not confirmed',
		{ watched: 3, events: ['psc.added'], failure: failureOf(503) },
		'incomplete',
		/^0 of 3 companies are watched\. 3 may still deliver the previously chosen events\./,
	],
])('%s', (_what, setup, state, expected) => {
	const { status, words } = say(setup);
	expect(status.state).toBe(state);
	if (expected === '') expect(words).toBe('');
	else expect(words).toMatch(expected);
	expectPlain(words);
	expectPlain(status.summary);
	expect(status.left.size).toBe(status.wanted - status.watched);
});

describe('500 refusals are reported with at most twenty names for each reason', () => {
	it.each<[string, (n: number) => unknown, RegExp]>([
		['one reason', (n) => failureOf(422, `No company ${n}`), /10000002, .*10000021 and 479 more/],
		['a reason for each', (n) => failureOf(422, 'No', `code_${n}`), /code_0.*code_1.*code_2/],
		['three reasons', (n) => failureOf([400, 409, 422][n % 3]), /147 more.*146 more.*146 more/],
	])('%s', (_what, reasonOf, expected) => {
		const refusals = new Map(COMPANIES.slice(1).map((company, n) => [company, reasonOf(n)]));
		const { status, words } = say({ all: COMPANIES, watched: 1, notes: { refused: refusals } });
		expect(words).toMatch(/^1 of 500 companies is watched/);
		expect(words).toMatch(expected);
		expect(words.length).toBeLessThan(2500);
		expect([status.watched, status.left.size]).toEqual([1, 499]);
	});
});

describe('what surrounds a pass', () => {
	it.each<[Partial<Circumstances>, string]>([
		[
			{ gap: { from: AT, to: AT + 60_000 } },
			'Not watched between 2026-11-25 01:54 UTC and 2026-11-25 01:55 UTC: events may be missing.',
		],
		[
			{ startedAt: AT },
			'n8n was started at 2026-11-25 01:54 UTC: events that were delivered while it was down may be missing.',
		],
	])('is named with its times: %j', (circumstances, words) => {
		const { summary } = say({ watched: 3 }, circumstances).status;
		expect(summary).toBe(`3 of 3 companies are watched. ${words}`);
	});

	it('has the time from which a repaired webhook may have missed events', () => {
		const setup = { watched: 3, notes: repaired([ONE, 'paused']) };
		expect(say(setup, { healthyAt: AT }).words).toMatch(/since 2026-11-25 01:54 UTC/);
	});

	it('while setting up continues, missing companies are no failure', () => {
		const { status, words } = say({ watched: 1 }, { isSettingUp: true });
		expect([status.state, words]).toEqual(['settingUp', '']);
		const { words: refusal } = say({ watched: 1, notes: refused([TWO]) }, { isSettingUp: true });
		expect(refusal).toMatch(/refused 1 company/);
		expect(refusal).not.toMatch(/not watched yet|Publish again/);
	});

	it('another number under the same name may be mistyped', () => {
		const names = new Map([ONE, '10000999'].map((company) => [company, 'Acme Ltd']));
		const before = ['10000999', ONE, THREE];
		expect(say({ watched: 3, desired: { names } }, { before }).words).toMatch(
			/10000999 was Acme Ltd's number, now 10000001/,
		);
	});

	it('the key stays the same as long as the same is found', () => {
		const reasonKey = (reason: unknown) => say({ watched: 2, notes: refused([THREE], reason) }).key;
		expect(reasonKey(failureOf(422, 'Request 1'))).toBe(reasonKey(failureOf(422, 'Request 2')));
		expect(reasonKey(failureOf(422))).not.toBe(reasonKey(failureOf(409)));
		// Each check tries other companies of many.
		const failure = new Stopped('20 equal refusals in a row', { cause: failureOf(422) });
		const stopKey = (first: number) =>
			say({ all: COMPANIES, notes: refused(COMPANIES.slice(first, first + 20)), failure }).key;
		expect(stopKey(0)).toBe(stopKey(20));
	});
});

// n8n shows only the message of a failed publish.
it.each<[string, Setup, boolean, RegExp]>([
	[
		'nothing is watched',
		{ failure: failureOf(503) },
		false,
		/^No company is watched\. .*HTTP 503.*Publish again/,
	],
	['it took a minute', {}, true, /^No company is watched\. .*within a minute/],
	[
		'a row cannot be read',
		{
			failure: new Error('Correct row 3.'),
			desired: { refusal: 'Correct row 3.' },
		},
		false,
		/^No company is watched\. Correct row 3\.$/,
	],
	[
		'a company is refused',
		{ watched: 2, notes: refused([THREE]) },
		false,
		/Invalid Companies' \(under Options\) to 'Skip'\. .*Struck off.*10000003/,
	],
	[
		'companies are watched already',
		{ notes: { alreadyWatched: [ONE, TWO], ...others(ONE, TWO) } },
		false,
		/active webhooks for 2 of 3 companies.*Unpublish.*If Already Watched' \(under Options\) to 'Watch Anyway'\. Already watched: 10000001 Acme Ltd, 10000002\.$/,
	],
])('a failed publish where %s', (_what, setup, isLate, expected) => {
	const words = describeFailedPublish(outcome(setup), isLate);
	expect(words).toMatch(expected);
	expectPlain(words);
});

it('what stays active after an unpublish is logged with each webhook', () => {
	const words = describeUnpaused([subscription(ONE), subscription(TWO)], 'Forbidden.');
	expect(words).toMatch(
		/^2 webhooks could not be paused.*Forbidden\. .*wh_10000001 \(10000001\), wh_10000002/,
	);
	expectPlain(words);
});

it('some failures concern one company, may pass, or prove that a webhook is gone', () => {
	const statuses = [400, 401, 402, 403, 404, 409, 410, 422, 429, 500, 503];
	const those = (is: (reason: unknown) => boolean) => statuses.filter((one) => is(failureOf(one)));
	expect(those(isOfOneCompany)).toEqual([400, 404, 409, 410, 422]);
	expect(those(isTemporary)).toEqual([429, 500, 503]);
	expect(those(isGone)).toEqual([404, 410]);
	const proxyPage = failureOf(404, undefined, undefined, '<h1>Not found</h1>');
	expect([isOfOneCompany(proxyPage), isGone(proxyPage)]).toEqual([true, false]);
});
