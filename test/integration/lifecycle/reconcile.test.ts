// One pass against a real simulator: which requests it sends in which order, what it keeps, and when it stops.
import { map, omit, sortBy, times, without } from 'lodash';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import { openRegistry } from '../../../nodes/CompanyRegistry/registry/registry';
import { emptyDesired } from '../../../nodes/CompanyRegistry/trigger/lifecycle/desired';
import { Stopped } from '../../../nodes/CompanyRegistry/trigger/lifecycle/failures';
import { Ledger } from '../../../nodes/CompanyRegistry/trigger/reports/ledger';
import type { Outcome } from '../../../nodes/CompanyRegistry/trigger/lifecycle/outcome';
import { reconcile, type Pass } from '../../../nodes/CompanyRegistry/trigger/lifecycle/reconcile';
import { TriggerMemory } from '../../../nodes/CompanyRegistry/trigger/lifecycle/state';
import {
	isKnown,
	type Known,
	type Subscription,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/subscription';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import type { Fault, FaultAction } from '../../simulator';
import { companyIn, PAUSES, RESUMES, serviceForEachTest } from '../../support/atService';
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
/** What was in memory each time a pass stored it. */
let stored: Subscription[][];
/** What a person has not read yet. */
let ledger: Ledger;
let apiKey: string;

beforeEach(() => {
	memory = new TriggerMemory({ workflow: '', node: '' });
	stored = [];
	ledger = new Ledger();
	({ apiKey } = simulator);
});

interface Setup extends Partial<Pick<Pass, 'kind' | 'isFirst' | 'isStart' | 'signal'>> {
	events?: string[];
	options?: object;
}

async function pass(
	companies: string[],
	{
		kind = 'publish',
		isFirst = false,
		isStart = false,
		signal = new AbortController().signal,
		events = EVENTS,
		options,
	}: Setup = {},
): Promise<Outcome> {
	const credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
	const registry = await openRegistry(
		hookContext(testWorkflow({ nodeType: trigger, credentials })),
	);
	const desired = {
		...emptyDesired(URL_OF_TRIGGER, events),
		companies,
		options: optionsSchema.parse(options ?? {}),
	};
	const persist = () => void stored.push(structuredClone(memory.all));
	const when = { kind, isFirst, isStart, signal };
	return await reconcile({ memory, desired, registry, ledger, persist, ...when });
}

/** Companies are watched, and only later requests count. */
async function watch(count: number): Promise<Known[]> {
	await pass(COMPANIES.slice(0, count));
	simulator.clearRequests();
	return memory.known;
}

const always = (fault: Partial<Fault> & { action: FaultAction }) =>
	simulator.fault({ times: Infinity, ...fault });
const active = () => memory.known.filter(({ said }) => said === 'active');
/** What has happened to each company, as the ledger has it. */
const drifts = () => [...ledger.companies].map(([company, { drift }]) => [company, drift]);
const repaired = () => [...ledger.companies.values()].filter(({ gap }) => gap.to !== undefined);
const at = ({ id }: { id: string }) => new RegExp(`/${id}$`);
const posts = () => simulator.requests.filter(({ method }) => method === 'POST');

describe('the requests of a pass', () => {
	it('are the list, updates, one create alone, the other creates, and then pauses', async () => {
		await watch(3);
		const later = COMPANIES.slice(1, 6);
		await pass(later, { events: OTHER_EVENTS });
		expect(simulator.methods()).toEqual(['GET', 'PATCH', 'PATCH', 'POST', 'POST', 'POST', 'PATCH']);
		expect(simulator.requests.at(-1)).toMatchObject({ body: { is_active: false } });
		expect(simulator.watched()).toEqual(later);
	});

	it('go on where one webhook cannot be updated for long', async () => {
		const [first] = await watch(5);
		always({ path: at(first), action: { status: 500 } });
		const outcome = await pass(COMPANIES.slice(0, 9), { events: OTHER_EVENTS });
		expect(outcome.failure).toMatchObject({ status: 500 });
		expect([outcome.watched.length, outcome.delivering.length]).toEqual([8, 9]);
	});
});

describe('companies that are not desired any more', () => {
	const paused = () => simulator.requests.filter(PAUSES.when).length;

	it.each<[string, FaultAction | undefined, boolean, number]>([
		['are paused after all else', undefined, false, 2],
		['are paused where the account may not create more', { status: 402 }, false, 2],
		['stay active after a failure that may pass', { status: 503 }, false, 0],
		['stay active at a start of n8n', undefined, true, 0],
	])('%s', async (_what, action, isStart, count) => {
		await watch(3);
		if (action) always({ method: 'POST', action });
		await pass(COMPANIES.slice(2, 5), { kind: isStart ? 'check' : 'publish', isStart });
		expect([paused(), simulator.watched().includes(ONE)]).toEqual([count, count === 0]);
	});
});

it('a webhook that is gone when it is to be paused is forgotten', async () => {
	const [first, second] = await watch(2);
	always({ ...PAUSES, path: at(first), action: { status: 404, body: GONE } });
	await pass([second.company]);
	expect(memory.all).toEqual([second]);
});

describe('an answer', () => {
	it('is kept at once, so an aborted pass loses no secret and leaves no record of what it did not send', async () => {
		const abort = new AbortController();
		simulator.latencyMs = 40;
		const passing = pass(COMPANIES, { signal: abort.signal });
		await simulator.received(14);
		abort.abort();
		await expect(passing).rejects.toThrow(/abort/);
		const made = simulator.webhooks();
		expect(posts().length).toBeLessThan(60);
		expect(made).toHaveLength(posts().length);
		expect(map(memory.known, 'secret').sort()).toEqual(made.map(({ secret }) => secret).sort());
	});

	it.each<[string, object]>([
		['as not active', { is_active: false }],
		['without a desired event', { events: OTHER_EVENTS }],
	])('that shows a new webhook %s is followed by one update', async (_what, shown) => {
		const answer = { data: { id: 'wh-1', secret: 'whsec_kept', ...shown } };
		simulator.fault({ method: 'POST', action: { status: 201, body: answer } });
		simulator.fault({ method: 'PATCH', action: { status: 200, body: { data: { id: 'wh-1' } } } });
		expect((await pass([ONE])).watched).toEqual([ONE]);
		expect(simulator.methods()).toEqual(['GET', 'POST', 'PATCH']);
		expect(simulator.requests[2].body).toMatchObject({ events: EVENTS, is_active: true });
	});

	it('that still shows it so refuses the company, and the secret is kept', async () => {
		const data = { id: 'wh-1', is_active: false };
		const created = { data: { ...data, secret: 'whsec_kept' } };
		simulator.fault({ method: 'POST', action: { status: 201, body: created } });
		simulator.fault({ method: 'PATCH', action: { status: 200, body: { data } } });
		const { refused, watched } = await pass([ONE, TWO]);
		expect(watched).toHaveLength(1);
		expect([...refused.values()]).toEqual([
			expect.objectContaining({
				message: expect.stringContaining('the webhook as not active') as string,
			}),
		]);
		expect(memory.all).toContainEqual(
			expect.objectContaining({ id: 'wh-1', secret: 'whsec_kept' }),
		);
	});

	it('may show additional events under other names', async () => {
		const data = { id: 'wh-1', secret: 's', events: ['filing.new', 'a.b'] };
		simulator.fault({ method: 'POST', action: { status: 201, body: { data } } });
		await pass([ONE], { events: ['filing.new', 'A.B', 'c.*'] });
		expect(simulator.methods()).toEqual(['GET', 'POST']);
	});

	it.each<[string, (known: Known) => object]>([
		['without a secret', () => ({ id: 'wh-1' })],
		['with a webhook that the list shows', ({ id }) => ({ id, secret: 'another' })],
		['with another company', () => ({ id: 'wh-1', secret: 'another', company_number: '99999999' })],
	])('to a create %s is not used', async (_what, dataOf) => {
		const [known] = await watch(1);
		simulator.fault({ method: 'POST', action: { status: 201, body: { data: dataOf(known) } } });
		const { refused } = await pass([ONE, TWO]);
		expect([...refused.keys()]).toEqual([TWO]);
		expect(memory.all).toContainEqual(
			expect.objectContaining({ id: known.id, secret: known.secret }),
		);
		expect(JSON.stringify(memory.all)).not.toContain('another');
	});

	it('to an update that shows another company refuses the company, and nothing more is written', async () => {
		const [first] = await watch(2);
		const data = {
			id: first.id,
			company_number: '99999999',
			events: OTHER_EVENTS,
			is_active: true,
		};
		always({ path: at(first), action: { status: 200, body: { data } } });
		const { refused, watched } = await pass([ONE, TWO], { events: OTHER_EVENTS });
		expect([...refused.keys()]).toEqual([first.company]);
		expect(watched).not.toContain(first.company);
		expect(simulator.requests.filter(({ path }) => at(first).test(path))).toHaveLength(1);
	});

	it('to an update that lacks a desired event refuses the company', async () => {
		const [first] = await watch(1);
		const data = { id: first.id, events: EVENTS };
		simulator.fault({ method: 'PATCH', action: { status: 200, body: { data } } });
		const { refused, watched } = await pass([ONE], { events: OTHER_EVENTS });
		expect([[...refused.keys()], watched]).toEqual([[ONE], []]);
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
		['of the account stop it at once', () => from(1, { status: 402 }), 1, 1],
		['of the account stop it later, too', () => from(12, { status: 402 }), 12, 21],
		['by answers that cannot be used stop it after three', () => from(1, NO_SECRET), 3, 3],
		['by lost answers stop it after three', () => from(1, 'dropAfter'), 3, 3],
		['by lost answers later stop it, too', () => from(12, 'dropAfter'), 14, 23],
	])('%s', async (_what, prepare, least, most) => {
		prepare();
		await pass(COMPANIES);
		expect(posts().length).toBeGreaterThanOrEqual(least);
		expect(posts().length).toBeLessThanOrEqual(most);
	});

	it('that stop a pass leave no record of companies that were not asked for', async () => {
		always({ method: POST, nth: 12, action: code('limit') });
		const { failure } = await pass(COMPANIES);
		expect(failure).toBeInstanceOf(Stopped);
		expect(memory.all).toHaveLength(11);
	});

	it.each<[string, Partial<Fault>, Known['said']]>([
		['the events as they were', { method: 'PATCH' }, 'active'],
		['a paused webhook paused', RESUMES, 'paused'],
	])('of an update leave %s', async (_what, requests, said) => {
		const [first] = await watch(2);
		if (said === 'paused') await pass([]);
		simulator.fault({ ...requests, path: at(first), action: { status: 422 } });
		const { refused, watched } = await pass([ONE, TWO], { events: OTHER_EVENTS });
		expect([...refused.keys()]).toEqual([first.company]);
		expect(watched).not.toContain(first.company);
		expect(first).toMatchObject({ said, target: { events: EVENTS } });
	});

	const STILL_PAUSED = { status: 200, body: { data: { is_active: false } } };
	it.each<[string, Parameters<typeof simulator.drift>[0], FaultAction, boolean]>([
		['with changed events', { events: OTHER_EVENTS }, { status: 422 }, true],
		['that is no longer listed', 'remove', { status: 422 }, true],
		['that stays paused', { is_active: false }, STILL_PAUSED, false],
	])(
		'of a repair: a webhook %s counts neither as repaired nor as watched',
		async (_what, changes, action, mayDeliver) => {
			const [first, second] = await watch(2);
			simulator.drift(changes, [first.company]);
			always({ path: at(first), action });
			const { refused, watched, delivering } = await pass([ONE, TWO], { kind: 'check' });
			expect([...refused.keys()]).toEqual([first.company]);
			expect([repaired(), watched]).toEqual([[], [second.company]]);
			expect(delivering.includes(first.company)).toBe(mayDeliver);
		},
	);
});

describe('creates whose answer is lost', () => {
	it('are stored as pending once before they are sent, if there are more than twenty', async () => {
		await pass(COMPANIES.slice(0, 30));
		const [before] = stored;
		expect(stored).toHaveLength(1);
		expect(before.filter((one) => !isKnown(one))).toHaveLength(29);
		expect(before.filter(isKnown)).toHaveLength(1);
		// The first of 21 goes alone, so twenty are left.
		await pass(COMPANIES.slice(0, 51));
		expect(stored).toHaveLength(1);
	});

	it('are at most three hundred after a kill: so often a pass stores what it has', async () => {
		await pass(companyNumbers(330));
		expect(stored.at(-1)!.filter(isKnown).length).toBeGreaterThanOrEqual(300);
	});

	it('are repeated once by checks where they replace what is gone', async () => {
		const [first] = await watch(1);
		simulator.forgetWebhook(first.id);
		always({ method: 'POST', action: 'dropAfter' });
		for (let nth = 0; nth < 4; nth++) await pass([ONE], { kind: 'check' });
		expect(posts()).toHaveLength(2);
	});

	it('are repeated once by checks, and once more by each publish', async () => {
		always({ method: 'POST', when: ({ body }) => companyIn(body) === TWO, action: 'dropAfter' });
		const ofTwo = () => posts().filter(({ body }) => companyIn(body) === TWO).length;
		const made: number[] = [];
		for (const kind of ['publish', 'check', 'check', 'publish', 'check'] as const) {
			expect((await pass([ONE, TWO], { kind })).lost).toEqual([TWO]);
			made.push(ofTwo());
		}
		expect(made).toEqual([1, 2, 2, 3, 3]);
		simulator.clearFaults();
		expect((await pass([ONE, TWO])).watched).toEqual([ONE, TWO]);
	});

	it('leave a record while the account has another active webhook of the company', async () => {
		simulator.fault({ method: 'POST', nth: 2, action: 'dropAfter' });
		await pass([ONE, TWO]);
		const { lost, others } = await pass([ONE, TWO]);
		expect([lost, Object.keys(others)]).toEqual([lost, lost]);
		expect(lost).toHaveLength(1);
	});

	it('leave no record once a person has paused the lost webhook', async () => {
		simulator.fault({ method: 'POST', nth: 2, action: 'dropAfter' });
		await pass([ONE, TWO]);
		const { lost } = await pass([ONE, TWO]);
		expect(lost).toHaveLength(1);
		simulator.drift({ is_active: false }, lost);
		// It repairs the trigger's own webhook.
		const { lost: left, watched } = await pass([ONE, TWO]);
		expect([left, watched]).toEqual([[], [ONE, TWO]]);
	});

	it('leave no record where the whole list shows that none was made', async () => {
		simulator.fault({ method: 'POST', nth: 2, action: 'drop' });
		expect((await pass([ONE, TWO])).lost).toHaveLength(1);
		expect((await pass([ONE, TWO])).lost).toEqual([]);
		expect(active()).toHaveLength(2);
	});

	it('are found by their URL where the list shows it: paused, and the record goes', async () => {
		simulator.fault({ method: 'POST', nth: 2, action: 'dropAfter' });
		await pass([ONE, TWO]);
		const data = simulator.webhooks();
		simulator.fault({ method: 'GET', action: { status: 200, body: { data } } });
		const { lost, others } = await pass([ONE, TWO]);
		expect([lost, others]).toEqual([[], {}]);
		expect([memory.all, map(memory.known, 'said')]).toEqual([memory.known, ['active', 'active']]);
		expect(simulator.watched()).toEqual([ONE, TWO]);
		expect(simulator.webhooks()).toHaveLength(3);
	});

	it('keep their record while the webhook that was found cannot be paused', async () => {
		simulator.fault({ method: 'POST', nth: 2, action: 'dropAfter' });
		const { lost } = await pass([ONE, TWO]);
		simulator.listWithUrls();
		always({ ...PAUSES, action: { status: 403 } });
		expect((await pass([ONE, TWO])).lost).toEqual(lost);
		expect(lost).toHaveLength(1);
	});
});

describe('a webhook that the service no longer has', () => {
	const errorObject = (status: number) => ({
		status,
		body: { ...GONE, status },
	});

	it.each<[string, FaultAction | undefined, boolean]>([
		['404 with the error object', undefined, true],
		['410 with the error object', errorObject(410), true],
		['404 of a proxy', { status: 404, body: '<h1>Not found</h1>' }, false],
		['403 with the error object', errorObject(403), false],
	])(
		'is replaced only where an update is answered with proof: %s',
		async (_what, action, isReplaced) => {
			const [first] = await watch(3);
			simulator.forgetWebhook(first.id);
			if (action) always({ method: 'PATCH', action });
			await pass(COMPANIES.slice(0, 3), { kind: 'check' });
			expect(drifts()).toEqual(isReplaced ? [[first.company, 'removed']] : []);
			expect(memory.all.includes(first)).toBe(!isReplaced);
			expect(simulator.watched()).toHaveLength(isReplaced ? 3 : 2);
		},
	);

	it('is not replaced while the list shows it', async () => {
		const [first] = await watch(2);
		always({ method: 'PATCH', path: at(first), action: errorObject(404) });
		await pass([ONE, TWO], { events: OTHER_EVENTS });
		expect(simulator.counts()).not.toHaveProperty('POST');
		expect(memory.all).toContain(first);
	});

	it.each([
		['stops the pass with more than twenty others, if the list shows none of ours', 0],
		['is replaced with any number of others, if the list shows one of ours', 1],
	])('%s', async (_what, kept) => {
		const all = await watch(25);
		for (const { id } of all.slice(kept)) simulator.forgetWebhook(id);
		const { failure } = await pass(COMPANIES.slice(0, 25), { kind: 'check' });
		expect(failure === undefined).toBe(kept === 1);
		expect(posts()).toHaveLength(kept === 1 ? 24 : 0);
		if (kept === 1) return;
		expect(failure).toMatchObject({ message: expect.stringContaining('may open another account') });
		expect(memory.all).toEqual(all);
	});

	it('stays known until its replacement exists, so that an aborted pass loses nothing', async () => {
		const [first, second] = await watch(2);
		simulator.forgetWebhook(first.id);
		always({ method: 'POST', action: { status: 402 } });
		expect((await pass([ONE, TWO], { kind: 'check' })).watched).toEqual([second.company]);
		expect(memory.all).toContain(first);
		expect(drifts()).toEqual([[first.company, 'removed']]);
		simulator.clearFaults();
		expect((await pass([ONE, TWO], { kind: 'check' })).watched).toEqual([ONE, TWO]);
		expect(memory.all).not.toContain(first);
		expect([drifts(), repaired().length]).toEqual([[[first.company, 'removed']], 1]);
	});

	it('is looked for among twenty that the list lacks, and among all once one is gone', async () => {
		const all = await watch(40);
		always({ method: 'GET', action: { status: 200, body: { data: [] } } });
		await pass(COMPANIES.slice(0, 40), { kind: 'check' });
		expect(simulator.counts()).toEqual({ GET: 1, PATCH: 20 });
		for (const { id } of all.slice(0, 12)) simulator.forgetWebhook(id);
		for (let n = 0; n < 5; n++) await pass(COMPANIES.slice(0, 40), { kind: 'check' });
		expect(simulator.watched()).toEqual(COMPANIES.slice(0, 40));
	});
});

describe('webhooks on further pages of the list', () => {
	/** The service shows only the first so many. */
	function showPage(count: number): void {
		const data = simulator.webhooks().slice(0, count);
		const action = { status: 200, body: { data: data.map((one) => omit(one, HIDDEN)), next: 2 } };
		always({ method: 'GET', action });
	}
	const HIDDEN = ['secret', 'account', 'url'];
	const check = async () => await pass(COMPANIES.slice(0, 25), { kind: 'check' });

	it('are asked about by checks, ten at a time and all in turn, and repaired', async () => {
		await watch(25);
		showPage(5);
		const hidden = simulator.webhooks().slice(5);
		simulator.drift({ is_active: false }, map(hidden.slice(0, 2), 'company_number'));
		simulator.forgetWebhook(hidden[19].id);
		const first = await check();
		expect(simulator.counts().PATCH).toBeLessThanOrEqual(12);
		expect([first.hasMorePages, first.failure]).toEqual([true, undefined]);
		simulator.clearRequests();
		await check();
		expect(simulator.watched()).toEqual(COMPANIES.slice(0, 25));
		expect(Object.fromEntries(drifts())).toEqual({
			[hidden[0].company_number]: 'paused',
			[hidden[1].company_number]: 'paused',
			[hidden[19].company_number]: 'removed',
		});
	});

	it('have their turn although others always fail', async () => {
		const all = await watch(25);
		showPage(5);
		const shown = map(simulator.webhooks(), 'id');
		const failing = sortBy(all, ({ id }) => shown.indexOf(id)).slice(5, 15);
		const path = new RegExp(map(failing, 'id').join('|'));
		always({ method: 'PATCH', path, action: { status: 503 } });
		const last = simulator.webhooks()[24];
		simulator.drift({ is_active: false }, [last.company_number]);
		for (let nth = 0; nth < 3; nth++) await check();
		expect(drifts()).toContainEqual([last.company_number, 'paused']);
	});

	it('are not called watched once the service has refused to say', async () => {
		const all = await watch(12);
		showPage(5);
		const refusing = all.find(({ id }) => id === simulator.ids()[11])!;
		always({ method: 'PATCH', path: at(refusing), action: { status: 422 } });
		await pass(COMPANIES.slice(0, 12), { kind: 'check' });
		const { watched, refused } = await pass(COMPANIES.slice(0, 12), { kind: 'check' });
		expect([...refused.keys()]).toEqual([refusing.company]);
		expect(watched).toEqual(without(COMPANIES.slice(0, 12), refusing.company));
	});

	it('are not asked about by a publish', async () => {
		await watch(25);
		showPage(5);
		await pass(COMPANIES.slice(0, 25));
		expect(simulator.methods()).toEqual(['GET']);
	});
});

describe("another account's key", () => {
	it('drops the known webhooks only after the first create there', async () => {
		const all = await watch(3);
		apiKey = simulator.addAccount().apiKey;
		simulator.fault({ method: 'POST', action: { status: 402 } });
		await pass(COMPANIES.slice(0, 3));
		expect(memory.all).toEqual(all);
		await pass(COMPANIES.slice(0, 3));
		expect(ledger.leftActive).toEqual(all);
		expect(map(memory.all, 'id').sort()).toEqual(map(simulator.webhooks(apiKey), 'id').sort());
		expect(simulator.active()).toHaveLength(6);
		await pass(COMPANIES.slice(0, 3));
		expect(ledger.leftActive).toEqual(all);
	});

	it('with webhooks of other companies under the same ids changes none of them', async () => {
		await watch(3);
		const strangers = simulator
			.webhooks()
			.map((one, n) => ({ ...one, company_number: COMPANIES[40 + n] }));
		for (const one of strangers) simulator.restoreWebhook(one);
		apiKey = simulator.addApiKey();
		await pass(COMPANIES.slice(0, 3));
		expect(simulator.counts()).toEqual({ GET: 1, POST: 3 });
		expect(simulator.webhooks().slice(0, 3)).toEqual(strangers);
		expect(memory.all).toHaveLength(3);
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
		expect(simulator.requests[1]).toMatchObject({ method: 'PATCH', body: { events: EVENTS } });
		expect(Object.keys(simulator.requests[1].body as object)).toEqual(['events']);
		expect(simulator.webhooks()).toHaveLength(3);
	});

	const STRANGER = { status: 200, body: { data: { company_number: '99999999' } } };
	it.each<[string, FaultAction]>([
		...[403, 404, 410].map((status) => [String(status), { status }] as [string, FaultAction]),
		['another company', STRANGER],
	])('is of another account if that is answered with %s', async (_what, action) => {
		simulator.fault({ method: 'PATCH', action });
		await pass(COMPANIES.slice(0, 3));
		expect(simulator.counts()).toEqual({ GET: 1, PATCH: 1, POST: 3 });
	});

	it.each<[string, FaultAction]>([
		['422', { status: 422 }],
		['nothing', 'drop'],
	])('stops the pass if that is answered with %s', async (_what, action) => {
		always({ method: 'PATCH', action });
		expect((await pass(COMPANIES.slice(0, 3))).failure).toBeInstanceOf(RegistryFailure);
		expect(simulator.counts()).not.toHaveProperty('POST');
		expect(simulator.requests.filter(PAUSES.when)).toEqual([]);
	});
});
