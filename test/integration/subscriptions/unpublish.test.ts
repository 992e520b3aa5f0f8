// Unpublishing pauses every webhook, and names those that it could not pause.
import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { warnings } from '../../support/warnings';

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, companyNumbers(50));
	await workflow.publish();
	simulator.clearRequests();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const active = () => simulator.webhooks().filter(({ is_active }) => is_active);
const bodies = () => simulator.requests.map(({ body }) => body);

describe('unpublishing', () => {
	it('pauses each webhook with one request, asks for no list and reads the credential once', async () => {
		const loaded = workflow.load();
		await workflow.unpublish(loaded);
		expect(bodies()).toEqual(Array.from({ length: 50 }, () => ({ is_active: false })));
		expect(active()).toEqual([]);
		expect(loaded.credentials.reads).toBe(1);
	});

	it('works after a restart, and whatever the parameters have become', async () => {
		workflow.setup.nodeType = await afterRestart();
		workflow.setup.parameters = watching(['not a number'], { events: [] });
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});

	it('works where an option cannot be read, and says so', async () => {
		const logged = warnings(workflow);
		const options = { addressChanged: '={{ nothing( }}' };
		workflow.setup.parameters = watching(companyNumbers(50), { options });
		await workflow.unpublish();
		expect(active()).toEqual([]);
		expect(logged()).toEqual([
			'Company Registry Trigger: the options of "Company Registry Trigger" could not be read: invalid syntax',
		]);
	});

	it('asks for nothing the second time, and never where nothing was published', async () => {
		await workflow.unpublish();
		simulator.clearRequests();
		await workflow.unpublish();
		await watch(simulator, companyNumbers(50)).unpublish();
		expect(simulator.requests).toEqual([]);
	});

	it('pauses webhooks that are in the static data alone, and those in memory alone', async () => {
		const stale = structuredClone(workflow.staticData);
		await workflow.change({ parameters: watching(companyNumbers(53)) });
		workflow.staticData = stale;
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});

	it('takes a webhook that the service has forgotten for paused', async () => {
		const logged = warnings(workflow);
		simulator.forgetWebhook(simulator.webhooks()[3].id);
		await workflow.unpublish();
		expect(logged()).toEqual([]);
		expect(active()).toEqual([]);
	});
});

describe('a pause that fails', () => {
	it.each([1, 25, 50])(
		'at webhook %i is logged with id and company, and repaired by the next unpublish',
		async (nth) => {
			const logged = warnings(workflow);
			simulator.fault({ method: 'PATCH', nth, action: { status: 403 } });
			await workflow.unpublish();
			expect(active()).toHaveLength(1);
			const [{ id, company_number }] = active();
			expect(logged()).toEqual([
				expect.stringContaining(`webhook ${id} of company ${company_number} could not be paused: `),
			]);

			workflow.setup.nodeType = await afterRestart();
			await workflow.unpublish();
			expect(active()).toEqual([]);
			// What was paused after n8n had saved is not stored, so each is paused once more.
			expect(simulator.requests).toHaveLength(100);
		},
	);

	it.each([
		['500', { status: 500 }],
		['429 for an hour', { status: 429, headers: { 'Retry-After': '3600' } }],
		['402', { status: 402 }],
		['401', { status: 401 }],
		['a dropped connection', 'drop'],
		['an answer that never comes', 'hang'],
	] as Array<[string, FaultAction]>)(
		'by %s, at the first, 25th and last webhook, leaves those active, says so and pauses the others',
		async (_case, action) => {
			const logged = warnings(workflow);
			const failing = [0, 24, 49].map((index) => simulator.webhooks()[index]);
			for (const { id } of failing) {
				simulator.fault({ method: 'PATCH', path: new RegExp(id), times: Infinity, action });
			}
			await workflow.unpublish();
			expect(active().map(({ id }) => id)).toEqual(failing.map(({ id }) => id));
			for (const { id, company_number } of failing) {
				expect(logged().join('\n')).toContain(
					`webhook ${id} of company ${company_number} could not be paused`,
				);
			}

			simulator.clearFaults();
			await workflow.unpublish();
			expect(active()).toEqual([]);
		},
		40_000,
	);

	it('is repaired by the next publish, with the same webhooks', async () => {
		const before = simulator.webhooks();
		simulator.fault({ method: 'PATCH', nth: 25, times: 3, action: { status: 403 } });
		await workflow.unpublish();
		expect(active()).toHaveLength(3);
		workflow.setup.nodeType = await afterRestart();
		await workflow.publish();
		expect(simulator.webhooks()).toEqual(before);
	});

	it('is repaired by the next publish where the company is no longer wanted', async () => {
		simulator.fault({ method: 'PATCH', times: 5, action: { status: 403 } });
		await workflow.unpublish();
		const [{ company_number: unwanted }] = active();
		workflow.setup.parameters = watching(
			companyNumbers(50).filter((company) => company !== unwanted),
		);
		await workflow.publish();
		expect(active()).toHaveLength(49);
		expect(active().map(({ company_number }) => company_number)).not.toContain(unwanted);
	});

	it('stops the others only when the service turns all away, and then names every webhook that is left', async () => {
		const logged = warnings(workflow);
		simulator.fault({ method: 'PATCH', nth: 21, times: Infinity, action: { status: 403 } });
		await workflow.unpublish();
		expect(active()).toHaveLength(30);
		expect(simulator.requests.length).toBeLessThan(20 + 5 + 10);
		const last = logged().at(-1);
		expect(last).toContain(
			'30 webhooks stay active until the workflow is published or unpublished again: ',
		);
		for (const { id, company_number } of active())
			expect(last).toContain(`${id} (${company_number})`);
		expect(logged().join()).not.toContain('whsec_');
	});

	it('without an answer does not stop the others when those are answered', async () => {
		const logged = warnings(workflow);
		const { id } = simulator.webhooks()[0];
		simulator.fault({ path: new RegExp(`${id}$`), times: Infinity, action: 'drop' });
		await workflow.unpublish();
		expect(active().map((webhook) => webhook.id)).toEqual([id]);
		expect(logged()).toHaveLength(1);
	});

	it('of which the answer alone was lost is simply sent again', async () => {
		simulator.fault({ method: 'PATCH', nth: 5, action: 'dropAfter' });
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});
});

describe('a pause whose answer was lost', () => {
	const isWatched = () => active().length === 50;

	it('is not taken for watched by a publish while the service is down', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: 'dropAfter' });
		await workflow.unpublish();
		simulator.clearFaults();
		simulator.fault({ times: Infinity, action: 'drop' });
		await expect(workflow.publish()).rejects.toThrow('could not be set up (0 of 50 succeeded)');
		simulator.clearFaults();
		await workflow.publish();
		expect(isWatched()).toBe(true);
	}, 40_000);

	it('is not taken for watched by a change that comes when pausing has begun', async () => {
		simulator.fault({ method: 'PATCH', times: 30, action: 'dropAfter' });
		await workflow.takeDown();
		while (simulator.requests.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
		simulator.fault({ method: 'GET', times: Infinity, action: { status: 503 } });
		await expect(workflow.publish()).rejects.toThrow('could not be set up');
		simulator.clearFaults();
		await workflow.publish();
		expect(isWatched()).toBe(true);
	}, 40_000);

	it('is resumed by the next publish even where the service still lists it as active', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: 'drop' });
		await workflow.unpublish();
		simulator.clearFaults();
		expect(isWatched()).toBe(true);
		simulator.clearRequests();
		await workflow.publish();
		const resumed = simulator.requests.filter(({ method }) => method === 'PATCH');
		// The first ten got no answer, so the others were not tried.
		expect(resumed).toHaveLength(10);
		expect(isWatched()).toBe(true);
	}, 40_000);
});

describe('without a credential that can be used', () => {
	it.each([
		['none', {}],
		['a base URL that is none', { companyRegistryApi: { baseUrl: 'registry', apiKey: 'key' } }],
	])('%s: is logged, and the next publish uses the same webhooks', async (_what, credentials) => {
		const before = simulator.webhooks();
		const usable = workflow.setup.credentials;
		workflow.setup.credentials = credentials;
		const logged = warnings(workflow);
		await workflow.unpublish();
		expect(logged()).toEqual([expect.stringContaining('could not be paused')]);
		expect(await callHook('checkExists', workflow.load()).catch(() => false)).toBe(false);

		workflow.setup.credentials = usable;
		await workflow.publish();
		expect(simulator.webhooks()).toEqual(before);
	});
});
