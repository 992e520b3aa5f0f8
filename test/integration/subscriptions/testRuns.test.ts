// Test runs that wait for a real event: what they create, and what they leave.
import { startSimulator, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	withRealEvents,
} from '../../support/savedWorkflow';
import { settled } from '../../support/settled';

jest.setTimeout(30_000);

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
});

const ofKind = (kind: 'webhook' | 'webhook-test') =>
	simulator.webhooks().filter(({ url }) => url.includes(`/${kind}/`));
const active = () => simulator.webhooks().filter(({ is_active }) => is_active);

describe('"Listen for test event"', () => {
	it('subscribes while it listens, at the test URL, and pauses afterwards', async () => {
		const listening = await watch(simulator, companyNumbers(3)).listen();
		expect(ofKind('webhook-test')).toHaveLength(3);
		expect(active()).toHaveLength(3);
		await listening.stop();
		expect(active()).toEqual([]);
	});

	it('uses the same webhooks in twenty test runs', async () => {
		const workflow = watch(simulator, companyNumbers(3));
		for (let run = 0; run < 20; run++) {
			const { stop } = await workflow.listen();
			expect(active()).toHaveLength(3);
			await stop();
			expect(active()).toEqual([]);
		}
		expect(simulator.webhooks()).toHaveLength(3);
	});

	it('leaves the published workflow alone in twenty test runs', async () => {
		const workflow = watch(simulator, companyNumbers(3));
		await workflow.publish();
		const published = simulator.webhooks();
		for (let run = 0; run < 20; run++) {
			const { stop } = await workflow.listen();
			expect(active()).toHaveLength(6);
			await stop();
			expect(active()).toEqual(published);
		}
		expect(simulator.webhooks()).toHaveLength(6);
	});

	it('uses the test webhooks of another workflow when that one does not listen', async () => {
		const first = await watch(simulator, companyNumbers(2)).listen();
		await first.stop();
		const second = await watch(simulator, companyNumbers(2)).listen();
		expect(active()).toHaveLength(2);
		await second.stop();
		expect(active()).toEqual([]);
		expect(simulator.webhooks()).toHaveLength(2);
	});

	it('has webhooks of its own while another workflow listens for the same companies', async () => {
		const first = await watch(simulator, companyNumbers(2)).listen();
		const second = await watch(simulator, companyNumbers(2)).listen();
		expect(active()).toHaveLength(4);
		await first.stop();
		expect(active()).toHaveLength(2);
		await second.stop();
		expect(active()).toEqual([]);
	});

	it('neither takes nor leaves a published webhook when it is published between two test runs', async () => {
		const workflow = watch(simulator, companyNumbers(2));
		await (await workflow.listen()).stop();
		await workflow.publish();
		const published = ofKind('webhook');
		expect(published).toHaveLength(2);
		expect(ofKind('webhook-test')).toHaveLength(2);
		await (await workflow.listen()).stop();
		expect(ofKind('webhook')).toEqual(published);
		await workflow.unpublish();
		expect(active()).toEqual([]);
		expect(simulator.webhooks()).toHaveLength(4);
	});

	it('does not take the paused webhooks of an unpublished workflow either', async () => {
		const workflow = watch(simulator, companyNumbers(2));
		await workflow.publish();
		await workflow.unpublish();
		const paused = simulator.webhooks();
		await (await workflow.listen()).stop();
		expect(ofKind('webhook')).toEqual(paused);
		expect(ofKind('webhook-test')).toHaveLength(2);
	});

	it('leaves the published workflow alone when a test cannot start', async () => {
		const workflow = watch(simulator, companyNumbers(2));
		await workflow.publish();
		const published = simulator.webhooks();
		const { parameters } = workflow.setup;
		workflow.setup.parameters = watching([]);
		await expect(workflow.listen()).rejects.toThrow('No company is chosen');
		expect(simulator.webhooks()).toEqual(published);

		workflow.setup.parameters = parameters;
		simulator.fault({ method: 'POST', action: { status: 402 } });
		await expect(workflow.listen()).rejects.toThrow('plan does not cover');
		expect(active()).toEqual(published);

		workflow.setup.credentials = { companyRegistryApi: { baseUrl: '', apiKey: 'key' } };
		await expect(workflow.listen()).rejects.toThrow('not a web address');
		expect(active()).toEqual(published);
	});

	it('leaves the published workflow alone when a test is cancelled while it starts', async () => {
		const workflow = watch(simulator, companyNumbers(15));
		await workflow.publish();
		const published = simulator.webhooks();
		simulator.latencyMs = 200;
		const listening = workflow.listen();
		await new Promise((resolve) => setTimeout(resolve, 300));
		// n8n has registered the test already, without static data.
		const setup = withRealEvents(workflow.setup);
		const cancelled = watch(simulator, companyNumbers(15), setup).load();
		cancelled.workflow.staticData = {};
		await callHook('delete', cancelled, true);
		await listening;
		await settled(cancelled);
		expect(active()).toEqual(published);
	});

	it.each([
		['which takes its place in n8n', 0],
		['before it listens', 200],
	])('is paused too where a sample event is shown meanwhile, %s', async (_when, latency) => {
		const workflow = watch(simulator, companyNumbers(3));
		await (await workflow.listen()).stop();
		// One of the three stays paused.
		workflow.setup.parameters = watching(companyNumbers(2));
		simulator.latencyMs = latency;
		const listening = workflow.listen();
		if (latency === 0) await listening;
		else await new Promise((resolve) => setTimeout(resolve, latency / 2));
		expect(active()).toHaveLength(latency === 0 ? 2 : 0);
		const sample = workflow.load();
		await callHook('delete', sample, true);
		await listening;
		await settled(sample);
		expect(simulator.webhooks()).toHaveLength(3);
		expect(active()).toEqual([]);
	});

	it('has nothing paused where a sample event is shown later', async () => {
		const workflow = watch(simulator, companyNumbers(2));
		await (await workflow.listen()).stop();
		const sample = workflow.load();
		await callHook('delete', sample, true);
		expect(sample.credentials.reads).toBe(0);
	});

	it('forgets only what a restart takes: published webhooks stay, a test starts anew', async () => {
		const workflow = watch(simulator, companyNumbers(2));
		await workflow.publish();
		const published = simulator.webhooks();
		workflow.setup.nodeType = await afterRestart();
		const { stop } = await workflow.listen();
		await stop();
		expect(active()).toEqual(published);
	});
});
