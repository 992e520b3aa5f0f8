// What an unpublish does when n8n's calls and the service's answers come in an unusual order.
import { readState, type TriggerState } from '../../../nodes/CompanyRegistry/trigger/memory/state';
import { startSimulator, type Simulator } from '../../simulator';
import { hookContext, type TestWorkflow } from '../../support/contexts';
import { afterRestart } from '../../support/restart';
import {
	callHook,
	companyNumbers,
	register,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';

const [ONE, TWO, THREE] = companyNumbers(3);

let simulator: Simulator;
let workflow: SavedWorkflow;
let logged: () => string[];

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, [ONE, TWO]);
	await workflow.publish();
	simulator.clearRequests();
	logged = warnings(workflow);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const active = () => simulator.webhooks().filter(({ is_active }) => is_active);

function state(saved = workflow): TriggerState | undefined {
	const loaded = saved.load();
	const identity = {
		workflow: loaded.workflow.id,
		node: loaded.node.id,
		kind: 'production' as const,
	};
	return readState(hookContext(loaded).getWorkflowStaticData('global'), identity);
}

async function received(requests: number): Promise<void> {
	while (simulator.requests.length < requests)
		await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('an unpublish', () => {
	it('stores at once that it is unpublished, pauses later, and asks for nothing the second time', async () => {
		const before = state();
		for (const requests of [{ paused: false }, { paused: true }]) {
			await workflow.unpublish();
			expect(simulator.requests).toHaveLength(2);
			expect(state()).toEqual({
				...before,
				published: false,
				runId: expect.not.stringMatching(`^${before?.runId}$`),
				writtenAt: expect.any(Number),
				webhooks: before?.webhooks.map((webhook) => ({
					...webhook,
					status: requests.paused ? 'paused' : 'watched',
				})),
			});
		}
		expect(logged()).toEqual([]);
	});

	it('of what was never published does, logs and stores nothing', async () => {
		const never = watch(simulator, [ONE]);
		const loaded = never.load();
		await never.unpublish(loaded);
		expect([simulator.requests, logged(), state(never)]).toEqual([[], [], undefined]);
		expect(loaded.credentials.reads).toBe(0);
	});

	it('remembers for this process what it has paused', async () => {
		await workflow.unpublish();
		workflow.staticData = {};
		simulator.clearRequests();
		await workflow.unpublish();
		expect(simulator.requests).toEqual([]);
		await workflow.publish();
		expect(simulator.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'PATCH']);
	});

	it('pauses what this process has published since the static data was stored', async () => {
		const stale = structuredClone(workflow.staticData);
		await workflow.change({ parameters: watching([ONE, TWO, THREE]) });
		workflow.staticData = stale;
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});

	it('pauses after a restart as well', async () => {
		workflow.setup.nodeType = await afterRestart();
		await workflow.unpublish();
		expect(active()).toEqual([]);
		expect(state()?.published).toBe(false);
	});
});

describe('an unpublish that cannot reach the account', () => {
	function expectNamed(line: string): void {
		for (const { id, company_number } of simulator.webhooks())
			expect(line).toContain(`${id} (${company_number})`);
	}

	it('leaves the webhooks of the account before, and says so', async () => {
		const other = await startSimulator();
		workflow.setup.credentials = {
			companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey },
		};
		const before = state();
		await workflow.unpublish();
		await other.close();
		expect(simulator.requests).toEqual([]);
		expect(other.requests.map(({ method }) => method)).toEqual(['GET']);
		expect(logged()).toEqual([
			expect.stringContaining(
				`They belong to another account than the node's credential at ${other.url}`,
			),
		]);
		expectNamed(logged()[0]);
		expect(state()).toEqual({
			...before,
			published: false,
			runId: expect.any(String),
			writtenAt: expect.any(Number),
		});
	});

	it('asks nobody where all are paused already', async () => {
		await workflow.unpublish();
		simulator.clearRequests();
		const { apiKey } = simulator.addAccount();
		workflow.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
		await workflow.unpublish();
		expect(simulator.requests).toEqual([]);
		expect(logged()).toEqual([]);
	});

	it('says why, where the service cannot be asked whose webhooks they are', async () => {
		const { apiKey } = simulator.addAccount();
		workflow.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
		workflow.setup.nodeType = await afterRestart();
		simulator.fault({ method: 'GET', times: Infinity, action: { status: 402 } });
		await workflow.unpublish();
		expect(logged()).toEqual([expect.stringContaining('plan does not cover')]);
	});

	it('says why, and goes on', async () => {
		workflow.setup.credentials = { companyRegistryApi: { baseUrl: '', apiKey: 'key' } };
		const before = state();
		await workflow.unpublish();
		expect(logged()).toEqual([
			expect.stringMatching(
				/^Company Registry Trigger: webhooks of "Company Registry Trigger" could not be paused and stay active: .*\. The credential's 'Base URL' is not a web address/,
			),
		]);
		expectNamed(logged()[0]);
		expect(state()).toEqual({
			...before,
			published: false,
			runId: expect.any(String),
			writtenAt: expect.any(Number),
		});
	});
});

describe("n8n's clean-up after a failed publish", () => {
	/** A publish of three companies fails; its clean-up has not come yet. */
	async function failed(object = workflow.load()): Promise<TestWorkflow> {
		simulator.fault({ method: 'POST', action: { status: 402 } });
		await expect(register(object)).rejects.toThrow('plan does not cover');
		return object;
	}

	const CLEAN_UPS: Array<[string, (object: TestWorkflow) => TestWorkflow]> = [
		['n8n 2.40, on the same object', (object) => object],
		['n8n 1.x, with the copy stored before', () => workflow.load()],
	];

	beforeEach(() => {
		workflow = watch(simulator, [ONE, TWO, THREE]);
	});

	it.each(CLEAN_UPS)(
		'leaves a publish alone that is under way (%s)',
		async (_version, cleanUpWith) => {
			const object = cleanUpWith(await failed());
			simulator.latencyMs = 50;
			simulator.clearRequests();
			const publish = workflow.publish();
			await received(1);
			await callHook('delete', object);
			await publish;
			await settled(object);
			expect(
				active().filter(({ url }) =>
					state()?.groups[0].subscriptions.some(({ reference }) => url.endsWith(reference)),
				),
			).toHaveLength(3);
		},
	);

	it.each(CLEAN_UPS)(
		'leaves a publish alone that has succeeded since (%s)',
		async (_version, cleanUpWith) => {
			const object = cleanUpWith(await failed());
			await workflow.publish();
			await callHook('delete', object);
			workflow.save(object);
			await settled(object);
			expect(active()).toHaveLength(5);
			expect(state()).toMatchObject({
				published: true,
				webhooks: [{ status: 'watched' }, { status: 'watched' }, { status: 'watched' }],
			});

			// The next one is the user's.
			await workflow.unpublish();
			expect(active()).toHaveLength(2);
		},
	);

	it('pauses what was published before, where the publish failed before it began', async () => {
		await workflow.publish();
		const usable = workflow.setup.credentials;
		workflow.setup.credentials = { companyRegistryApi: { baseUrl: '', apiKey: 'key' } };
		await expect(callHook('create', workflow.load())).rejects.toThrow('not a web address');
		workflow.setup.credentials = usable;
		await workflow.unpublish();
		expect(active()).toHaveLength(2);
	});

	it('pauses what the publish has set up, once nobody publishes again', async () => {
		const object = await failed();
		expect(active()).toHaveLength(4);
		await callHook('delete', object);
		await settled(object);
		expect(active()).toHaveLength(2);
	});
});

describe('while the service asks to come back later', () => {
	const LATER = { status: 429, headers: { 'Retry-After': '30' } };

	it('an unpublish does not wait with a publish', async () => {
		simulator.fault({ method: 'POST', action: LATER });
		const waiting = watch(simulator, [ONE]);
		const publishing = waiting.publish();
		await received(1);
		await new Promise((resolve) => setTimeout(resolve, 100));
		await Promise.all([publishing, waiting.unpublish()]);
		expect(active()).toHaveLength(2);
		expect(await callHook('checkExists', waiting.load())).toBe(false);
	});

	it('a publish does not wait with an unpublish', async () => {
		simulator.fault({ method: 'PATCH', action: LATER });
		const unpublishing = workflow.unpublish();
		await received(2);
		await new Promise((resolve) => setTimeout(resolve, 100));
		await Promise.all([unpublishing, workflow.publish()]);
		expect(active()).toHaveLength(2);
		expect(await callHook('checkExists', workflow.load())).toBe(true);
	});
});
