// What checkExists answers when n8n starts again, by what is stored and listed.
import { startSimulator, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';

// A hundred and more requests each: too many for five seconds of a busy machine.
jest.setTimeout(30_000);

let simulator: Simulator;
let workflow: SavedWorkflow;

const methods = () => simulator.requests.map(({ method }) => method);
const ids = () => simulator.webhooks().map(({ id }) => id);

/** n8n has restarted: 1.x asks checkExists of every published workflow, and create where it says no. */
async function restarted(): Promise<void> {
	workflow.setup.nodeType = await afterRestart();
	simulator.clearRequests();
}

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, companyNumbers(50));
	await workflow.publish();
	await restarted();
});
afterEach(async () => {
	await simulator.close();
});

describe('after a restart', () => {
	it('finds all as it should be with one list request, and reads the credential once', async () => {
		const loaded = workflow.load();
		expect(await callHook('checkExists', loaded)).toBe(true);
		expect(methods()).toEqual(['GET']);
		expect(loaded.credentials.reads).toBe(1);
	});

	it('finds it too when the events are in another order', async () => {
		const events = ['psc.added', 'filing.new'];
		await workflow.change({ parameters: watching(companyNumbers(50), { events }) });
		await restarted();
		workflow.setup.parameters = watching(companyNumbers(50), { events: events.reverse() });
		expect(await callHook('checkExists', workflow.load())).toBe(true);
	});

	it('gives the same webhooks the new URL', async () => {
		const before = simulator.webhooks();
		workflow.setup.webhookBaseUrl = 'https://moved.example.com/webhook';
		workflow.setup.parameters = watching(companyNumbers(50), {
			options: { addressChanged: 'move' },
		});
		await workflow.publish();
		expect(ids()).toEqual(before.map(({ id }) => id));
		simulator.webhooks().forEach(({ url, is_active }, index) => {
			expect(is_active).toBe(true);
			expect(url).toBe(before[index].url.replace('n8n.example.com', 'moved.example.com'));
		});
	});

	it('replaces the one webhook that the service has forgotten, and no other', async () => {
		const before = ids();
		const { company_number: forgotten } = simulator.webhooks()[20];
		simulator.forgetWebhook(before[20]);
		await workflow.publish();
		expect(ids().slice(0, 49)).toEqual(before.filter((_, index) => index !== 20));
		expect(ids()).toHaveLength(50);
		expect(simulator.webhooks()[49]).toMatchObject({ company_number: forgotten, is_active: true });
		expect(methods().filter((method) => method === 'POST')).toHaveLength(1);

		await restarted();
		expect(await callHook('checkExists', workflow.load())).toBe(true);
		expect(methods()).toEqual(['GET']);
	});

	it('resumes the one that somebody paused, and touches no other', async () => {
		const { id } = simulator.webhooks()[7];
		await patch(id, { is_active: false });
		await workflow.publish();
		expect(simulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /v1/webhooks',
			'GET /v1/webhooks',
			`PATCH /v1/webhooks/${id}`,
		]);
		expect(simulator.webhooks()[7]).toMatchObject({ id, is_active: true });
	});

	it('puts the events right that somebody changed', async () => {
		const { id } = simulator.webhooks()[7];
		await patch(id, { events: ['psc.added'] });
		await workflow.publish();
		expect(simulator.webhooks()[7].events).toEqual(['filing.new']);
	});
});

describe('is false without a request', () => {
	it.each([
		['a company more', { parameters: watching(companyNumbers(51)) }],
		['a company less', { parameters: watching(companyNumbers(49)) }],
		['another company', { parameters: watching([...companyNumbers(49), '00445790']) }],
		['other events', { parameters: watching(companyNumbers(50), { events: ['psc.added'] }) }],
		['another address', { webhookBaseUrl: 'https://moved.example.com/webhook' }],
		['another workflow', { workflowId: 'a-copy' }],
		[
			'another base URL',
			{ credentials: { companyRegistryApi: { baseUrl: 'http://127.0.0.1:1', apiKey: 'k' } } },
		],
	])('for %s', async (_what, setup) => {
		workflow.setup = { ...workflow.setup, ...setup };
		expect(await callHook('checkExists', workflow.load())).toBe(false);
		expect(simulator.requests).toEqual([]);
	});

	it('when it is unpublished', async () => {
		await workflow.unpublish();
		simulator.clearRequests();
		expect(await callHook('checkExists', workflow.load())).toBe(false);
		expect(simulator.requests).toEqual([]);
	});
});

describe('with a list that shows a part only', () => {
	let partial: Simulator;

	beforeEach(async () => {
		partial = await startSimulator({ listMaximum: 10 });
		workflow = watch(partial, companyNumbers(30));
		await workflow.publish();
	});
	afterEach(async () => {
		await partial.close();
	});

	it.each([1, 2, 3])('has no webhook twice, restart and publish %i times', async (times) => {
		const before = partial.webhooks();
		for (let round = 0; round < times; round++) {
			workflow.setup.nodeType = await afterRestart();
			await workflow.publish();
			await workflow.unpublish();
			await workflow.publish();
			expect(partial.webhooks()).toEqual(before);
		}
	});

	it('replaces the forgotten one alone', async () => {
		const forgotten = partial.webhooks()[25];
		partial.forgetWebhook(forgotten.id);
		workflow.setup.nodeType = await afterRestart();
		await workflow.publish();
		expect(partial.webhooks()).toHaveLength(30);
		expect(partial.webhooks().at(-1)?.company_number).toBe(forgotten.company_number);
	});
});

/** What another user of the account does. */
async function patch(id: string, body: object): Promise<void> {
	const answer = await fetch(`${simulator.url}/v1/webhooks/${id}`, {
		method: 'PATCH',
		headers: { Authorization: `Bearer ${simulator.apiKey}`, 'Content-Type': 'application/json' },
		body: JSON.stringify(body),
	});
	expect(answer.status).toBe(200);
	simulator.clearRequests();
}
