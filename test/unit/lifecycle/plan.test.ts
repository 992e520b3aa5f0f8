// Which requests bring an account to the desired state, by what the service has confirmed and what it lists.
import { compact, map } from 'lodash';

import type { Webhook } from '../../../nodes/CompanyRegistry/registry/webhooks';
import { makePlan } from '../../../nodes/CompanyRegistry/trigger/lifecycle/plan';
import type { Subscription } from '../../../nodes/CompanyRegistry/trigger/records/subscription';

const EVENTS = ['filing.new', 'psc.added'];
const URL_OF_TRIGGER = 'https://n8n.example.com/webhook';
const urlOf = (reference: string) => `${URL_OF_TRIGGER}?ref=${reference}`;
/** The service may show additional events under other names. */
const ODD = [...EVENTS, 'Company.Dissolved', '*'];
/** What the webhooks were last confirmed for. */
const TARGET = { url: URL_OF_TRIGGER, events: EVENTS };

function known(
	id: string,
	company: string,
	state: Subscription['state'],
	target = TARGET,
): Subscription {
	return { reference: id, company, id, secret: `secret of ${id}`, state, target };
}
function listed(changes: Partial<Webhook> = {}): Webhook {
	return { id: 'a', company_number: 'C1', events: EVENTS, is_active: true, ...changes };
}
const LISTED = listed();
const LISTED_PAUSED = listed({ is_active: false });

function plan(companies: string[], webhooks: Subscription[], list: Webhook[]) {
	const desired = { companies, events: EVENTS, url: URL_OF_TRIGGER };
	const shown = { webhooks: new Map(list.map((webhook) => [webhook.id, webhook])) };
	const made = makePlan(desired, webhooks, shown);
	return {
		update: made.update.map((one) => compact([one.id, made.drift.get(one)]).join(' ')),
		absent: map(made.absent, 'id'),
		create: made.create,
		pause: map(made.pause, 'id'),
	};
}
const nothing = { update: [], absent: [], create: [], pause: [] };
const update = (...update: string[]) => ({ update });
const ABSENT = { absent: ['a'] };

// A request is left out only where the list agrees with the last answer.
describe('one known webhook', () => {
	it.each<
		[string, Subscription['state'], Webhook | undefined, Partial<typeof nothing> | object, boolean]
	>([
		// last answer, list; requests if desired; whether it is paused if not
		['active, and listed so', 'active', LISTED, {}, true],
		['active, and listed as paused', 'active', LISTED_PAUSED, update('a paused'), true],
		['active, and not listed', 'active', undefined, ABSENT, true],
		['paused, and listed so', 'paused', LISTED_PAUSED, update('a'), false],
		['paused, and listed as active', 'paused', LISTED, update('a'), true],
		['paused, and not listed', 'paused', undefined, update('a'), false],
		['unsure, listed as active', 'unsure', LISTED, update('a'), true],
		['unsure, listed as paused', 'unsure', LISTED_PAUSED, update('a'), false],
		['unsure, not listed', 'unsure', undefined, update('a'), true],
		['with other events', 'active', listed({ events: ['filing.new'] }), update('a unsure'), true],
		['with more events', 'active', listed({ events: [...EVENTS, 'officer.appointed'] }), {}, true],
		['with events in any order', 'active', listed({ events: [...EVENTS].reverse() }), {}, true],
		['with its own URL', 'active', listed({ url: urlOf('a') }), {}, true],
		['with another URL', 'active', listed({ url: 'https://old' }), update('a paused'), true],
		['with an empty URL', 'active', listed({ url: '' }), update('a paused'), true],
		['with a URL that is not text', 'active', listed({ url: { href: 'x' } }), {}, true],
		['with names of events that are not documented', 'active', listed({ events: ODD }), {}, true],
	])('%s', (_what, state, remote, ifDesired, isPausedIfNot) => {
		const one = known('a', 'C1', state);
		const list = remote ? [remote] : [];
		expect(plan(['C1'], [one], list)).toEqual({ ...nothing, ...ifDesired });
		expect(plan([], [one], list)).toEqual({ ...nothing, pause: isPausedIfNot ? ['a'] : [] });
	});

	it.each<[string, Partial<typeof TARGET>, Webhook, string]>([
		['events', { events: ['filing.new'] }, listed({ events: ['filing.new'] }), 'a'],
		['events, which the list shows already', { events: ['filing.new'] }, LISTED, 'a'],
		['events, while someone has paused it', { events: ['filing.new'] }, LISTED_PAUSED, 'a paused'],
		['address', { url: 'https://old' }, listed({ url: 'https://old?ref=a' }), 'a'],
	])('that was confirmed for other %s is updated', (_what, target, remote, expected) => {
		const one = known('a', 'C1', 'active', { ...TARGET, ...target });
		expect(plan(['C1'], [one], [remote])).toEqual({ ...nothing, ...update(expected) });
		expect(plan([], [one], [remote])).toEqual({ ...nothing, pause: ['a'] });
	});
});

it.each<[string, Subscription[], Webhook[], Partial<typeof nothing> | object]>([
	['webhooks of others do not count', [], [listed({ id: 'x' })], { create: ['C1'] }],
	[
		'one whose company is listed without leading zeros is kept',
		[known('a', '00000001', 'active')],
		[listed({ company_number: '1' })],
		{},
	],
	[
		'of several, the active one is used and a paused one stays paused',
		[known('a', 'C1', 'paused'), known('b', 'C1', 'active')],
		[LISTED_PAUSED, listed({ id: 'b' })],
		{},
	],
	[
		'of several active ones, one is used and the others are paused',
		[known('a', 'C1', 'active'), known('b', 'C1', 'active')],
		[LISTED, listed({ id: 'b' })],
		{ pause: ['b'] },
	],
	[
		'of several, a change of one that is not used is no news',
		[known('a', 'C1', 'active', { ...TARGET, events: [] }), known('b', 'C1', 'active')],
		[listed({ events: [] }), listed({ id: 'b', is_active: false })],
		{ update: ['a'], pause: ['b'] },
	],
	[
		'one that is listed is preferred to one that may be gone',
		[known('a', 'C1', 'active'), known('b', 'C1', 'paused')],
		[listed({ id: 'b', is_active: false })],
		{ update: ['b'], pause: ['a'] },
	],
])('%s', (_what, webhooks, list, expected) => {
	const [{ company } = { company: 'C1' }] = webhooks;
	expect(plan([company], webhooks, list)).toEqual({ ...nothing, ...expected });
});
