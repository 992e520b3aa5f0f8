// Publishing: for the first time, again, after a change, with another address or account, and when it cannot do all.
import { map } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { Fault, FaultAction, Simulator } from '../../simulator';
import {
	companiesOf,
	failureOf,
	PAUSES,
	RESUMES,
	serviceForEachTest,
	startService,
	type Service,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { callHook, companyNumbers, held, watch, watching } from '../../support/savedWorkflow';
import { expectPlain } from '../../support/statuses';
import { passTime, setTimes } from '../../support/times';

const COMPANIES = companyNumbers(12);
const [ONE, TWO] = COMPANIES;
const BOTH = ['filing.new', 'psc.added'];
const REPORTS = { events: ['filing.new', 'watch.report'] };
const MINUTE = 60_000;
const DOWN: FaultAction = { status: 503 };
/** How each failure of a first publish begins, and of a later one. */
const NOTHING_YET = /^This workflow watches no company yet\. /;
const NOTHING = /^No company is watched\. /;
const SUCCEEDED = 'It did not fail';
/** n8n would start the next step at each save. */
const SWITCHED_ON = { alwaysOutputData: true };

const simulator = serviceForEachTest();
const other = serviceForEachTest();
let workflow: ReturnType<typeof watch>;

beforeEach(() => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
});

/** The workflow is published, and only later requests count. */
async function published(companies = COMPANIES, more: INodeParameters = {}) {
	workflow = watch(simulator, [], { parameters: watching(companies, more) });
	await workflow.publish();
	simulator.clearRequests();
	return workflow;
}
const change = async (companies: string[], more?: INodeParameters) =>
	await failureOf(workflow.change({ parameters: watching(companies, more) }));
/** n8n ends, and starts again. */
async function restart(): Promise<void> {
	await workflow.stop();
	await workflow.start();
}
const always = (action: FaultAction, method?: string) =>
	simulator.fault({ times: Infinity, method, action });
const summary = () => workflow.shown.at(-1)?.summary ?? '';

describe('a first publish', () => {
	it('sends one request for the list and one for each company, and reads the credential once', async () => {
		const more = { events: ['psc.added'], options: { additionalEvents: 'a.b' } };
		workflow.setup.parameters = watching(COMPANIES, more);
		const loaded = await workflow.publish();
		expect(simulator.counts()).toEqual({ GET: 1, POST: 12 });
		expect(simulator.watched()).toEqual(COMPANIES);
		for (const { events } of simulator.webhooks()) expect(events).toEqual(['psc.added', 'a.b']);
		expect(workflow.statuses()).toEqual(
			Object.fromEntries(COMPANIES.map((one) => [one, 'active'])),
		);
		// n8n saves at the end of the publish.
		expect([loaded.credentials.reads, workflow.stores, workflow.told]).toEqual([1, 0, []]);
	});

	it.each<[string, Parameters<typeof watch>[2], RegExp]>([
		['a wrong number', { parameters: watching(['Acme']) }, / No column has company numbers/],
		['rows that mostly look mistyped', { parameters: watching([ONE, '1X', '2X']) }, /1X.*2X/],
		[
			'an http address',
			{ webhookBaseUrl: 'http://n8n.example.com/webhook' },
			/only to https.* http:\/\/n8n\.example\.com\/.*N8N_WEBHOOK_URL.*restart/,
		],
		[
			'an address that only this machine knows, and a service elsewhere',
			{
				webhookBaseUrl: 'https://n8n.localhost/webhook',
				credentials: { companyRegistryApi: { baseUrl: 'https://api.example.com', apiKey: 'k' } },
			},
			/cannot reach.*N8N_WEBHOOK_URL/,
		],
		['Always Output Data', { node: SWITCHED_ON }, /'Always Output Data' is on/],
	])('with %s fails before any request', async (_what, setup, words) => {
		workflow = watch(simulator, COMPANIES, setup);
		const message = await failureOf(workflow.publish());
		expect(message).toMatch(words);
		expect(message).toMatch(NOTHING_YET);
		expect(simulator.requests).toEqual([]);
	});

	it('in a copied workflow takes nothing from the original', async () => {
		const original = await published([ONE, TWO]);
		const before = simulator.webhooks();
		const copy = watch(simulator, [ONE, TWO]);
		copy.staticData = structuredClone(original.staticData);

		await copy.publish();
		expect(simulator.watched()).toEqual([ONE, ONE, TWO, TWO]);
		await copy.unpublish();
		expect(simulator.active()).toEqual(before);
	});
});

describe('companies that the service refuses', () => {
	const left = () => map(workflow.shown.at(-1)?.left.companies, 'company_number').sort();

	beforeEach(() => {
		simulator.refuse([COMPANIES[2]], 422, 'Dissolved companies cannot be watched');
		simulator.refuse([ONE, TWO], 404, 'No such company');
	});

	it('do not fail a first publish: all others are watched, and a start and a check try again', async () => {
		await published(COMPANIES, REPORTS);
		expect(simulator.watched()).toEqual(COMPANIES.slice(3));
		expect(workflow.shown.at(-1)).toMatchObject({ state: 'incomplete', wanted: 12, watched: 9 });
		expect(left()).toEqual(COMPANIES.slice(0, 3));
		expect(summary()).toMatch(
			/No such company.*- 1000000[12]\n- 1000000[12]\n.*Dissolved.*- 10000003/s,
		);
		await workflow.start();
		expect(simulator.counts()).toEqual({ GET: 1, POST: 3 });
		simulator.clearFaults();
		await workflow.tick();
		expect(simulator.watched()).toEqual(COMPANIES);
	});

	it.each([
		['a first', [], NOTHING_YET],
		['a later', COMPANIES.slice(3, 6), NOTHING],
	])('fail %s publish that desires no other company', async (_which, before, expected) => {
		if (before.length > 0) await published(before);
		const options = { allowLargeRemovals: true };
		const message = await change([ONE, TWO], { options });
		expect(message).toMatch(expected);
		expect(message).toMatch(/2 companies.*No such company.*: 1000000[12], 1000000[12]/);
		expectPlain(message);
		expect([simulator.active(), workflow.told]).toEqual([[], []]);
	});
});

describe('publishing again', () => {
	it('resumes each webhook with one request that holds all that is desired', async () => {
		await published();
		await workflow.unpublish();
		const before = simulator.ids();
		simulator.clearRequests();
		await change(COMPANIES, { events: ['psc.added'] });
		expect(simulator.counts()).toEqual({ GET: 1, PATCH: 12 });
		expect(simulator.requests.slice(1).map(({ body }) => body)).toEqual(
			expect.arrayContaining(
				simulator.webhooks().map(({ url }) => ({ url, events: ['psc.added'], is_active: true })),
			),
		);
		expect(simulator.ids()).toEqual(before);
	});

	it('names the time in which the webhooks could not be paused, as information', async () => {
		await published(COMPANIES, REPORTS);
		always(DOWN);
		await workflow.unpublish();
		simulator.clearFaults();
		const began = Date.now();
		passTime(10 * MINUTE);
		await workflow.publish();
		const { missing, ...report } = workflow.shown.at(-1)!;
		expect(report).toMatchObject({ wanted: 12, watched: 12 });
		expect([map(missing.companies, 'company_number').sort(), workflow.told]).toEqual([
			COMPANIES,
			[],
		]);
		const [{ from, to }] = missing.companies;
		expect(Date.parse(to!) - Date.parse(from!)).toBeGreaterThanOrEqual(10 * MINUTE - 5000);
		expect(Math.abs(Date.parse(from!) - began)).toBeLessThan(30_000);

		// A change is no such time.
		await change(companyNumbers(13), REPORTS);
		expect(workflow.shown.at(-1)).toMatchObject({ missing: { count: 0 }, added: { count: 1 } });
	});
});

describe('a change', () => {
	it('costs the list and the difference, pauses last, and resumes a company that comes back', async () => {
		await published([ONE, TWO, '10000014']);
		await change([TWO, '10000013', '10000014'], { events: BOTH });
		expect(simulator.methods()).toEqual(['GET', 'PATCH', 'PATCH', 'POST', 'PATCH']);
		expect(simulator.requests.at(-1)).toMatchObject({ body: { is_active: false } });
		expect(workflow.statuses()).toMatchObject({ [ONE]: 'paused', [TWO]: 'active' });
		await change(companyNumbers(14));
		expect(simulator.watched()).toEqual(companyNumbers(14));
		expect(simulator.ids()).toHaveLength(14);
	});
});

// Each at the first, a middle and the last company, with a service of its own.
describe('a fault that begins', () => {
	const CREATES = { method: 'POST' };
	const NO_SECRET = { status: 201, body: { data: { id: 'wh_1' } } };
	const FAULTS: Array<[string, Partial<Fault>, RegExp]> = [
		['500 to creates', { ...CREATES, action: { status: 500 } }, /HTTP 500/],
		['402 to creates', { ...CREATES, action: { status: 402 } }, /account is not allowed/],
		['lost creates', { ...CREATES, action: 'dropAfter' }, /No answer arrived/],
		['creates without a secret', { ...CREATES, action: NO_SECRET }, /without a signing secret/],
		['500 to resumes', { ...RESUMES, action: { status: 500 } }, /HTTP 500/],
		['lost resumes', { ...RESUMES, action: 'dropAfter' }, /No answer arrived/],
	];

	async function failAt(service: Service, nth: number, fault: Partial<Fault>, words: RegExp) {
		const saved = watch(service, COMPANIES);
		if (fault.method === 'PATCH') {
			await saved.publish();
			await saved.unpublish();
		}
		service.fault({ action: DOWN, ...fault, nth, times: Infinity });
		const message = await failureOf(saved.publish());
		expect(message === SUCCEEDED ? saved.told.join() : message).toMatch(words);
		if (nth === 1 && fault.method === 'POST') expect(message).toMatch(NOTHING_YET);
		service.clearFaults();
		const most = fault.method === 'POST' ? 24 : 12;
		// Each create without a usable answer may leave a webhook behind.
		const creates = service.requests.filter(({ method }) => method === 'POST').length;
		const leavesSome = fault.action === NO_SECRET || fault.action === 'dropAfter';
		if (leavesSome && nth === 1 && fault.method === 'POST') expect(creates).toBe(3);

		await (message === SUCCEEDED ? saved.tick() : saved.publish());
		expect(companiesOf(held(service, saved).filter((one) => one.is_active))).toEqual(COMPANIES);
		expect(service.webhooks().length).toBeLessThanOrEqual(most);
	}

	it.each(FAULTS)('with %s is reported, and what exists is used', async (_name, fault, words) => {
		const failAtItsOwnService = async (nth: number) => {
			const service = await startService();
			try {
				await failAt(service, nth, fault, words);
			} finally {
				await service.close();
			}
		};
		await Promise.all([1, 8, 12].map(failAtItsOwnService));
	});
});

describe('the answer to n8n', () => {
	it('comes after ten seconds with a company watched, and the pass goes on behind it', async () => {
		setTimes({ earlyAnswer: 400 });
		simulator.latencyMs = 150;
		workflow = watch(simulator, [], { parameters: watching(companyNumbers(80), REPORTS) });
		await workflow.register();
		expect(simulator.watched().length).toBeLessThan(80);
		await workflow.idle();
		expect(simulator.watched()).toEqual(companyNumbers(80));
		expect(workflow.shown).toMatchObject([{ state: 'complete', wanted: 80, watched: 80 }]);
		expect(workflow.told).toEqual([]);
		await workflow.start();
		expect(simulator.counts()).toEqual({ GET: 2, POST: 80 });
	});

	it('does not come while paused webhooks wait to be resumed', async () => {
		await published();
		await workflow.unpublish();
		setTimes({ earlyAnswer: 100, latestAnswer: 700 });
		always('hang', 'PATCH');
		expect(await failureOf(workflow.register())).toMatch(/^No company is watched\. .* a minute\. /);
	});

	it('comes after ten seconds, too, while a later publish waits for the service, and what it could not do is reported', async () => {
		await published();
		setTimes({ earlyAnswer: 300 });
		simulator.latencyMs = 1000;
		always(DOWN);
		workflow.setup.parameters = watching(companyNumbers(13));
		expect(await failureOf(workflow.submit())).toBe(SUCCEEDED);
		expect([simulator.watched(), workflow.told]).toEqual([COMPANIES, []]);
		await workflow.idle();
		workflow.expectTold(/HTTP 503/);
	});

	it('is a failure after a minute with no company watched, and nothing is watched later', async () => {
		setTimes({ earlyAnswer: 200, latestAnswer: 800 });
		simulator.latencyMs = 2000;
		const message = await failureOf(workflow.register());
		expect(message).toMatch(
			/^This workflow watches no company yet\. The registry service confirmed no webhook within a minute\. /,
		);
		expectPlain(message);
		simulator.latencyMs = 0;
		await workflow.idle();
		expect(simulator.webhooks()).toEqual([]);
	});

	it("to n8n's five attempts is the first one's message, at the cost of one", async () => {
		setTimes({ allAttempts: 84_000 });
		always({ status: 402 }, 'POST');
		const loaded = workflow.load();
		const messages = new Set<string>();
		for (let attempt = 0; attempt < 5; attempt++) {
			messages.add(await failureOf(callHook('create', loaded)));
			await callHook('delete', loaded);
		}
		expect([...messages]).toEqual([expect.stringMatching(/account is not allowed/)]);
		expect(simulator.counts()).toEqual({ GET: 1, POST: 1 });
		// The user has corrected the cause elsewhere, and publishes again.
		simulator.clearFaults();
		expect(await failureOf(callHook('create', loaded))).toBe(SUCCEEDED);
		expect(await change(COMPANIES, { events: BOTH })).toBe(SUCCEEDED);
	});
});

describe('a publish that n8n does not call one', () => {
	beforeEach(async () => void (await published()));

	it.each<[string, 'init' | 'update', () => Promise<unknown>]>([
		['after the package was updated', 'update', async () => await workflow.updatePackage()],
		['after a start', 'update', async () => await workflow.start()],
		['as n8n starts', 'init', async () => await workflow.restart()],
		[
			'after a kill in the middle of a change',
			'update',
			async () => {
				await workflow.takeDown();
				await workflow.restart();
			},
		],
		[
			'after a failed change and a restart',
			'update',
			async () => {
				simulator.refuse(['20000001']);
				await change(['20000001']);
				await workflow.restart();
			},
		],
	])('takes companies out %s, and fails where it watches none', async (_when, mode, act) => {
		await act();
		workflow.setup.parameters = watching(COMPANIES.slice(3), REPORTS);
		await workflow.publish(workflow.load(), mode);
		expect(simulator.watched()).toEqual(COMPANIES.slice(3));
		expect(workflow.shown.at(-1)).toMatchObject({ removed: { count: 3 }, added: { count: 0 } });

		await workflow.updatePackage();
		simulator.refuse(['20000002']);
		const options = { allowLargeRemovals: true };
		expect(await change(['20000002'], { options })).toMatch(NOTHING);
	});

	it('is one after a disabled node of a published workflow was enabled', async () => {
		await workflow.takeDown();
		await workflow.idle();
		expect(simulator.active()).toEqual([]);
		await workflow.restart();
		// Another node was published meanwhile.
		simulator.refuse(COMPANIES, 402);
		simulator.fault({ ...RESUMES, times: Infinity, action: { status: 402 } });
		const publish = workflow.publish(workflow.load(), 'update');
		expect(await failureOf(publish)).toMatch(NOTHING);
	});
});

describe('runs that overlap', () => {
	const MANY = companyNumbers(60);

	it.each<[string, boolean, number]>([
		['lists', false, 1],
		['creates', false, 15],
		['resumes, behind its answer', true, 0],
	])('an unpublish ends a publish that %s, and pauses all', async (_what, resumes, count) => {
		workflow = watch(simulator, MANY);
		if (resumes) {
			await workflow.publish();
			await workflow.unpublish();
			setTimes({ earlyAnswer: 100 });
		}
		simulator.latencyMs = 100;
		const publish = failureOf(workflow.register());
		await (resumes ? publish : simulator.received(count));
		expect(simulator.active().length).toBeLessThan(60);
		await workflow.unpublish();
		expect([await publish, simulator.active()]).toEqual([SUCCEEDED, []]);
		simulator.latencyMs = 0;
		await workflow.publish();
		expect(simulator.watched()).toEqual(MANY);
		expect(simulator.ids()).toHaveLength(60);
	});

	it('a change keeps every secret, although the next activation has an older copy of the state', async () => {
		setTimes({ earlyAnswer: 200 });
		simulator.latencyMs = 100;
		workflow = watch(simulator, MANY);
		await workflow.register();
		expect(simulator.active().length).toBeLessThan(60);
		await change(companyNumbers(70).slice(1));
		expect(held(simulator, workflow)).toEqual(simulator.webhooks());
		expect(simulator.watched()).toEqual(companyNumbers(70).slice(1));
		expect(workflow.state()?.facts.status).toBe('published');
	});

	it('a create that n8n has given up throws and pauses nothing', async () => {
		simulator.latencyMs = 200;
		workflow = watch(simulator, MANY);
		const givenUp = workflow.attempt();
		await simulator.received(15, 'POST');
		const next = [workflow.attempt(), workflow.attempt()];
		expect((await givenUp).message).toBe(SUCCEEDED);
		simulator.latencyMs = 0;
		for (const attempt of next) expect((await attempt).message).toBe(SUCCEEDED);
		await workflow.idle();
		expect(simulator.requests.filter(PAUSES.when)).toEqual([]);
		expect(held(simulator, workflow)).toEqual(simulator.webhooks());
		expect(simulator.watched()).toEqual(MANY);
	});

	it('a change waits for the answer to a check under way, so that one pass runs at a time', async () => {
		await published();
		simulator.latencyMs = 1000;
		void workflow.tick();
		await simulator.received(1);
		await change(companyNumbers(13));
		const [check, list] = simulator.requests;
		expect([check.method, list.method]).toEqual(['GET', 'GET']);
		expect(list.at - check.at).toBeGreaterThan(990);
	});

	it('a publish takes over from an unpublish that waits for the service, and nothing more is paused', async () => {
		await published();
		simulator.fault({ ...PAUSES, action: { status: 429, headers: { 'Retry-After': '2' } } });
		await workflow.takeDown();
		await simulator.received(10, 'PATCH');
		await workflow.publish();
		expect(simulator.requests.filter(PAUSES.when).length).toBeLessThanOrEqual(10);
		expect(simulator.watched()).toEqual(COMPANIES);
	});
});

it('the clock of a publish that failed goes on, and checks only what a later publish desires', async () => {
	always({ status: 402 }, 'POST');
	expect(await failureOf(workflow.publish())).toMatch(NOTHING_YET);
	simulator.clearRequests();
	await workflow.tick();
	expect(simulator.methods()).toEqual([]);
	simulator.clearFaults();
	expect(await change(COMPANIES.slice(1))).toBe(SUCCEEDED);
	simulator.drift({ is_active: false });
	await workflow.tick();
	expect(simulator.watched()).toEqual(COMPANIES.slice(1));
	expect(workflow.told).toHaveLength(1);
});

describe('another n8n address', () => {
	const HERE = 'https://staging.example.com/webhook';
	const THERE = 'https://n8n.example.com/webhook';
	const QUESTION =
		/deliver to https:\/\/n8n\.example\.com\/webhook, but .* https:\/\/staging\.example\.com\/webhook\. Publish .*Address Changed' \(under Options\) set to 'Move Webhooks Here'.*'Create New Webhooks'/;
	let before: ReturnType<Simulator['webhooks']>;
	let logged: () => string[];

	beforeEach(async () => {
		await published(COMPANIES.slice(0, 3));
		before = simulator.webhooks();
		logged = warnings(workflow);
		await startAt(HERE);
	});

	async function startAt(webhookBaseUrl: string): Promise<void> {
		workflow.setup.webhookBaseUrl = webhookBaseUrl;
		await restart();
	}
	const publish = async (addressChanged: string) =>
		await change(COMPANIES.slice(0, 3), { options: { addressChanged } });
	const at = (address: string) => simulator.active().filter(({ url }) => url.startsWith(address));

	it('is reported once by starts and checks; nothing is written, also by a publish', async () => {
		await workflow.tick();
		await restart();
		workflow.expectTold(QUESTION);
		expect(await publish('stop')).toMatch(QUESTION);
		expect(simulator.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		expect(simulator.webhooks()).toEqual(before);
	});

	it.each([false, true])('leaves an unpublish without effect (first call: %s)', async (isFirst) => {
		if (isFirst) await workflow.restart();
		await workflow.unpublish();
		expect(simulator.methods()).toEqual(['GET']);
		for (const one of before)
			expect(logged().at(-1)).toContain(`${one.id} (${one.company_number})`);
		const { status, takenDownAt } = workflow.state()!.facts;
		expect([status, takenDownAt]).toEqual(['unpublished', expect.any(Number)]);
	});

	it.each([403, 422])('"Move Webhooks Here" refused with %d pauses nothing', async (status) => {
		const redirects = ({ body }: { body: unknown }) => JSON.stringify(body).includes(HERE);
		simulator.fault({ method: 'PATCH', when: redirects, times: Infinity, action: { status } });
		expect(await publish('move')).toMatch(/^No company is watched/);
		await workflow.later();
		expect(simulator.webhooks()).toEqual(before);
	});

	it('"Create New Webhooks" leaves the others alone from then on', async () => {
		await publish('new');
		expect(simulator.counts()).toMatchObject({ POST: 3 });
		await publish('stop');
		await workflow.start();
		await workflow.unpublish();
		expect(at(HERE)).toEqual([]);
		await workflow.publish();
		expect(at(HERE)).toHaveLength(3);
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(simulator.webhooks()).toHaveLength(6);
	});

	it('an answer that was carried out does not count for the next address, until it is set again', async () => {
		await publish('move');
		await startAt('https://elsewhere.example.com/webhook');
		expect(workflow.told.at(-1)).toMatch(
			/Address Changed' \(under Options\) set to 'Stop Publishing', then/,
		);
		expect(await publish('move')).toMatch(/elsewhere.*set to 'Stop Publishing'/);
		expect(await publish('stop')).toMatch(
			/with 'If Address Changed' \(under Options\) set to 'Move/,
		);
		expect(at(HERE)).toHaveLength(3);
		expect(await publish('move')).toBe(SUCCEEDED);
		expect(at('https://elsewhere')).toHaveLength(3);
	});

	it.each(['new', 'move'])('a failed "Move Webhooks Here" can be followed by %s', async (next) => {
		always(DOWN);
		const message = await publish('move');
		expect(message).toMatch(/^No company .*HTTP 503.* Publish again: /);
		expectPlain(message);
		simulator.clearFaults();
		expect(await publish(next)).toBe(SUCCEEDED);
		const moved = before.map((one) => ({ ...one, url: one.url.replace(THERE, HERE) }));
		expect(simulator.webhooks().slice(0, 3)).toEqual(next === 'new' ? before : moved);
		expect(at(HERE)).toHaveLength(3);
		await workflow.unpublish();
		expect(at(HERE)).toEqual([]);
	});
});

it.each([undefined, 'old'])('a webhook id that replaces %s asks nothing', async (webhookId) => {
	workflow = watch(simulator, [ONE, TWO], { node: { webhookId } });
	await workflow.publish();
	const before = simulator.ids();
	// n8n stores the name encoded, and looks up what it has decoded once.
	const encoded = `${workflow.setup.workflowId}/company%2520registry%2520trigger`;
	expect(simulator.webhooks()[0].url).toContain(`/webhook/${webhookId ?? encoded}/webhook?`);

	Object.assign(workflow.setup, { node: { webhookId: 'added' } });
	expect(await change([ONE, TWO])).toBe(SUCCEEDED);
	await restart();
	expect([simulator.ids(), workflow.told]).toEqual([before, []]);
	for (const { url } of simulator.active()) expect(url).toContain('/webhook/added/');
});

describe('another key', () => {
	const withKey = (apiKey: string, baseUrl = simulator.url) => ({
		credentials: { companyRegistryApi: { baseUrl, apiKey } },
	});

	beforeEach(async () => void (await published()));

	it.each([false, true])('of the same account changes nothing (restart: %s)', async (restarts) => {
		const before = simulator.webhooks();
		if (restarts) await workflow.start();
		simulator.clearRequests();
		await workflow.change(withKey(simulator.addApiKey()));
		expect(simulator.webhooks()).toEqual(before);
		expect(simulator.methods()).toEqual(['GET']);
	});

	it.each([
		['of another account', () => withKey(simulator.addAccount().apiKey)],
		['of another service', () => withKey(other.apiKey, other.url)],
	])('%s makes new webhooks, and names once those that stay active', async (_where, setup) => {
		const before = simulator.webhooks();
		await workflow.change(setup());
		await workflow.tick();
		await restart();
		workflow.expectTold(/another account/);
		for (const { id } of before) expect(workflow.told[0]).toContain(id);
		expect(simulator.webhooks().slice(0, 12)).toEqual(before);
		expect(simulator.active().length + other.active().length).toBe(24);
	});

	it.each<[string, () => ReturnType<typeof withKey>, RegExp]>([
		['that the service refuses', () => withKey('mistyped'), /did not accept the API key/],
		['of a service that is down', () => withKey('key', 'http://127.0.0.1:9'), /could not reach/],
		[
			'of the same account, where the list is empty and a proxy answers the update',
			() => {
				simulator.fault({ method: 'GET', action: { status: 200, body: { data: [] } } });
				simulator.fault({ method: 'PATCH', action: { status: 404, raw: '<h1>Not found</h1>' } });
				return withKey(simulator.addApiKey());
			},
			/has nothing at this address/,
		],
		[
			'of another account, which may not create webhooks',
			() => {
				simulator.fault({ method: 'POST', action: { status: 402 } });
				return withKey(simulator.addAccount().apiKey);
			},
			/account is not allowed/,
		],
		['with a Base URL that cannot be used', () => withKey('key', ''), /not an https address/],
	])('%s changes nothing and is reported, until it is corrected', async (_what, setup, words) => {
		const before = simulator.webhooks();
		const changed = setup();
		await workflow.change({ ...changed, parameters: watching(companyNumbers(13)) });
		expect(simulator.webhooks()).toEqual(before);
		workflow.expectTold(words);
		const { apiKey, url: baseUrl } = simulator;
		Object.assign(changed.credentials.companyRegistryApi, { apiKey, baseUrl });
		await workflow.tick();
		expect(simulator.watched()).toEqual(companyNumbers(13));
		expect(workflow.told).toHaveLength(1);
	});
});
