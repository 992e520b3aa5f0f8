// A trigger is published where what is wanted, stored and listed agree; where not, publishing puts it right.
import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import { startSimulator } from '../../simulator';
import { counts, ids, serviceForEachTest, watched } from '../../support/atService';
import type { NodeSetup } from '../../support/contexts';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/loadedTriggers';

const [ONE, TWO, THREE] = companyNumbers(3);

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	workflow = watch(simulator, [ONE, TWO]);
	await workflow.publish();
	simulator.clearRequests();
});

const wanted = (...parameters: Parameters<typeof watching>) => ({
	parameters: watching(...parameters),
});

describe('is published', () => {
	it('what is wanted in another order, with other options of deliveries', async () => {
		const events = ['psc.added', 'filing.new'];
		await workflow.change(wanted([ONE, TWO], { events }));
		workflow.setup.parameters = watching([TWO, ONE], {
			events: events.reverse(),
			options: { tolerance: 60 },
		});
		expect(await workflow.isPublished()).toBe(true);
	});

	it('what has paused webhooks besides', async () => {
		await workflow.change(wanted([ONE]));
		expect(workflow.statuses()).toEqual({ [ONE]: 'watched', [TWO]: 'paused' });
		expect(await workflow.isPublished()).toBe(true);
		await workflow.restart();
		expect(await workflow.isPublished()).toBe(true);
	});
});

describe('is not published', () => {
	it.each<[string, Partial<NodeSetup>]>([
		['a company more', wanted([ONE, TWO, THREE])],
		['other events', wanted([ONE, TWO], { events: ['psc.added'] })],
		['another address', { webhookBaseUrl: 'https://moved.example.com/webhook' }],
		['another workflow', { workflowId: 'a-copy' }],
		[
			'another credential',
			{ credentials: { companyRegistryApi: { baseUrl: 'https://other.example', apiKey: 'k' } } },
		],
	])('with %s, which takes no request', async (_what, setup) => {
		Object.assign(workflow.setup, setup);
		expect(await workflow.isPublished()).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it('what is unpublished, which takes no request', async () => {
		await workflow.takeDown();
		expect(await workflow.isPublished()).toBe(false);
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
		expect(await workflow.isPublished()).toBe(false);
		await settled(workflow.load());
	});

	it('what was left unfinished, although every webhook that is wanted is there', async () => {
		simulator.fault({ method: 'POST', action: { status: 402 } });
		workflow.setup.parameters = watching([ONE, TWO, THREE]);
		await workflow.publish();
		expect(workflow.state()?.phase).toEqual({ name: 'settingUpRest', left: 1 });
		workflow.setup.parameters = watching([ONE, TWO]);
		expect(await workflow.isPublished()).toBe(false);
	});

	it('with a company less, also where its webhook could not be paused: the next publish pauses it', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		workflow.setup.parameters = watching([ONE]);
		expect(await workflow.isPublished()).toBe(false);
		await workflow.publish();
		expect(await workflow.isPublished()).toBe(false);
		expect(watched(simulator)).toEqual([ONE, TWO]);
		simulator.clearFaults();
		await workflow.publish();
		expect(watched(simulator)).toEqual([ONE]);
	});
});

describe('a restart while the service is out of order', () => {
	it('trusts what is stored, and says so', async () => {
		await workflow.restart();
		const logged = warnings(workflow);
		simulator.fault({ times: Infinity, action: { status: 500 } });
		expect(await workflow.isPublished()).toBe(true);
		expect(logged()).toEqual([
			expect.stringMatching(
				/^Company Registry Trigger "Company Registry Trigger": could not check its webhooks and keeps using the stored ones: (?!\w*Error)\w.*could not process the request \(HTTP 500\)/,
			),
		]);
	});

	it('asks it no longer than n8n has time for', async () => {
		jest.replaceProperty(WAITS, 'check', 300);
		const retryAfter = { status: 429, headers: { 'Retry-After': '1' } };
		simulator.fault({ times: Infinity, action: retryAfter });
		const began = Date.now();
		expect(await workflow.isPublished()).toBe(true);
		// The pace would have had it wait for a second and more.
		expect(Date.now() - began).toBeLessThan(900);
	});
});

it('publishing resumes a webhook that was paused, replaces one that is gone, and touches nothing else', async () => {
	await workflow.change(wanted([ONE, TWO, THREE]));
	const [gone, paused, kept] = simulator.webhooks();
	simulator.forgetWebhook(gone.id);
	// What another user of the account does.
	simulator.restoreWebhook({ ...paused, is_active: false });
	simulator.clearRequests();
	await workflow.restart();
	await workflow.publish();
	expect(simulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
		'GET /v1/webhooks',
		'GET /v1/webhooks',
		expect.stringMatching(`PATCH /v1/webhooks/(${gone.id}|${paused.id})`),
		expect.stringMatching(`PATCH /v1/webhooks/(${gone.id}|${paused.id})`),
		'POST /v1/webhooks',
	]);
	expect(simulator.webhooks()).toEqual([
		paused,
		kept,
		expect.objectContaining({ company_number: gone.company_number, is_active: true }),
	]);
	await workflow.restart();
	expect(await workflow.isPublished()).toBe(true);
});

it('with a list that shows a part only, no webhook is there twice, and the forgotten one alone is replaced', async () => {
	const partial = await startSimulator({ listMaximum: 5 });
	workflow = watch(partial, companyNumbers(15));
	await workflow.publish();
	const before = partial.webhooks();
	await workflow.restart();
	await workflow.publish();
	await workflow.unpublish();
	await workflow.publish();
	expect(partial.webhooks()).toEqual(before);

	const forgotten = before[12];
	partial.forgetWebhook(forgotten.id);
	await workflow.restart();
	await workflow.publish();
	expect(ids(partial)).toHaveLength(15);
	expect(partial.webhooks().at(-1)?.company_number).toBe(forgotten.company_number);
	expect(counts(partial).POST).toBe(16);
	await partial.close();
});
