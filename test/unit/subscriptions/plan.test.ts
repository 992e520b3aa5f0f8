// Which requests bring an account to what is wanted, by what the service has confirmed and what it lists.
import type { Webhook } from '../../../nodes/CompanyRegistry/registry/webhooks';
import type { Subscription } from '../../../nodes/CompanyRegistry/trigger/memory/state';
import { makePlan } from '../../../nodes/CompanyRegistry/trigger/subscriptions/plan';

const EVENTS = ['filing.new', 'psc.added'];
const URL_OF_TRIGGER = 'https://n8n.example.com/webhook';
const urlOf = (reference: string) => `${URL_OF_TRIGGER}?ref=${reference}`;

/** As the service may write what was asked of it besides. */
const ODD = [...EVENTS, 'Company.Dissolved', '*'];

/** A webhook that is known, as the service has confirmed it last. */
function known(id: string, company: string, status: Subscription['status']): Subscription {
	return { reference: id, company, id, secret: `secret of ${id}`, status };
}
const ACTIVE = 'watched';
const PAUSED = 'paused';
const UNKNOWN = 'unknown';

function listed(changes: Partial<Webhook> = {}): Webhook {
	return { id: 'a', company_number: 'C1', events: EVENTS, is_active: true, ...changes };
}
const LISTED = listed();
const LISTED_REVERSED = listed({ events: [...EVENTS].reverse() });
const LISTED_PAUSED = listed({ is_active: false });
const NOT_LISTED = undefined;

function plan(
	companies: string[],
	webhooks: Subscription[],
	list: Webhook[],
	{ hasMore = false, isRecent = false } = {},
) {
	const listed = { webhooks: new Map(list.map((webhook) => [webhook.id, webhook])), hasMore };
	const wanted = { companies, events: EVENTS, url: URL_OF_TRIGGER };
	const { update, create, pause } = makePlan(wanted, webhooks, listed, () => isRecent);
	const named = update.map(({ one: { id }, drift }) => (drift ? `${id} ${drift}` : id));
	return { update: named, create, pause: pause.map(({ id }) => id) };
}
const nothing = { update: [], create: [], pause: [] };

// A request is left out only where what was confirmed and what is listed agree: a list may lag behind.
describe('one known webhook', () => {
	it.each<[string, Subscription['status'], Webhook | undefined, string, boolean]>([
		//                           confirmed, listed; wanted: what is sent; unwanted: whether it is paused
		['active, and listed so', ACTIVE, LISTED, '', true],
		['active, and listed as paused', ACTIVE, LISTED_PAUSED, 'a paused', true],
		['active, and not listed', ACTIVE, NOT_LISTED, 'a removed', true],
		['paused, and listed so', PAUSED, LISTED_PAUSED, 'a', false],
		['paused, and listed as active', PAUSED, LISTED, 'a', true],
		['paused, and not listed', PAUSED, NOT_LISTED, 'a', false],
		['of unknown state, listed as active', UNKNOWN, LISTED, 'a', true],
		['of unknown state, listed as paused', UNKNOWN, LISTED_PAUSED, 'a', false],
		['of unknown state, not listed', UNKNOWN, NOT_LISTED, 'a', true],
		['with other events', 'active', LISTED, 'a', true],
		['listed with other events', ACTIVE, listed({ events: ['filing.new'] }), 'a events', true],
		['listed with its events in another order', ACTIVE, LISTED_REVERSED, '', true],
		['listed with its destination', ACTIVE, listed({ url: urlOf('a') }), '', true],
		['listed elsewhere', ACTIVE, listed({ url: 'https://old' }), 'a redirected', true],
		['listed with an empty destination', ACTIVE, listed({ url: '' }), 'a redirected', true],
		['listed with one of another kind', ACTIVE, listed({ url: { href: 'x' } }), '', true],
		['listed with names of no documented event', ACTIVE, listed({ events: ODD }), '', true],
	])('%s', (_what, confirmed, remote, whenWanted, isPausedWhenNot) => {
		const one = known('a', 'C1', confirmed);
		const list = remote ? [remote] : [];
		const update = whenWanted ? [whenWanted] : [];
		expect(plan(['C1'], [one], list)).toEqual({ ...nothing, update });
		expect(plan([], [one], list)).toEqual({ ...nothing, pause: isPausedWhenNot ? ['a'] : [] });
	});

	it('that was written to lately is sent the same again where the list differs, and is not called changed', () => {
		const one = known('a', 'C1', ACTIVE);
		const isRecent = true;
		expect(plan(['C1'], [one], [LISTED_PAUSED], { isRecent })).toMatchObject({ update: ['a'] });
		expect(plan(['C1'], [one], [], { isRecent })).toEqual(nothing);
	});

	it('that is not listed is left alone where the list shows that it has more', () => {
		expect(plan(['C1'], [known('a', 'C1', ACTIVE)], [], { hasMore: true })).toEqual(nothing);
	});
});

it('of many that are not listed, twenty are asked about, others each time', () => {
	const companies = [...Array(60).keys()].map(String);
	const all = companies.map((company) => known(`w${company}`, company, ACTIVE));
	const [first, second] = [0, 1].map(() => plan(companies, all, []).update);
	expect([first.length, second.length]).toEqual([20, 20]);
	expect(first).not.toEqual(second);
});

it.each<[string, Subscription[], Webhook[], Partial<typeof nothing> | object]>([
	['the webhooks of others are no reason', [], [listed({ id: 'x' })], { create: ['C1'] }],
	[
		'one that is listed for another company is left alone, and replaced',
		[known('a', 'C1', ACTIVE), known('b', 'C2', ACTIVE)],
		[listed({ company_number: 'C9' }), listed({ id: 'b', company_number: 'C9' })],
		{ create: ['C1'] },
	],
	[
		'one that is listed under its company, written in another way, is kept',
		[known('a', '00000001', ACTIVE)],
		[listed({ company_number: ' 1' })],
		{},
	],
	[
		'of several, the active one is used and a paused one stays so',
		[known('a', 'C1', PAUSED), known('b', 'C1', ACTIVE)],
		[LISTED_PAUSED, listed({ id: 'b' })],
		{},
	],
	[
		'of several active ones, one is used and the others are paused',
		[known('a', 'C1', ACTIVE), known('b', 'C1', ACTIVE)],
		[LISTED, listed({ id: 'b' })],
		{ pause: ['b'] },
	],
	[
		'one that is listed comes before one that may be gone',
		[known('a', 'C1', ACTIVE), known('b', 'C1', PAUSED)],
		[listed({ id: 'b', is_active: false })],
		{ update: ['b'], pause: ['a'] },
	],
])('%s', (_what, webhooks, list, expected) => {
	const [{ company } = { company: 'C1' }] = webhooks;
	expect(plan([company], webhooks, list)).toEqual({ ...nothing, ...expected });
});
