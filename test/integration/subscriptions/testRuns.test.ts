// Test runs that wait for a real event: what they create, and what they leave.
import { active, failureOf, methods, received, serviceForEachTest } from '../../support/atService';
import { callHook, companyNumbers, watch, watching } from '../../support/savedWorkflow';
import { settled } from '../../support/loadedTriggers';

const simulator = serviceForEachTest();
/** As with N8N_EDITOR_BASE_URL beside WEBHOOK_URL. */
const EDITOR = { webhookTestBaseUrl: 'https://editor.example.com/webhook-test' };

const ofKind = (kind: 'webhook' | 'webhook-test') =>
	simulator.webhooks().filter(({ url }) => url.includes(`/${kind}/`));

describe('"Listen for test event"', () => {
	it.each([{}, EDITOR])(
		'leaves the published workflow alone, and is left alone by it (%j)',
		async (setup) => {
			const workflow = watch(simulator, companyNumbers(3), setup);
			await (await workflow.listen()).stop();
			await workflow.publish();
			const published = ofKind('webhook');
			expect(published).toHaveLength(3);
			for (let run = 0; run < 3; run++) {
				const { stop } = await workflow.listen();
				expect(active(simulator)).toHaveLength(6);
				await stop();
				expect(active(simulator)).toEqual(published);
			}
			// A restart takes what is remembered of tests: the next makes new ones.
			await workflow.restart();
			await (await workflow.listen()).stop();
			expect(active(simulator)).toEqual(published);
			await workflow.unpublish();
			const paused = ofKind('webhook');
			await (await workflow.listen()).stop();
			expect(ofKind('webhook')).toEqual(paused);
			expect(active(simulator)).toEqual([]);
			// Each test run has used the same ones.
			expect(ofKind('webhook-test')).toHaveLength(3 + 3);
		},
	);

	it('that goes on while the workflow is published is no other trigger that watches the same companies', async () => {
		const workflow = watch(simulator, companyNumbers(25));
		const { stop } = await workflow.listen();
		await workflow.publish();
		await stop();
		expect(active(simulator)).toEqual(ofKind('webhook'));
		expect(active(simulator)).toHaveLength(25);
	});

	it.each([
		['real', 'has published', false],
		['sample', 'knows only what is stored', true],
	])(
		'that ends in another main process changes nothing there (%s event, in one that %s)',
		async (testEvent, _what, restarts) => {
			const workflow = watch(simulator, companyNumbers(2), EDITOR);
			await workflow.publish();
			if (restarts) await workflow.restart();
			simulator.clearRequests();
			const ended = workflow.load();
			ended.node.parameters.options = { testEvent };
			ended.workflow.staticData = {};
			await callHook('delete', ended, true);
			await settled(ended);
			expect(methods(simulator)).toEqual([]);
			expect(workflow.state()?.status).toBe('published');
			await workflow.tick();
			expect(methods(simulator)).toEqual(restarts ? [] : ['GET']);
		},
	);

	it('leaves the published workflow alone when a test cannot start', async () => {
		const workflow = watch(simulator, companyNumbers(2));
		await workflow.publish();
		const published = simulator.webhooks();
		const { parameters } = workflow.setup;
		workflow.setup.parameters = watching([]);
		expect(await failureOf(workflow.listen())).toContain('No company is chosen');
		expect(simulator.webhooks()).toEqual(published);

		workflow.setup.parameters = parameters;
		simulator.fault({ method: 'POST', nth: 2, action: { status: 402 } });
		expect(await failureOf(workflow.listen())).toContain('plan does not cover');
		expect(active(simulator)).toEqual(published);
		// What it has made is used by the next.
		await (await workflow.listen()).stop();
		expect(ofKind('webhook-test')).toHaveLength(2);
	});

	it('leaves the published workflow alone when a test is cancelled while it starts', async () => {
		const workflow = watch(simulator, companyNumbers(15));
		await workflow.publish();
		const published = simulator.webhooks();
		simulator.latencyMs = 200;
		const listening = workflow.listen();
		await new Promise((resolve) => setTimeout(resolve, 300));
		// n8n has registered the test already, without static data.
		const cancelled = workflow.load();
		cancelled.workflow.staticData = {};
		await callHook('delete', cancelled, true);
		await listening;
		await settled(cancelled);
		expect(active(simulator)).toEqual(published);
	});

	it('that ends while the workflow is being published does not stop that', async () => {
		const workflow = watch(simulator, companyNumbers(15), EDITOR);
		simulator.latencyMs = 60;
		const publish = workflow.publish();
		await received(simulator, 5);
		const ended = workflow.load();
		ended.workflow.staticData = {};
		await callHook('delete', ended, true);
		await publish;
		expect(active(simulator)).toHaveLength(15);
	});

	it('is paused too where a sample event is shown meanwhile, which takes its place in n8n', async () => {
		const workflow = watch(simulator, companyNumbers(3));
		await (await workflow.listen()).stop();
		// One of the three stays paused.
		workflow.setup.parameters = watching(companyNumbers(2));
		await workflow.listen();
		expect(active(simulator)).toHaveLength(2);
		const sample = workflow.load();
		await callHook('delete', sample, true);
		await settled(sample);
		expect(simulator.webhooks()).toHaveLength(3);
		expect(active(simulator)).toEqual([]);
	});
});
