// A trigger is published where what is wanted, stored and listed agree; where not, publishing puts it right.
import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import { startSimulator, type Simulator } from '../../simulator';
import { counts, ids, methods } from '../../support/atService';
import type { NodeSetup } from '../../support/contexts';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';

const [ONE, TWO, THREE] = companyNumbers(3);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, [ONE, TWO]);
	await workflow.publish();
	simulator.clearRequests();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const isPublished = async () => await callHook('checkExists', workflow.load());
const wanted = (...parameters: Parameters<typeof watching>) => ({
	parameters: watching(...parameters),
});

/** What the service is to list from now on, made of what it has. */
function list(change: (webhooks: object[]) => object[]): void {
	const webhooks = simulator.webhooks().map(({ id, company_number, events, is_active }) => ({
		id,
		company_number,
		events,
		is_active,
	}));
	simulator.fault({
		method: 'GET',
		times: Infinity,
		action: { status: 200, body: { data: change(webhooks) } },
	});
}

/** What another user of the account does. */
async function patch(id: string, body: object): Promise<void> {
	const { status } = await fetch(`${simulator.url}/v1/webhooks/${id}`, {
		method: 'PATCH',
		headers: { Authorization: `Bearer ${simulator.apiKey}`, 'Content-Type': 'application/json' },
		body: JSON.stringify(body),
	});
	expect(status).toBe(200);
	simulator.clearRequests();
}

describe('is published', () => {
	it('what is as it should be after a restart, with one list request, and the credential read once', async () => {
		await workflow.restart();
		const loaded = workflow.load();
		expect(await callHook('checkExists', loaded)).toBe(true);
		expect(methods(simulator)).toEqual(['GET']);
		expect(loaded.credentials.reads).toBe(1);
	});

	it.each<[string, (webhooks: object[]) => object[]]>([
		[
			'in another order, among others',
			(webhooks) => [{ ...webhooks[0], id: 'other', is_active: false }, ...webhooks.reverse()],
		],
		[
			'with its destination',
			(webhooks) => {
				const urls = simulator.webhooks().map(({ url }) => url);
				return webhooks.map((webhook, index) => ({ ...webhook, url: urls[index] }));
			},
		],
	])('what the service lists %s', async (_what, change) => {
		list(change);
		expect(await isPublished()).toBe(true);
		expect(methods(simulator)).toEqual(['GET']);
	});

	it('what is wanted in another order, with other options of deliveries', async () => {
		const events = ['psc.added', 'filing.new'];
		await workflow.change(wanted([ONE, TWO], { events }));
		workflow.setup.parameters = watching([TWO, ONE], {
			events: events.reverse(),
			options: { tolerance: 60 },
		});
		expect(await isPublished()).toBe(true);
	});

	it('what has paused webhooks besides, though that was confirmed after n8n had saved', async () => {
		await workflow.change(wanted([ONE]));
		expect(workflow.statuses()).toEqual({ [ONE]: 'watched', [TWO]: 'unknown' });
		expect(await isPublished()).toBe(true);
		await workflow.restart();
		expect(await isPublished()).toBe(true);
	});
});

describe('is not published', () => {
	it.each<[string, Partial<NodeSetup>]>([
		['a company more', wanted([ONE, TWO, THREE])],
		['a company less', wanted([ONE])],
		['another company', wanted([ONE, THREE])],
		['other events', wanted([ONE, TWO], { events: ['psc.added'] })],
		['an event more', wanted([ONE, TWO], { events: ['filing.new', 'psc.added'] })],
		['another address', { webhookBaseUrl: 'https://moved.example.com/webhook' }],
		['another workflow', { workflowId: 'a-copy' }],
		[
			'another credential',
			{ credentials: { companyRegistryApi: { baseUrl: 'https://other.example', apiKey: 'k' } } },
		],
	])('with %s, which takes no request', async (_what, setup) => {
		workflow.setup = { ...workflow.setup, ...setup };
		expect(await isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it('what is unpublished, nor what a run is changing at this moment, which takes no request', async () => {
		const stored = structuredClone(workflow.staticData);
		await workflow.takeDown();
		expect(await isPublished()).toBe(false);
		workflow.staticData = stored;
		expect(await isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
		await settled(workflow.load());
	});

	it('while this process is about to pause what another one has published since', async () => {
		jest.replaceProperty(WAITS, 'beforePausing', 2000);
		await workflow.takeDown();
		const { nodeType } = workflow.setup;
		await workflow.restart();
		await workflow.publish();
		workflow.setup.nodeType = nodeType;
		expect(await isPublished()).toBe(false);
		await settled(workflow.load());
	});

	it('where something older was stored over what this process stored last, which takes no request', async () => {
		const stored = structuredClone(workflow.staticData);
		await workflow.unpublish();
		await workflow.publish();
		workflow.staticData = stored;
		simulator.clearRequests();
		expect(await isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it('what failed, although every webhook that is wanted is there', async () => {
		simulator.fault({ method: 'POST', action: { status: 402 } });
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		workflow.setup.parameters = watching([ONE, TWO, THREE]);
		await expect(workflow.publish()).rejects.toThrow('plan does not cover');
		workflow.setup.parameters = watching([ONE, TWO]);
		expect(await isPublished()).toBe(false);
	});

	it('what has a webhook that is still to be paused', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		workflow.setup.parameters = watching([ONE]);
		await workflow.publish();
		expect(await isPublished()).toBe(false);
	});

	it.each<[string, object]>([
		['is paused', { is_active: false }],
		['has other events', { events: ['psc.added'] }],
		['is missing', { id: 'another' }],
		['has another destination', { url: 'https://elsewhere.example.com/' }],
	])('what has a webhook that %s at the service', async (_what, changes) => {
		list(([first, ...others]) => [...others, { ...first, ...changes }]);
		expect(await isPublished()).toBe(false);
	});
});

it('is not asked of a node whose parameters cannot be used', async () => {
	workflow.setup = { ...workflow.setup, webhookBaseUrl: 'http://localhost:5678/webhook' };
	await expect(isPublished()).rejects.toThrow('https addresses only');
});

it('what cannot be looked at is trusted, also beside an unconfirmed pause, and that is logged', async () => {
	simulator.fault({ method: 'PATCH', times: Infinity, action: 'dropAfter' });
	await workflow.change(wanted([ONE]));
	const logged = warnings(workflow);
	simulator.clearFaults();
	simulator.fault({ method: 'GET', action: { status: 402 } });
	expect(await isPublished()).toBe(true);
	expect(logged()).toEqual([
		expect.stringMatching(
			/^Company Registry Trigger: "Company Registry Trigger" could not check its webhooks and keeps using the stored ones: (?!\w*Error)\w.*plan does not cover/,
		),
	]);
});

describe('publishing puts right what is not, and touches nothing else', () => {
	it.each<[string, object]>([
		['was paused', { is_active: false }],
		['has other events', { events: ['psc.added'] }],
	])('a webhook that %s', async (_what, changes) => {
		const before = simulator.webhooks();
		const [, { id }] = before;
		await patch(id, changes);
		await workflow.restart();
		await workflow.publish();
		expect(simulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /v1/webhooks',
			'GET /v1/webhooks',
			`PATCH /v1/webhooks/${id}`,
		]);
		expect(simulator.webhooks()).toEqual(before);
	});

	it('a webhook that the service has forgotten, which is replaced', async () => {
		const [forgotten, kept] = simulator.webhooks();
		simulator.forgetWebhook(forgotten.id);
		await workflow.restart();
		await workflow.publish();
		expect(simulator.webhooks()).toEqual([
			kept,
			expect.objectContaining({ company_number: forgotten.company_number, is_active: true }),
		]);
		await workflow.restart();
		expect(await isPublished()).toBe(true);
	});
});

describe('with a list that shows a part only', () => {
	let partial: Simulator;

	beforeEach(async () => {
		partial = await startSimulator({ listMaximum: 5 });
		workflow = watch(partial, companyNumbers(15));
		await workflow.publish();
	});
	afterEach(async () => await partial.close());

	it('has no webhook twice, restarted and published twice', async () => {
		const before = partial.webhooks();
		for (let round = 0; round < 2; round++) {
			await workflow.restart();
			await workflow.publish();
			await workflow.unpublish();
			await workflow.publish();
			expect(partial.webhooks()).toEqual(before);
		}
	});

	it('replaces the forgotten one alone', async () => {
		const forgotten = partial.webhooks()[12];
		partial.forgetWebhook(forgotten.id);
		await workflow.restart();
		await workflow.publish();
		expect(ids(partial)).toHaveLength(15);
		expect(partial.webhooks().at(-1)?.company_number).toBe(forgotten.company_number);
		expect(counts(partial).POST).toBe(16);
	});
});
