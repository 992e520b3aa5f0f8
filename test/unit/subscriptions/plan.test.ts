// Which requests bring an account to what is wanted.
import type { RememberedWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/triggerMemory';
import type { KnownWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/webhookLines';
import {
	isAsWanted,
	makePlan,
	sameEvents,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/plan';

const urlOf = (reference: string) => `https://n8n.example.com/webhook?ref=${reference}`;

function known(
	id: string,
	company: string,
	status: KnownWebhook['status'],
	url: string | undefined = status === 'watched' ? urlOf(id) : undefined,
): RememberedWebhook {
	return {
		reference: id,
		company,
		id,
		secret: `secret of ${id}`,
		status,
		url,
		account: 'account',
		events: ['filing.new'],
	};
}

function listed(id: string, company: string, isActive: boolean, events = ['filing.new']) {
	return { id, company_number: company, events, is_active: isActive };
}

const KEPT_ACTIVE = known('a', 'C1', 'watched');
const PAUSED = known('a', 'C1', 'paused');
const UNPAUSED = known('a', 'C1', 'unconfirmed');

const nothing = { keep: [], resume: [], create: [], pause: [], alreadyPaused: [] };

describe('makePlan', () => {
	it.each([
		['creates what nothing is known of', ['C1', 'C2'], [], [], { create: ['C1', 'C2'] }],
		['does nothing for nothing', [], [], [], {}],
		['keeps what is as wanted', ['C1'], [KEPT_ACTIVE], [listed('a', 'C1', true)], { keep: ['a'] }],
		['resumes what it paused', ['C1'], [PAUSED], [listed('a', 'C1', false)], { resume: ['a'] }],
		[
			'resumes what somebody else paused',
			['C1'],
			[KEPT_ACTIVE],
			[listed('a', 'C1', false)],
			{ resume: ['a'] },
		],
		[
			'resumes what somebody else resumed, whose destination it does not know',
			['C1'],
			[PAUSED],
			[listed('a', 'C1', true)],
			{ resume: ['a'] },
		],
		[
			'resumes, not replaces, what the list does not hold',
			['C1'],
			[KEPT_ACTIVE],
			[],
			{ resume: ['a'] },
		],
		['resumes a paused one that the list does not hold', ['C1'], [PAUSED], [], { resume: ['a'] }],
		[
			'updates one with other events',
			['C1'],
			[KEPT_ACTIVE],
			[listed('a', 'C1', true, ['filing.new', 'psc.added'])],
			{ resume: ['a'] },
		],
		[
			'updates one with another destination',
			['C1'],
			[known('a', 'C1', 'watched', 'https://old.example.com/webhook?ref=a')],
			[listed('a', 'C1', true)],
			{ resume: ['a'] },
		],
		[
			'uses one whose pause failed',
			['C1'],
			[UNPAUSED],
			[listed('a', 'C1', true)],
			{ resume: ['a'] },
		],
		['pauses what is not wanted', [], [KEPT_ACTIVE], [listed('a', 'C1', true)], { pause: ['a'] }],
		['tries a failed pause again', [], [UNPAUSED], [listed('a', 'C1', true)], { pause: ['a'] }],
		[
			'pauses what somebody else resumed',
			[],
			[PAUSED],
			[listed('a', 'C1', true)],
			{ pause: ['a'] },
		],
		[
			'leaves what is paused and unwanted',
			[],
			[PAUSED],
			[listed('a', 'C1', false)],
			{ alreadyPaused: ['a'] },
		],
		[
			'leaves what is unwanted and paused by others',
			[],
			[KEPT_ACTIVE],
			[listed('a', 'C1', false)],
			{ alreadyPaused: ['a'] },
		],
		[
			'leaves what it paused and the list does not hold',
			[],
			[PAUSED],
			[],
			{ alreadyPaused: ['a'] },
		],
		['pauses what may be active and the list does not hold', [], [UNPAUSED], [], { pause: ['a'] }],
		[
			'uses the active one of several and pauses no other that is paused',
			['C1'],
			[PAUSED, known('b', 'C1', 'watched')],
			[listed('a', 'C1', false), listed('b', 'C1', true)],
			{ keep: ['b'], alreadyPaused: ['a'] },
		],
		[
			'uses one of several active ones and pauses the others',
			['C1'],
			[KEPT_ACTIVE, known('b', 'C1', 'watched')],
			[listed('a', 'C1', true), listed('b', 'C1', true)],
			{ keep: ['a'], pause: ['b'] },
		],
		[
			'prefers a listed one to one that may be gone',
			['C1'],
			[KEPT_ACTIVE, known('b', 'C1', 'paused')],
			[listed('b', 'C1', false)],
			{ resume: ['b'], pause: ['a'] },
		],
		['ignores the webhooks of others', ['C1'], [], [listed('x', 'C1', true)], { create: ['C1'] }],
	])('%s', (_what, companies, webhooks, list, expected) => {
		const plan = makePlan(
			{ companies, events: ['filing.new'], urlOf },
			webhooks,
			new Map(list.map((webhook) => [webhook.id, webhook])),
		);
		const ids = (some: RememberedWebhook[]) => some.map(({ id }) => id);
		expect({
			keep: ids(plan.keep),
			resume: ids(plan.resume),
			create: plan.create,
			pause: ids(plan.pause),
			alreadyPaused: ids(plan.alreadyPaused),
		}).toEqual({ ...nothing, ...expected });
	});

	it('plans thousands of companies at once', () => {
		const companies = Array.from({ length: 5000 }, (_, index) => `C${index}`);
		const webhooks = companies
			.slice(0, 4000)
			.map((company, index) => known(`w${index}`, company, 'watched'));
		const list = webhooks.slice(0, 3000).map(({ id, company }) => listed(id, company, true));
		const plan = makePlan(
			{ companies, events: ['filing.new'], urlOf },
			webhooks,
			new Map(list.map((webhook) => [webhook.id, webhook])),
		);
		expect([plan.keep.length, plan.resume.length, plan.create.length]).toEqual([3000, 1000, 1000]);
	});
});

describe('a destination that the service lists', () => {
	const plan = (url: unknown) =>
		makePlan(
			{ companies: ['C1'], events: ['filing.new'], urlOf },
			[KEPT_ACTIVE],
			new Map([['a', { ...listed('a', 'C1', true), url }]]),
		);

	it.each<[string, unknown]>([
		['is not shown', undefined],
		['is of another kind', { href: 'https://n8n.example.com' }],
		['is as wanted', urlOf('a')],
	])('needs no request where it %s', (_what, url) => {
		expect(plan(url)).toEqual({ ...nothing, keep: [KEPT_ACTIVE] });
	});

	it.each([['https://other.example.com/webhook?ref=a'], ['']])(
		'is corrected where it is "%s"',
		(url) => {
			expect(plan(url)).toEqual({ ...nothing, resume: [KEPT_ACTIVE] });
		},
	);
});

describe('sameEvents', () => {
	it.each([
		[['a', 'b'], ['b', 'a'], true],
		[['a', 'a'], ['a'], true],
		[['a'], ['a', 'b'], false],
		[['a', 'b'], ['a'], false],
		[['a'], ['b'], false],
		[['a', 'b'], ['a', 'c'], false],
	])('%j and %j: %s', (one, other, expected) => {
		expect(sameEvents(one, other)).toBe(expected);
	});
});

describe('what is as wanted by what is known here', () => {
	const wanted = { companies: ['C1'], events: ['filing.new'], urlOf };

	it.each<[string, RememberedWebhook[], boolean]>([
		['is a webhook that was confirmed', [KEPT_ACTIVE], true],
		['is one beside paused ones', [KEPT_ACTIVE, known('b', 'C2', 'paused')], true],
		['is not nothing', [], false],
		['is not a paused one', [PAUSED], false],
		[
			'is not one whose state is not confirmed',
			[known('a', 'C1', 'unconfirmed', urlOf('a'))],
			false,
		],
		['is not one beside such', [KEPT_ACTIVE, known('b', 'C2', 'unconfirmed')], false],
		['is not one more that is active', [KEPT_ACTIVE, known('b', 'C2', 'watched')], false],
		['is not another company in its place', [known('b', 'C2', 'watched')], false],
		[
			'is not one to be resumed beside one to be paused',
			[known('a', 'C1', 'paused'), known('b', 'C2', 'watched')],
			false,
		],
		['is not one with another destination', [known('a', 'C1', 'watched', 'https://old')], false],
		['is not one with other events', [{ ...KEPT_ACTIVE, events: ['psc.added'] }], false],
	])('%s', (_what, webhooks, expected) => {
		expect(isAsWanted(wanted, webhooks)).toBe(expected);
	});
});
