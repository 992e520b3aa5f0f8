// Every difference between what is wanted, stored and listed makes a trigger unpublished.
import type { INodeParameters } from 'n8n-workflow';

import { startSimulator, type Simulator } from '../../simulator';
import type { NodeSetup } from '../../support/contexts';
import { afterRestart } from '../../support/restart';
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
const wanted = (companies: string[], more?: INodeParameters) => ({
	parameters: watching(companies, more),
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

it('is not published while this process is about to pause what another one has published since', async () => {
	await workflow.takeDown();
	const { nodeType } = workflow.setup;
	workflow.setup.nodeType = await afterRestart();
	await workflow.publish();
	workflow.setup.nodeType = nodeType;
	simulator.clearRequests();
	expect(await isPublished()).toBe(false);
	expect(simulator.requests).toEqual([]);
	await settled(workflow.load());
});

describe('is published', () => {
	it.each<[string, (webhooks: object[]) => object[]]>([
		['what the service lists as wanted', (webhooks) => webhooks],
		[
			'what it lists in another order, among others',
			(webhooks) => [{ ...webhooks[0], id: 'other', is_active: false }, ...webhooks.reverse()],
		],
	])('%s', async (_what, change) => {
		list(change);
		expect(await isPublished()).toBe(true);
		expect(simulator.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	it('what it lists with its destination', async () => {
		const urls = simulator.webhooks().map(({ url }) => url);
		list((webhooks) => webhooks.map((webhook, index) => ({ ...webhook, url: urls[index] })));
		expect(await isPublished()).toBe(true);
	});

	it('what is wanted in another order', async () => {
		workflow.setup = { ...workflow.setup, ...wanted([TWO, ONE]) };
		expect(await isPublished()).toBe(true);
	});

	it('what cannot be looked at, which is logged', async () => {
		const logged = warnings(workflow);
		simulator.fault({ method: 'GET', action: { status: 402 } });
		expect(await isPublished()).toBe(true);
		expect(logged()).toEqual([
			expect.stringMatching(
				/^Company Registry Trigger: "Company Registry Trigger" could not check its webhooks and keeps using the stored ones: (?!\w*Error)\w.*plan does not cover/,
			),
		]);
	});

	it('what has paused webhooks besides', async () => {
		await workflow.change(wanted([ONE]));
		expect(await isPublished()).toBe(true);
	});
});

describe('is not published', () => {
	it('where something else was stored over what this process stored last, which takes no request', async () => {
		const stored = structuredClone(workflow.staticData);
		await workflow.unpublish();
		await workflow.publish();
		workflow.staticData = stored;
		simulator.clearRequests();
		expect(await isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it.each<[string, Partial<NodeSetup>]>([
		['a company more', wanted([ONE, TWO, THREE])],
		['a company less', wanted([ONE])],
		['another company', wanted([ONE, THREE])],
		['other events', wanted([ONE, TWO], { events: ['psc.added'] })],
		['an event more', wanted([ONE, TWO], { events: ['filing.new', 'psc.added'] })],
		['another address', { webhookBaseUrl: 'https://moved.example.com/webhook' }],
		[
			'another credential',
			{ credentials: { companyRegistryApi: { baseUrl: 'https://other.example', apiKey: 'k' } } },
		],
		['another workflow', { workflowId: 'a-copy' }],
	])('with %s, which takes no request', async (_what, setup) => {
		workflow.setup = { ...workflow.setup, ...setup };
		expect(await isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it('what is unpublished', async () => {
		await workflow.unpublish();
		simulator.clearRequests();
		expect(await isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it('what failed, although every webhook that is wanted is there', async () => {
		simulator.fault({ method: 'POST', action: { status: 402 } });
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		workflow.setup = { ...workflow.setup, ...wanted([ONE, TWO, THREE]) };
		await expect(workflow.publish()).rejects.toThrow('plan does not cover');
		workflow.setup = { ...workflow.setup, ...wanted([ONE, TWO]) };
		expect(await isPublished()).toBe(false);
	});

	it('what has a webhook that is still to be paused', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		workflow.setup = { ...workflow.setup, ...wanted([ONE]) };
		await workflow.publish();
		simulator.clearRequests();
		expect(await isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it.each<[string, object]>([
		['is paused', { is_active: false }],
		['has other events', { events: ['psc.added'] }],
		['is missing', { id: 'another' }],
	])('what has a webhook that %s at the service', async (_what, changes) => {
		list(([first, ...others]) => [...others, { ...first, ...changes }]);
		expect(await isPublished()).toBe(false);
	});

	it('what has a webhook that the service lists with another destination', async () => {
		list(([first, ...others]) => [...others, { ...first, url: 'https://elsewhere.example.com/' }]);
		expect(await isPublished()).toBe(false);
	});

	it('what a run is changing at this moment', async () => {
		simulator.latencyMs = 30;
		const running = callHook('delete', workflow.load());
		expect(await isPublished()).toBe(false);
		await running;
	});
});

it('is not asked of a node whose parameters cannot be used', async () => {
	workflow.setup = { ...workflow.setup, webhookBaseUrl: 'http://localhost:5678/webhook' };
	await expect(isPublished()).rejects.toThrow('https addresses only');
});
