// Publishing: for the first time, again, after a change, with another address or account, and when it cannot do all.
import { map } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { FaultAction, Simulator } from '../../simulator';
import { failureOf, PAUSES, RESUMES, serviceForEachTest } from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { callHook, companyNumbers, watch, watching } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(12);
const [ONE, TWO] = COMPANIES;
const BOTH = ['filing.new', 'psc.added'];
const REPORTS = { events: ['filing.new', 'watch.report'] };
const DOWN: FaultAction = { status: 503 };
/** How each failure of a first publish begins, and of a later one. */
const NOTHING_YET = /^This workflow watches no company yet\. /;
const NOTHING = /^No company is watched\. /;
const SUCCEEDED = 'It did not fail';

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

	it('with an address that only this machine knows, and a service elsewhere, fails before any request', async () => {
		workflow = watch(simulator, COMPANIES, {
			webhookBaseUrl: 'https://n8n.localhost/webhook',
			credentials: { companyRegistryApi: { baseUrl: 'https://api.example.com', apiKey: 'k' } },
		});
		const message = await failureOf(workflow.publish());
		expect(message).toMatch(/cannot reach.*N8N_WEBHOOK_URL/);
		expect(message).toMatch(NOTHING_YET);
		expect(simulator.requests).toEqual([]);
	});
});

it('a publish after an unpublish resumes each webhook with one request that holds all that is desired', async () => {
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

it('a change costs the list and the difference, pauses last, and resumes a company that comes back', async () => {
	await published([ONE, TWO, '10000014']);
	await change([TWO, '10000013', '10000014'], { events: BOTH });
	expect(simulator.methods()).toEqual(['GET', 'PATCH', 'PATCH', 'POST', 'PATCH']);
	expect(simulator.requests.at(-1)).toMatchObject({ body: { is_active: false } });
	expect(workflow.statuses()).toMatchObject({ [ONE]: 'paused', [TWO]: 'active' });
	await change(companyNumbers(14));
	expect(simulator.watched()).toEqual(companyNumbers(14));
	expect(simulator.ids()).toHaveLength(14);
});

describe('the answer to n8n', () => {
	it('does not come while paused webhooks wait to be resumed', async () => {
		await published();
		await workflow.unpublish();
		setTimes({ earlyAnswer: 100, latestAnswer: 700 });
		always('hang', 'PATCH');
		expect(await failureOf(workflow.register())).toMatch(NOTHING);
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
		expect(await failureOf(workflow.register())).toMatch(NOTHING_YET);
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
	});
});

describe('a publish that n8n does not call one', () => {
	beforeEach(async () => void (await published()));

	it.each(['init', 'update'] as const)(
		'takes companies out (%s), and fails where it watches none',
		async (mode) => {
			await workflow.start();
			workflow.setup.parameters = watching(COMPANIES.slice(3), REPORTS);
			await workflow.publish(workflow.load(), mode);
			expect(simulator.watched()).toEqual(COMPANIES.slice(3));
			expect(workflow.shown.at(-1)).toMatchObject({ removed: { count: 3 }, added: { count: 0 } });

			simulator.refuse(['20000002']);
			const options = { allowLargeRemovals: true };
			expect(await change(['20000002'], { options })).toMatch(NOTHING);
		},
	);

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

	it.each([
		['lists', 1],
		['creates', 15],
	])('an unpublish ends a publish that %s, and pauses all', async (_what, count) => {
		workflow = watch(simulator, MANY);
		simulator.latencyMs = 100;
		const publish = failureOf(workflow.register());
		await simulator.received(count);
		expect(simulator.active().length).toBeLessThan(60);
		await workflow.unpublish();
		expect([await publish, simulator.active()]).toEqual([SUCCEEDED, []]);
		simulator.latencyMs = 0;
		await workflow.publish();
		expect(simulator.watched()).toEqual(MANY);
		expect(simulator.ids()).toHaveLength(60);
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

it("after a failed publish n8n's clock goes on, and checks only what a later one desires", async () => {
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

it('a changed number that a failed publish found is reported once, by the next one', async () => {
	const table = (last: string) => {
		const rows = [...COMPANIES.slice(1), last].map((one, row) => `${one}\tClient ${row}`);
		return watching(['Company number\tName', ...rows], REPORTS);
	};
	workflow.setup.parameters = table(ONE);
	await workflow.publish();
	await workflow.unpublish();
	always(DOWN);
	expect(await failureOf(workflow.change({ parameters: table('20000001') }))).toMatch(NOTHING);
	simulator.clearFaults();
	await workflow.publish();
	expect(map(workflow.shown.at(-1)?.changed, 'now')).toEqual(['20000001']);
});

describe('another n8n address', () => {
	const HERE = 'https://staging.example.com/webhook';
	const THERE = 'https://n8n.example.com/webhook';
	const ELSEWHERE = 'https://elsewhere.example.com/webhook';
	const THREE = COMPANIES.slice(0, 3);
	let before: ReturnType<Simulator['webhooks']>;
	let logged: () => string[];

	beforeEach(async () => {
		await published(THREE);
		before = simulator.webhooks();
		logged = warnings(workflow);
		await startAt(HERE);
	});

	async function startAt(webhookBaseUrl: string): Promise<void> {
		workflow.setup.webhookBaseUrl = webhookBaseUrl;
		await restart();
	}
	const publish = async (addressChanged: string) =>
		await change(THREE, { options: { addressChanged } });
	const at = (address: string) => simulator.active().filter(({ url }) => url.startsWith(address));

	it('is reported once by starts and checks; nothing is written, also by a publish', async () => {
		await workflow.tick();
		await restart();
		workflow.expectTold(`${THERE}, but .* ${HERE}.*'Move Webhooks Here'.*'Create New Webhooks'`);
		expect(await publish('stop')).toMatch(NOTHING);
		expect(simulator.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		expect(simulator.webhooks()).toEqual(before);
	});

	it('leaves an unpublish without effect, and the log names what stays active', async () => {
		await workflow.unpublish();
		expect(simulator.webhooks()).toEqual(before);
		for (const { id } of before) expect(logged().at(-1)).toContain(id);
		expect(workflow.state()?.facts.phase).toBe('unpublished');
	});

	it('"Move Webhooks Here" that the service refuses pauses nothing', async () => {
		const redirects = ({ body }: { body: unknown }) => JSON.stringify(body).includes(HERE);
		simulator.fault({ method: 'PATCH', when: redirects, times: Infinity, action: { status: 422 } });
		expect(await publish('move')).toMatch(NOTHING);
		await workflow.later();
		expect(simulator.webhooks()).toEqual(before);
	});

	it('"Move Webhooks Here" that was carried out in part goes on at the next check', async () => {
		simulator.fault({ method: 'PATCH', nth: 2, times: Infinity, action: DOWN });
		expect(await publish('move')).toBe(SUCCEEDED);
		expect(at(HERE)).toHaveLength(1);
		simulator.clearFaults();
		await workflow.later();
		expect(at(HERE)).toHaveLength(3);
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
		await startAt(ELSEWHERE);
		expect(await publish('move')).toMatch(NOTHING);
		expect(await publish('stop')).toMatch(NOTHING);
		expect(at(HERE)).toHaveLength(3);
		expect(await publish('move')).toBe(SUCCEEDED);
		expect(at(ELSEWHERE)).toHaveLength(3);
	});

	// What undoes a failed publish must not undo the answer.
	it('a failed "Move Webhooks Here" can be repeated', async () => {
		always(DOWN);
		expect(await publish('move')).toMatch(NOTHING);
		simulator.clearFaults();
		expect(await publish('move')).toBe(SUCCEEDED);
		expect(simulator.ids()).toEqual(map(before, 'id'));
		expect(at(HERE)).toHaveLength(3);
	});
});

it('a webhook id that n8n gives the node later asks nothing', async () => {
	workflow = watch(simulator, [ONE, TWO], { node: { webhookId: undefined } });
	await workflow.publish();
	const before = simulator.ids();
	// n8n stores the name encoded, and looks up what it has decoded once.
	expect(simulator.webhooks()[0].url).toContain('/company%2520registry%2520trigger/webhook?');

	Object.assign(workflow.setup, { node: { webhookId: 'added' } });
	expect(await change([ONE, TWO])).toBe(SUCCEEDED);
	expect([simulator.ids(), workflow.told]).toEqual([before, []]);
	for (const { url } of simulator.active()) expect(url).toContain('/webhook/added/');
});

describe('another key', () => {
	const withKey = (apiKey: string, baseUrl = simulator.url) => ({
		credentials: { companyRegistryApi: { baseUrl, apiKey } },
	});

	beforeEach(async () => void (await published()));

	it('of the same account changes nothing', async () => {
		const before = simulator.webhooks();
		await workflow.change(withKey(simulator.addApiKey()));
		expect(simulator.webhooks()).toEqual(before);
		expect(simulator.methods()).toEqual(['GET']);
	});

	it('of another service makes new webhooks, and leaves the earlier ones', async () => {
		const before = simulator.webhooks();
		await workflow.change(withKey(other.apiKey, other.url));
		expect(simulator.webhooks()).toEqual(before);
		expect(other.watched()).toEqual(COMPANIES);
	});

	it('of a service that is down changes nothing and is reported, until it is corrected', async () => {
		const before = simulator.webhooks();
		const parameters = watching(companyNumbers(13));
		const setup = withKey('key', 'http://127.0.0.1:9');
		await workflow.change({ ...setup, parameters });
		expect(simulator.webhooks()).toEqual(before);
		expect(workflow.told).toHaveLength(1);
		const { apiKey, url: baseUrl } = simulator;
		Object.assign(setup.credentials.companyRegistryApi, { apiKey, baseUrl });
		await workflow.tick();
		expect(simulator.watched()).toEqual(companyNumbers(13));
		expect(workflow.told).toHaveLength(1);
	});
});
