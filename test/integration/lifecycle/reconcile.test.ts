// One pass against a real simulator: which requests it sends in which order, what it keeps, and when it stops.
import { map, times, pick } from 'lodash';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { openRegistry } from '../../../nodes/CompanyRegistry/registry/registry';
import { emptyDesired } from '../../../nodes/CompanyRegistry/trigger/lifecycle/configuration';
import { noReading } from '../../../nodes/CompanyRegistry/trigger/records/desired';
import { reconcile, type Pass } from '../../../nodes/CompanyRegistry/trigger/lifecycle/reconcile';
import { TriggerMemory } from '../../../nodes/CompanyRegistry/trigger/lifecycle/memory';
import { statusOf } from '../../../nodes/CompanyRegistry/trigger/reports/status';
import {
	deliveringCompanies,
	type Findings,
} from '../../../nodes/CompanyRegistry/trigger/records/outcome';
import type { Subscription } from '../../../nodes/CompanyRegistry/trigger/records/subscription';
import type { Fault, FaultAction } from '../../simulator';
import { PAUSES, serviceForEachTest } from '../../support/atService';
import { hookContext, testWorkflow } from '../../support/contexts';
import '../../support/loadedTriggers';
import { companyNumbers } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(60);
const [ONE, TWO] = COMPANIES;
const URL_OF_TRIGGER = 'https://n8n.example.com/webhook/1/webhook';
const EVENTS = ['filing.new'];
const OTHER_EVENTS = ['psc.added'];
const GONE = { error: 'gone', message: 'No such webhook', status: 404 };
const trigger = new CompanyRegistryTrigger();

const simulator = serviceForEachTest();
let memory: TriggerMemory;
let apiKey: string;

beforeEach(() => {
	memory = new TriggerMemory({ workflow: '', node: '' });
	({ apiKey } = simulator);
});

/** What a pass has found, and what is so behind it. */
interface Result extends Findings {
	watched: string[];
	/** Of which events may arrive. */
	delivering: string[];
}

async function pass(
	companies: string[],
	{
		kind = 'publish',
		events = EVENTS,
		url = URL_OF_TRIGGER,
	}: { kind?: Pass['kind']; events?: string[]; url?: string } = {},
): Promise<Result> {
	const credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
	const registry = await openRegistry(
		hookContext(testWorkflow({ nodeType: trigger, credentials })),
	);
	const desired = { ...emptyDesired(url), events, companies };
	// Another address is one of a copy.
	desired.options = { ...desired.options, addressChanged: 'new' };
	const { signal } = new AbortController();
	const persist = () => undefined;
	const findings = await reconcile({
		...{ memory, desired, registry, kind, mayPause: true, signal, persist },
	});
	const { watched } = statusOf(memory, { ...findings, desired, reading: noReading() }, Date.now());
	const delivering = deliveringCompanies(memory.subscriptions, desired);
	return {
		...findings,
		watched,
		delivering,
	};
}

/** Companies are watched, and only later requests count. */
async function watch(count: number): Promise<Subscription[]> {
	await pass(COMPANIES.slice(0, count));
	simulator.clearRequests();
	return memory.subscriptions;
}

const always = (fault: Partial<Fault> & { action: FaultAction }) =>
	simulator.fault({ times: Infinity, ...fault });
/** The companies whose webhooks others have changed. */
const changed = () =>
	memory.subscriptions.flatMap(({ company, gap }) => (gap?.cause === 'changed' ? [company] : []));
const repaired = () => memory.subscriptions.filter(({ gap }) => gap?.to !== undefined);
const at = ({ id }: { id: string }) => new RegExp(`/${id}$`);
const posts = () => simulator.requests.filter(({ method }) => method === 'POST');

it.each([
	['are paused where the account may not create more', 402, 2],
	['stay active after a failure that may pass', 503, 0],
])('companies that are not desired any more %s', async (_what, status, count) => {
	await watch(3);
	always({ method: 'POST', action: { status } });
	await pass(COMPANIES.slice(2, 5));
	expect(simulator.requests.filter(PAUSES.when)).toHaveLength(count);
});

it('companies that are not desired keep their secrets where their webhook is gone', async () => {
	const [first, second] = await watch(2);
	always({ ...PAUSES, path: at(first), action: { status: 404, body: GONE } });
	await pass([second.company]);
	expect(memory.subscriptions).toMatchObject([
		{ ...pick(first, 'id', 'secret'), state: 'paused' },
		second,
	]);
});

describe('an answer', () => {
	/** The service answers the next create in this way. */
	const answerCreate = (data: object) =>
		simulator.fault({ method: 'POST', action: { status: 201, body: { data } } });
	const CREATED = { id: 'wh-1', secret: 'whsec_kept' };

	it.each<[string, object, string[]]>([
		['as not active is followed by one update', { is_active: false }, ['PATCH']],
		['without a desired event is followed by one update', { events: OTHER_EVENTS }, ['PATCH']],
		['with additional events under other names will do', { events: [...EVENTS, 'a.b'] }, []],
	])('that shows a new webhook %s', async (_what, shown, further) => {
		answerCreate({ ...CREATED, ...shown });
		simulator.fault({ method: 'PATCH', action: { status: 200, body: { data: { id: 'wh-1' } } } });
		const { watched } = await pass([ONE], { events: [...EVENTS, 'A.B', 'c.*'] });
		expect(watched).toEqual([ONE]);
		expect(simulator.methods()).toEqual(['GET', 'POST', ...further]);
	});

	it('that still shows it as not active refuses the company, and the secret is kept', async () => {
		const data = { id: 'wh-1', is_active: false };
		answerCreate({ ...CREATED, ...data });
		simulator.fault({ method: 'PATCH', action: { status: 200, body: { data } } });
		const { refused, watched } = await pass([ONE, TWO]);
		expect([watched.length, refused.size]).toEqual([1, 1]);
		expect(memory.subscriptions).toContainEqual(expect.objectContaining(CREATED));
	});

	it('to a create without a secret is not used', async () => {
		await watch(1);
		answerCreate({ id: 'wh-1' });
		const { refused } = await pass([ONE, TWO]);
		expect([...refused.keys()]).toEqual([TWO]);
		expect(JSON.stringify(memory.subscriptions)).not.toContain('wh-1');
	});

	it('to an update that lacks a desired event refuses the company without another update', async () => {
		const [first] = await watch(2);
		const body = { data: { id: first.id, is_active: true, events: EVENTS } };
		always({ path: at(first), action: { status: 200, body } });
		const { refused, watched } = await pass([ONE, TWO], { events: OTHER_EVENTS });
		expect([...refused.keys()]).toEqual([first.company]);
		expect(watched).not.toContain(first.company);
		expect(simulator.requests.filter(({ path }) => at(first).test(path))).toHaveLength(1);
	});
});

describe('refusals', () => {
	const POST = 'POST';
	const code = (error: string) => ({ status: 409, body: { error, message: 'No', status: 409 } });

	/** The service refuses all creates alike, except each nth, which has another end. */
	const limitExcept = (nth: number, action?: FaultAction) =>
		times(4, (n) => {
			simulator.fault({ method: POST, nth: n * nth + 1, times: nth - 1, action: code('limit') });
			if (action) simulator.fault({ method: POST, nth: (n + 1) * nth, action });
		});
	const NO_SECRET = { status: 201, body: { data: { id: 'wh-1' } } };
	const from = (nth: number, action: FaultAction) => always({ method: POST, nth, action });

	// How many creates are sent at most; those under way at once are still answered.
	it.each<[string, () => void, number, number]>([
		['that are equal stop the pass after twenty', () => from(1, code('limit')), 20, 20],
		['that differ now and then do not', () => limitExcept(11, code('other')), 60, 60],
		['do not while others succeed in between', () => limitExcept(11), 60, 60],
		['of the account stop it at once', () => from(12, { status: 402 }), 12, 21],
		['by answers that cannot be used stop it after three', () => from(12, NO_SECRET), 14, 23],
		['by lost answers stop it after three', () => from(12, 'dropAfter'), 14, 23],
	])('%s', async (_what, prepare, least, most) => {
		prepare();
		await pass(COMPANIES);
		expect(posts().length).toBeGreaterThanOrEqual(least);
		expect(posts().length).toBeLessThanOrEqual(most);
	});

	it.each<[string, number, number]>([
		['are refused', 25, 422],
		['have no clear answer', 3, 500],
	])('of updates that %s keep no new company from its webhook', async (_what, count, status) => {
		const known = await watch(30);
		const path = new RegExp(map(known.slice(0, count), 'id').join('|'));
		always({ method: 'PATCH', path, action: { status } });
		const { watched } = await pass(COMPANIES.slice(0, 31), { events: OTHER_EVENTS });
		expect(watched).toContain(COMPANIES[30]);
	});

	const STILL_PAUSED = { status: 200, body: { data: { is_active: false } } };
	it.each<[string, Parameters<typeof simulator.drift>[0], FaultAction, boolean]>([
		['with changed events', { events: OTHER_EVENTS }, { status: 422 }, true],
		['that stays paused', { is_active: false }, STILL_PAUSED, false],
	])('leave a webhook %s unwatched', async (_what, changes, action, mayDeliver) => {
		const [first, second] = await watch(2);
		simulator.drift(changes, [first.company]);
		always({ path: at(first), action });
		const { refused, watched, delivering } = await pass([ONE, TWO], { kind: 'check' });
		expect([...refused.keys()]).toEqual([first.company]);
		expect([repaired(), watched]).toEqual([[], [second.company]]);
		expect(delivering.includes(first.company)).toBe(mayDeliver);
	});
});

describe('a webhook that the service no longer has', () => {
	const errorObject = (status: number) => ({ status, body: { ...GONE, status } });

	it.each<[string, FaultAction | undefined, boolean]>([
		['404 with the error object', undefined, true],
		['410 with the error object', errorObject(410), true],
		['404 of a proxy', { status: 404, body: '<h1>Not found</h1>' }, false],
		['403 with the error object', errorObject(403), false],
	])('is replaced only where an update gives proof: %s', async (_what, action, isReplaced) => {
		const [first] = await watch(3);
		simulator.forgetWebhook(first.id);
		if (action) always({ method: 'PATCH', action });
		await pass(COMPANIES.slice(0, 3), { kind: 'check' });
		expect(changed()).toEqual(isReplaced ? [first.company] : []);
		expect(memory.subscriptions.includes(first)).toBe(!isReplaced);
		expect(simulator.watched()).toHaveLength(isReplaced ? 3 : 2);
	});

	it('is not replaced while the list shows it', async () => {
		const [first] = await watch(2);
		always({ method: 'PATCH', path: at(first), action: errorObject(404) });
		await pass([ONE, TWO], { events: OTHER_EVENTS });
		expect(simulator.counts()).not.toHaveProperty('POST');
		expect(memory.subscriptions).toContain(first);
	});

	it('is replaced with any number of others', async () => {
		for (const { id } of await watch(25)) simulator.forgetWebhook(id);
		const { watched } = await pass(COMPANIES.slice(0, 25), { kind: 'check' });
		expect([watched.length, posts().length]).toEqual([25, 25]);
	});

	it('stays known until its replacement exists, so that an aborted pass loses nothing', async () => {
		const [first, second] = await watch(2);
		simulator.forgetWebhook(first.id);
		always({ method: 'POST', action: { status: 402 } });
		expect((await pass([ONE, TWO], { kind: 'check' })).watched).toEqual([second.company]);
		expect(memory.subscriptions).toContain(first);
		simulator.clearFaults();
		expect((await pass([ONE, TWO], { kind: 'check' })).watched).toEqual([ONE, TWO]);
		expect(memory.subscriptions).not.toContain(first);
		expect([changed(), repaired().length]).toEqual([[first.company], 1]);
	});
});

describe('a new key, where the list shows none of the known webhooks', () => {
	beforeEach(async () => {
		await watch(3);
		apiKey = simulator.addApiKey();
		simulator.fault({ method: 'GET', action: { status: 200, body: { data: [] } } });
	});

	it('is of the same account if an update that changes nothing succeeds', async () => {
		await pass(COMPANIES.slice(0, 3));
		expect(simulator.requests[1].body).toEqual({ events: EVENTS });
		expect(simulator.webhooks()).toHaveLength(3);
	});

	it.each<[string, FaultAction, boolean]>([
		['is of another account if that is answered with 403', { status: 403 }, true],
		['is of another account if that is answered with 404', { status: 404 }, true],
		['is of another account if that is answered with 410', { status: 410 }, true],
		['stops the pass if that is answered with 422', { status: 422 }, false],
		['stops the pass if that is not answered', 'drop', false],
	])('%s', async (_what, action, isOther) => {
		always({ method: 'PATCH', action });
		const { failure } = await pass(COMPANIES.slice(0, 3));
		expect(failure === undefined).toBe(isOther);
		expect(posts()).toHaveLength(isOther ? 3 : 0);
		expect(simulator.requests.filter(PAUSES.when)).toEqual([]);
	});
});
