// Which requests bring an account to what is wanted, by what the service has confirmed and what it lists.
import type { Subscription } from '../../../nodes/CompanyRegistry/trigger/memory/subscription';
import {
	makePlan,
	type ListedWebhook,
	type Plan,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/plan';

const EVENTS = ['filing.new', 'psc.added'];
const URL_OF_TRIGGER = 'https://n8n.example.com/webhook';
const urlOf = (reference: string) => `${URL_OF_TRIGGER}?ref=${reference}`;

/** As the service may write what was asked of it besides. */
const ODD = [...EVENTS, 'Company.Dissolved', '*'];

type Confirmed = { url?: string; events?: string[] } | 'paused';

/** A webhook that is known, as the service has confirmed it last; undefined where that is not known. */
function known(id: string, company: string, confirmed?: Confirmed): Subscription {
	const asWanted = { url: urlOf(id), events: EVENTS };
	return {
		reference: id,
		company,
		id,
		secret: `secret of ${id}`,
		confirmed: typeof confirmed === 'object' ? { ...asWanted, ...confirmed } : confirmed,
	};
}
const ACTIVE: Confirmed = {};
const PAUSED: Confirmed = 'paused';
const UNKNOWN = undefined;

function listed(changes: Partial<ListedWebhook> = {}): ListedWebhook {
	return { id: 'a', company_number: 'C1', events: EVENTS, is_active: true, ...changes };
}
const LISTED = listed();
const LISTED_PAUSED = listed({ is_active: false });
const NOT_LISTED = undefined;

function plan(companies: string[], webhooks: Subscription[], list: ListedWebhook[]) {
	const byId = new Map(list.map((webhook) => [webhook.id, webhook]));
	const ids = (some: Subscription[]) => some.map(({ id }) => id);
	const made: Plan = makePlan({ companies, events: EVENTS, url: URL_OF_TRIGGER }, webhooks, byId);
	return {
		keep: ids(made.keep),
		resume: ids(made.resume),
		create: made.create,
		pause: ids(made.pause),
	};
}
const nothing = { keep: [], resume: [], create: [], pause: [] };

// A request is left out only where what was confirmed and what is listed agree: a list may lag behind.
describe('one known webhook', () => {
	it.each<[string, Confirmed | undefined, ListedWebhook | undefined, keyof Plan, boolean]>([
		//                                           confirmed, listed; wanted: what; unwanted: paused
		['active, and listed so', ACTIVE, LISTED, 'keep', true],
		['active, and listed as paused', ACTIVE, LISTED_PAUSED, 'resume', true],
		['active, and not listed', ACTIVE, NOT_LISTED, 'resume', true],
		['paused, and listed so', PAUSED, LISTED_PAUSED, 'resume', false],
		['paused, and listed as active', PAUSED, LISTED, 'resume', true],
		['paused, and not listed', PAUSED, NOT_LISTED, 'resume', false],
		['of unknown state, listed as active', UNKNOWN, LISTED, 'resume', true],
		['of unknown state, listed as paused', UNKNOWN, LISTED_PAUSED, 'resume', false],
		['of unknown state, not listed', UNKNOWN, NOT_LISTED, 'resume', true],
		['with other events', { events: ['filing.new'] }, LISTED, 'resume', true],
		['listed with other events', ACTIVE, listed({ events: ['filing.new'] }), 'resume', true],
		['with its events in another order', { events: [...EVENTS].reverse() }, LISTED, 'keep', true],
		['with another destination', { url: 'https://old.example.com?ref=a' }, LISTED, 'resume', true],
		['listed with its destination', ACTIVE, listed({ url: urlOf('a') }), 'keep', true],
		['listed with another destination', ACTIVE, listed({ url: 'https://old' }), 'resume', true],
		['listed with an empty destination', ACTIVE, listed({ url: '' }), 'resume', true],
		['listed with one of another kind', ACTIVE, listed({ url: { href: 'x' } }), 'keep', true],
		['listed with names of no documented event', ACTIVE, listed({ events: ODD }), 'keep', true],
	])('%s', (_what, confirmed, remote, whenWanted, isPausedWhenNot) => {
		const one = known('a', 'C1', confirmed);
		const list = remote ? [remote] : [];
		expect(plan(['C1'], [one], list)).toEqual({ ...nothing, [whenWanted]: ['a'] });
		expect(plan([], [one], list)).toEqual({ ...nothing, pause: isPausedWhenNot ? ['a'] : [] });
	});
});

it.each<[string, Subscription[], ListedWebhook[], Partial<typeof nothing> | object]>([
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
		{ keep: ['a'] },
	],
	[
		'of several, the active one is used and a paused one stays so',
		[known('a', 'C1', PAUSED), known('b', 'C1', ACTIVE)],
		[LISTED_PAUSED, listed({ id: 'b' })],
		{ keep: ['b'] },
	],
	[
		'of several active ones, one is used and the others are paused',
		[known('a', 'C1', ACTIVE), known('b', 'C1', ACTIVE)],
		[LISTED, listed({ id: 'b' })],
		{ keep: ['a'], pause: ['b'] },
	],
	[
		'one that is listed comes before one that may be gone',
		[known('a', 'C1', ACTIVE), known('b', 'C1', PAUSED)],
		[listed({ id: 'b', is_active: false })],
		{ resume: ['b'], pause: ['a'] },
	],
])('%s', (_what, webhooks, list, expected) => {
	const [{ company } = { company: 'C1' }] = webhooks;
	expect(plan([company], webhooks, list)).toEqual({ ...nothing, ...expected });
});
