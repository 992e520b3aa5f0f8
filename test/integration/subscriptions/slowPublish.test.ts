// A publish that takes longer than n8n waits keeps what it has set up, so that the next does only the rest.
import { findMemory } from '../../../nodes/CompanyRegistry/trigger/memory/triggers';
import { WAIT } from '../../../nodes/CompanyRegistry/trigger/subscriptions/reconciler';
import { hookContext } from '../../support/contexts';
import { settled } from '../../support/settled';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

let harness: TriggerHarness;

beforeEach(async () => {
	harness = await startTriggerHarness();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await harness.close();
});

const companies = Array.from({ length: 30 }, (_, index) => String(10_000_000 + index));

/** From that many requests on, it is 80 seconds later. */
function slowFrom(requests: number): void {
	const realNow = Date.now.bind(Date);
	jest
		.spyOn(Date, 'now')
		.mockImplementation(
			() => realNow() + (harness.simulator.requests.length >= requests ? 80_000 : 0),
		);
}

it('a publish that the service asks to wait for longer than n8n does fails at once, and says so', async () => {
	const realNow = Date.now.bind(Date);
	const { simulator } = harness;
	jest
		.spyOn(Date, 'now')
		.mockImplementation(() => realNow() + (simulator.requests.length > 0 ? 50_000 : 0));
	simulator.fault({ times: Infinity, action: { status: 429, headers: { 'Retry-After': '30' } } });
	const workflow = harness.workflow({ parameters: watching(...companies) });
	await expect(harness.publish(workflow)).rejects.toThrow(
		/\(0 of 30 succeeded\)\. The registry service received too many requests\. .*Publishing takes longer than n8n waits for it\. What is set up stays set up: publish again/,
	);
});

it.each([
	['on the way', 15],
	['with its last request', companies.length],
])(
	'a publish that n8n has stopped waiting for %s fails, is paused, and is gone on with',
	async (_case, requests) => {
		const workflow = harness.workflow({ parameters: watching(...companies) });
		slowFrom(requests);

		await expect(harness.publish(workflow)).rejects.toThrow(
			/^The webhooks could not be set up \(\d+ of 30 succeeded\)\. Publishing takes longer than n8n waits for it\. What is set up stays set up: publish again/,
		);
		await harness.unpublish(workflow);
		const left = harness.simulator.webhooks();
		expect(left.length).toBeGreaterThanOrEqual(requests);
		expect(left.filter(({ is_active }) => is_active)).toEqual([]);

		jest.restoreAllMocks();
		await harness.publish(
			harness.workflow({ parameters: watching(...companies), staticData: saved(workflow) }),
		);
		const now = harness.simulator.webhooks();
		expect(now.map(({ company_number }) => company_number).sort()).toEqual(companies);
		expect(now.every(({ is_active }) => is_active)).toBe(true);
		expect(now.slice(0, left.length).map(({ id }) => id)).toEqual(left.map(({ id }) => id));
	},
);

it('taking out more companies than can be paused in time succeeds, and pausing goes on', async () => {
	const workflow = harness.workflow({ parameters: watching(...companies) });
	await harness.publish(workflow);
	const { simulator } = harness;
	simulator.clearRequests();
	const realNow = Date.now.bind(Date);
	// Each request takes ten seconds of the time that n8n waits.
	jest.spyOn(Date, 'now').mockImplementation(() => realNow() + simulator.requests.length * 10_000);
	const fewer = harness.workflow({
		parameters: watching(...companies.slice(0, 5)),
		staticData: saved(workflow),
	});
	await harness.publish(fewer);
	await settled(fewer);
	const active = simulator.webhooks().filter(({ is_active }) => is_active);
	expect(active.map(({ company_number }) => company_number).sort()).toEqual(companies.slice(0, 5));
});

it('an unpublish while pausing goes on is not taken for a publish that succeeded', async () => {
	const workflow = harness.workflow({ parameters: watching(...companies) });
	await harness.publish(workflow);
	const { simulator } = harness;
	simulator.clearRequests();
	simulator.latencyMs = 100;
	const realNow = Date.now.bind(Date);
	// There is time left, but too little for a pause that takes as long as it may.
	jest
		.spyOn(Date, 'now')
		.mockImplementation(() => realNow() + Math.min(simulator.requests.length * 6_000, 55_000));
	const fewer = harness.workflow({
		parameters: watching(...companies.slice(0, 2)),
		staticData: saved(workflow),
	});
	await harness.publish(fewer);
	const { id } = fewer.workflow;
	const memory = findMemory({ workflow: id, node: fewer.node.id, kind: 'production' });
	expect([memory?.published, memory?.runner]).toEqual([true, expect.any(Promise)]);
	await harness.unpublish(fewer);
	await settled(fewer);
	expect(memory?.published).toBe(false);
	expect(simulator.webhooks().some(({ is_active }) => is_active)).toBe(false);
});

it('an attempt that has no time left says when the next has, and creates nothing that n8n would not save', async () => {
	const { simulator } = harness;
	const workflow = harness.workflow({ parameters: watching(...companies) });
	const { logger } = hookContext(workflow);
	const warn = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
	slowFrom(15);
	await expect(harness.publish(workflow)).rejects.toThrow('ten seconds from now or later');
	const created = simulator.webhooks().length;
	simulator.clearRequests();
	const later = Date.now() + 80_000;
	jest.spyOn(Date, 'now').mockImplementation(() => later);
	const again = harness.workflow({
		parameters: watching(...companies),
		staticData: saved(workflow),
	});
	await expect(harness.publish(again)).rejects.toThrow(
		new RegExp(`\\(${created} of 30 succeeded\\)\\. .* ten seconds from now or later`),
	);
	// It is over at once: n8n shows what its last attempt says, and only if that ends in time.
	expect(simulator.requests).toEqual([]);
	expect(warn.mock.calls.map(([message]) => message)).toEqual([
		expect.stringMatching(
			/^Company Registry Trigger: "Company Registry Trigger": The webhooks could not be set up .* ten seconds from now or later/,
		),
	]);

	const began = Date.now();
	jest.restoreAllMocks();
	jest.spyOn(Date, 'now').mockImplementation(() => began + 10_000);
	await harness.publish(
		harness.workflow({ parameters: watching(...companies), staticData: saved(again) }),
	);
	expect(simulator.webhooks()).toHaveLength(companies.length);
});

it('an attempt that has no time left succeeds where the one before has set up everything', async () => {
	const workflow = harness.workflow({ parameters: watching(...companies) });
	slowFrom(companies.length);
	await expect(harness.publish(workflow)).rejects.toThrow('longer than n8n waits');
	await harness.publish(
		harness.workflow({ parameters: watching(...companies), staticData: saved(workflow) }),
	);
	const webhooks = harness.simulator.webhooks();
	expect(webhooks.filter(({ is_active }) => is_active)).toHaveLength(companies.length);
});

describe('a portfolio too large for one publish', () => {
	const MANY = Array.from({ length: 2000 }, (_, index) => String(20_000_000 + index));
	/** What each request takes of the time, ten being under way: 620 fit into one publish. */
	const MS_A_REQUEST = 100;
	const { afterTimeOut } = WAIT;
	/** Milliseconds in which nothing was done. */
	let pause = 0;

	beforeEach(() => {
		WAIT.afterTimeOut = 60_000;
		const realNow = Date.now.bind(Date);
		const { simulator } = harness;
		jest
			.spyOn(Date, 'now')
			.mockImplementation(() => realNow() + pause + simulator.requests.length * MS_A_REQUEST);
	});
	afterEach(() => {
		WAIT.afterTimeOut = afterTimeOut;
	});

	/** As n8n 2.40 does: the trigger cleans up after a failed attempt, and its static data is saved. */
	async function attempt(staticData?: ReturnType<typeof saved>) {
		const workflow = harness.workflow({ parameters: watching(...MANY), staticData });
		const message = await harness.publish(workflow).then(
			() => '',
			(error: Error) => error.message,
		);
		const { delete: remove } = workflow.nodeType.webhookMethods?.default ?? {};
		if (message !== '') await remove?.call(hookContext(workflow, { activation: 'update' }));
		return { workflow, message, done: Number(/\((\d+) of 2000/.exec(message)?.[1] ?? 2000) };
	}

	it('is published by the fourth publish, each of which does only the rest', async () => {
		const { simulator } = harness;
		const first = await attempt();
		// n8n's own next attempt has no time left, and changes nothing about that.
		const retry = await attempt(saved(first.workflow));
		expect(retry.message).toMatch(/What is set up stays set up: publish again/);
		pause += 20_000;
		const second = await attempt(saved(retry.workflow));
		pause += 20_000;
		const third = await attempt(saved(second.workflow));
		pause += 20_000;
		const fourth = await attempt(saved(third.workflow));
		expect(first.message).toMatch(/^The webhooks could not be set up \(\d{3} of 2000 succeeded\)/);
		expect(first.message).toContain('What is set up stays set up: publish again');
		expect(second.done).toBeGreaterThan(1000);
		expect(third.done).toBeGreaterThan(1500);
		expect(fourth.message).toBe('');
		const methods = simulator.requests.map(({ method }) => method);
		expect(methods.filter((method) => method === 'POST')).toHaveLength(2000);
		expect(methods.filter((method) => method === 'PATCH')).toEqual([]);
		expect(simulator.webhooks().every(({ is_active }) => is_active)).toBe(true);
	}, 120_000);

	it('is paused in the end when nobody publishes again', async () => {
		const { workflow } = await attempt();
		WAIT.afterTimeOut = afterTimeOut;
		await harness.unpublish(workflow);
		await settled(workflow);
		expect(harness.simulator.webhooks().some(({ is_active }) => is_active)).toBe(false);
	}, 120_000);
});
