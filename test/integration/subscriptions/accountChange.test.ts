// A trigger whose credential is replaced: by another key, or by another account.
import { startSimulator, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import {
	companyNumbers,
	watch,
	watching as companies,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

const parameters = watching('00445790');

let harness: TriggerHarness;
let other: Simulator;

beforeEach(async () => {
	harness = await startTriggerHarness();
	other = await startSimulator();
});
afterEach(async () => {
	await harness.close();
	await other.close();
});

// The base URL of the credential is edited: n8n unpublishes with the new one, so nothing is paused at the old.
it.each([
	['at once', false],
	['after a restart', true],
])('what the account before still delivers starts nothing, %s', async (_when, restarts) => {
	const { simulator, proxy } = harness;
	const before = harness.workflow({ parameters });
	await harness.publish(before);
	const credentials = { companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey } };
	const after = harness.workflow({ parameters, credentials, staticData: saved(before) });
	await harness.unpublish(after);
	await harness.publish(after);
	const [left] = simulator.webhooks();
	const [current] = other.webhooks();
	expect(left.is_active).toBe(true);

	const nodeType = restarts ? await afterRestart() : after.nodeType;
	const executions = harness.serve(
		harness.workflow({ nodeType, parameters, credentials, staticData: saved(after) }),
	);
	const ignored = await simulator.deliver(left.id, { ca: proxy.ca });
	expect([ignored.status, ignored.body]).toEqual([200, '{"ignored":true}']);
	expect(executions).toEqual([]);

	expect((await other.deliver(current.id, { ca: proxy.ca })).status).toBe(200);
	expect(executions).toHaveLength(1);
});

it('switched back to, the account before is watched again with the same webhook', async () => {
	const { simulator, proxy } = harness;
	const first = harness.workflow({ parameters });
	await harness.publish(first);
	const webhooks = simulator.webhooks();
	const credentials = { companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey } };
	const second = harness.workflow({ parameters, credentials, staticData: saved(first) });
	await harness.publish(second);
	const back = harness.workflow({ parameters, staticData: saved(second) });
	await harness.publish(back);
	expect(simulator.webhooks()).toEqual(webhooks);

	const executions = harness.serve(back);
	expect((await simulator.deliver(webhooks[0].id, { ca: proxy.ca })).status).toBe(200);
	expect(executions).toHaveLength(1);
});

describe('a rotated key, as a new credential of the same account', () => {
	const rotated = (simulator: Simulator) => ({
		credentials: {
			companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.addApiKey() },
		},
	});

	it.each([
		['in the same process', false],
		['after a restart', true],
	])('takes over the same webhooks with their secrets, %s', async (_when, restarts) => {
		const { simulator } = harness;
		const workflow = watch(simulator, companyNumbers(10));
		await workflow.publish();
		const before = simulator.webhooks();
		if (restarts) workflow.setup.nodeType = await afterRestart();
		simulator.clearRequests();
		await workflow.change(rotated(simulator));
		await settled(workflow.load());
		expect(simulator.webhooks()).toEqual(before);
		expect(simulator.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	it('is no other account, nor is the first one: nothing is logged', async () => {
		const { simulator } = harness;
		const workflow = watch(simulator, companyNumbers(2));
		const logged = warnings(workflow);
		await workflow.publish();
		await workflow.change({ parameters: companies(companyNumbers(3)) });
		await workflow.change(rotated(simulator));
		await settled(workflow.load());
		expect(logged()).toEqual([]);
		jest.restoreAllMocks();
	});

	it('takes over the others where one has vanished, and replaces that one', async () => {
		const { simulator } = harness;
		const workflow = watch(simulator, companyNumbers(3));
		await workflow.publish();
		const [vanished, ...others] = simulator.webhooks();
		simulator.forgetWebhook(vanished.id);
		await workflow.change(rotated(simulator));
		await settled(workflow.load());
		expect(simulator.webhooks()).toEqual([
			...others,
			expect.objectContaining({ company_number: vanished.company_number, is_active: true }),
		]);
	});

	it('is unpublished after a restart with the new key, though one has vanished', async () => {
		const { simulator } = harness;
		const workflow = watch(simulator, companyNumbers(10));
		await workflow.publish();
		simulator.forgetWebhook(simulator.webhooks()[0].id);
		workflow.setup.nodeType = await afterRestart();
		Object.assign(workflow.setup, rotated(simulator));
		await workflow.unpublish();
		expect(simulator.webhooks().some(({ is_active }) => is_active)).toBe(false);
	});
});

describe("another account's key in the same credential", () => {
	it('writes to no webhook that it does not list, forgets none, and switching back finds all', async () => {
		const { simulator } = harness;
		const workflow = watch(simulator, companyNumbers(3));
		await workflow.publish();
		const before = simulator.webhooks();
		const own = workflow.setup.credentials;
		workflow.setup.nodeType = await afterRestart();
		// The same base URL: the two accounts live at one service.
		const { apiKey } = simulator.addAccount();
		workflow.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
		simulator.clearRequests();
		await workflow.change({});
		await settled(workflow.load());
		const ids = before.map(({ id }) => id);
		expect(simulator.requests.filter(({ path }) => ids.some((id) => path.endsWith(id)))).toEqual(
			[],
		);
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(simulator.webhooks()).toHaveLength(6);

		workflow.setup.nodeType = await afterRestart();
		workflow.setup.credentials = own;
		simulator.clearRequests();
		await workflow.publish();
		expect(simulator.requests.map(({ method }) => method)).not.toContain('POST');
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
	});

	it('that is changed back within one process leaves nothing active at the other account', async () => {
		const { simulator } = harness;
		const workflow = watch(simulator, companyNumbers(3));
		await workflow.publish();
		const own = workflow.setup.credentials;
		const { apiKey } = simulator.addAccount();
		await workflow.change({
			credentials: { companyRegistryApi: { baseUrl: simulator.url, apiKey } },
		});
		const activeIn = (accounts: 'first' | 'second') =>
			simulator
				.webhooks()
				.slice(...(accounts === 'first' ? [0, 3] : [3]))
				.filter(({ is_active }) => is_active).length;
		await settled(workflow.load());
		expect([activeIn('first'), activeIn('second')]).toEqual([0, 3]);
		await workflow.change({ credentials: own });
		await settled(workflow.load());
		expect([activeIn('first'), activeIn('second')]).toEqual([3, 0]);
		expect(simulator.webhooks()).toHaveLength(6);
	});
});

describe('two processes of one n8n', () => {
	it('the one that lost the lead goes by what the other has stored since', async () => {
		const { simulator } = harness;
		const workflow = watch(simulator, companyNumbers(4));
		const first = workflow.setup.nodeType;
		await workflow.publish();

		// The other one becomes the leader and takes two companies out.
		workflow.setup.nodeType = await afterRestart();
		await workflow.change({ parameters: companies(companyNumbers(2)) });
		await settled(workflow.load());

		simulator.clearRequests();
		workflow.setup.nodeType = first;
		await workflow.change({ parameters: companies(companyNumbers(3)) });
		await settled(workflow.load());
		// One is resumed. The others are kept: nothing is created, and nothing is given an old state.
		expect(simulator.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
		expect(simulator.webhooks().filter(({ is_active }) => is_active)).toHaveLength(3);
	});
});

describe('a change to another account that does not succeed at once', () => {
	const changed = async (workflow: SavedWorkflow, fails: () => void) => {
		const { simulator } = harness;
		const { apiKey } = simulator.addAccount();
		fails();
		await workflow
			.change({ credentials: { companyRegistryApi: { baseUrl: simulator.url, apiKey } } })
			.catch(() => undefined);
		simulator.clearFaults();
		await workflow.publish();
		await settled(workflow.load());
	};
	const activeIds = () =>
		harness.simulator
			.webhooks()
			.filter(({ is_active }) => is_active)
			.map(({ id }) => id);

	it.each<[string, () => void]>([
		['by a refusal', () => harness.simulator.fault({ method: 'POST', action: { status: 402 } })],
		[
			'while the account before asks to wait',
			() =>
				harness.simulator.fault({
					method: 'PATCH',
					times: 3,
					action: { status: 429, headers: { 'Retry-After': '1' } },
				}),
		],
	])('leaves nothing active at the account before, %s', async (_how, fails) => {
		const workflow = watch(harness.simulator, companyNumbers(3));
		await workflow.publish();
		const before = activeIds();
		await changed(workflow, fails);
		expect(activeIds()).toHaveLength(3);
		expect(activeIds().filter((id) => before.includes(id))).toEqual([]);
	});

	it('names what stays active where the key of the account before is not known any more', async () => {
		const [one, two, three] = companyNumbers(3);
		const workflow = watch(harness.simulator, [one, two, three]);
		await workflow.publish();
		await workflow.change({ parameters: companies([one, two]) });
		const before = activeIds();
		const paused = harness.simulator.webhooks().find(({ is_active }) => !is_active);
		const logged = warnings(workflow);
		workflow.setup.nodeType = await afterRestart();
		const { apiKey } = harness.simulator.addAccount();
		workflow.setup.credentials = {
			companyRegistryApi: { baseUrl: harness.simulator.url, apiKey },
		};
		await workflow.publish();
		const line = logged().find((text) => text.includes('now uses another account')) ?? '';
		expect(before).toHaveLength(2);
		for (const id of before) expect(line).toContain(`${id} (`);
		expect(line).not.toContain(paused?.id);
		jest.restoreAllMocks();
	});
});

it('an id that merely coincides with one at another service proves nothing', async () => {
	const { simulator } = harness;
	const workflow = watch(simulator, companyNumbers(1));
	await workflow.publish();
	const [{ id }] = simulator.webhooks();
	const stranger = {
		id,
		company_number: '99999999',
		url: 'https://elsewhere.example.com/',
		events: ['psc.added'],
		is_active: true,
		secret: 'of somebody else',
	};
	other.restoreWebhook(stranger);
	await workflow.change({
		credentials: { companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey } },
	});
	const [untouched, created] = other.webhooks();
	expect(untouched).toMatchObject(stranger);
	expect(created).toMatchObject({ company_number: companyNumbers(1)[0], is_active: true });
});
