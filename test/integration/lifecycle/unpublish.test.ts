// An unpublish returns at once. The webhooks are paused a little later, and the log names those that stay active.
import type { FaultAction } from '../../simulator';
import { serviceForEachTest } from '../../support/atService';
import { settled } from '../../support/loadedTriggers';
import { captureLog, warnings } from '../../support/logCapture';
import { callHook, companyNumbers, watch, watching } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(15);
const LEFT = 'may stay active: ';

const simulator = serviceForEachTest();
let workflow: ReturnType<typeof watch>;
let logged: () => string[];

beforeEach(async () => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
	logged = warnings(workflow);
});

const named = () => simulator.active().map(({ id, company_number }) => `${id} (${company_number})`);

describe('an unpublish', () => {
	it('returns at once and stores that, then lists and pauses each webhook by one request', async () => {
		const before = workflow.state();
		const loaded = workflow.load();
		await workflow.takeDown(loaded);
		expect(simulator.requests).toEqual([]);
		expect(workflow.state()).toMatchObject({
			facts: { phase: 'unpublished', takenDownAt: expect.any(Number) },
			blocks: before?.blocks,
		});
		await settled(loaded);
		const [list, ...pauses] = simulator.requests;
		expect(list.method).toBe('GET');
		expect(pauses.map(({ body }) => body)).toEqual(COMPANIES.map(() => ({ is_active: false })));
		expect([simulator.active(), logged(), loaded.credentials.reads]).toEqual([[], [], 1]);
	});

	it('pauses each webhook although n8n closes the activation last', async () => {
		const loaded = workflow.load();
		await callHook('delete', loaded, false);
		await workflow.closeFirst();
		await settled(loaded);
		expect([simulator.active(), logged()]).toEqual([[], []]);
	});

	it('of a trigger that was never published sends, logs and stores nothing', async () => {
		const never = watch(simulator, COMPANIES);
		const loaded = never.load();
		await never.unpublish(loaded);
		expect([simulator.requests, logged(), never.staticData]).toEqual([[], [], {}]);
		expect(loaded.credentials.reads).toBe(0);
	});

	it('works in a process that has not called the trigger before, and cannot read its parameters', async () => {
		await workflow.restart();
		const options = { addressChanged: '={{ nothing( }}' };
		workflow.setup.parameters = watching(['not a number'], { events: [], options });
		await workflow.unpublish();
		expect([simulator.watched(), logged()]).toEqual([[], []]);
	});
});

describe('a pause that fails', () => {
	it.each<[string, FaultAction, number]>([
		['409 of more than are sent at once', { status: 409 }, 12],
		['an answer that shows it active', { status: 200, body: { data: { is_active: true } } }, 3],
	])('with %s leaves that active, and is logged and tried again', async (_case, action, count) => {
		const failing = simulator.webhooks().slice(0, count);
		for (const { id } of failing) {
			simulator.fault({ method: 'PATCH', path: RegExp(id), times: Infinity, action });
		}
		await workflow.unpublish();
		expect(simulator.active()).toEqual(failing);
		expect(logged()).toEqual([expect.stringContaining(LEFT)]);
		expect(logged()[0].match(/wh_/g)).toHaveLength(count);
		for (const one of named()) expect(logged()[0]).toContain(one);

		// The next unpublish pauses only those.
		simulator.clearFaults();
		simulator.clearRequests();
		await workflow.unpublish();
		expect([simulator.active(), simulator.counts()]).toEqual([[], { GET: 1, PATCH: count }]);
	});

	it.each<[string, number, FaultAction]>([
		['the service is down', 15, { status: 503 }],
		['the service asks to wait', 10, { status: 429, headers: { 'Retry-After': '0.2' } }],
	])('is tried again where %s for a while', async (_what, times, action) => {
		simulator.fault({ method: 'PATCH', times, action });
		await workflow.unpublish();
		expect([simulator.active(), logged()]).toEqual([[], []]);
	});

	it('is tried four times in all, and a service that refuses everything gets few requests', async () => {
		await workflow.change({ parameters: watching(companyNumbers(60)) });
		simulator.clearRequests();
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		await workflow.unpublish();
		expect(simulator.counts().GET).toBe(4);
		expect(simulator.counts().PATCH).toBeLessThanOrEqual(4 * 20);
		expect(logged()).toHaveLength(1);
		expect(logged()[0].match(/wh_/g)).toHaveLength(60);
	});

	it('with a refused key is logged without any key or secret', async () => {
		const lines = captureLog(workflow.load());
		simulator.revokeApiKey(simulator.apiKey);
		await workflow.unpublish();
		expect(lines.join('\n')).toContain('did not accept the API key');
		expect(lines.join('\n')).not.toContain(simulator.apiKey);
		for (const { secret } of simulator.webhooks()) expect(lines.join('\n')).not.toContain(secret);
		expect(simulator.watched()).toEqual(COMPANIES);
	});
});

describe('an unpublish with another credential', () => {
	const withKey = (apiKey: string) => {
		workflow.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
	};

	it('of the same account pauses with the new key', async () => {
		withKey(simulator.addApiKey());
		simulator.revokeApiKey(simulator.apiKey);
		await workflow.unpublish();
		expect([simulator.active(), logged()]).toEqual([[], []]);
	});

	it.each<[string, () => unknown, string]>([
		['of another account', () => withKey(simulator.addAccount().apiKey), LEFT],
		['that cannot be read', () => (workflow.setup.credentials = {}), `${LEFT}.*credential`],
	])('%s changes nothing, and logs what stays active', async (_what, change, words) => {
		const before = simulator.webhooks();
		const usable = workflow.setup.credentials;
		change();
		await workflow.unpublish();
		expect(simulator.webhooks()).toEqual(before);
		expect(logged()).toEqual([expect.stringMatching(words)]);
		for (const one of named()) expect(logged()[0]).toContain(one);

		// The next publish uses those.
		workflow.setup.credentials = usable;
		await workflow.publish();
		expect(simulator.webhooks()).toEqual(before);
	});
});

describe('the end of a test in the editor', () => {
	/** n8n calls this at the end of a test, with static data or without. */
	async function endTest(ended: ReturnType<typeof workflow.load>): Promise<void> {
		await callHook('delete', ended, true);
		await settled(ended);
	}

	it.each([true, false])('does not unpublish the workflow (webhook id: %s)', async (hasId) => {
		const parameters = watching(COMPANIES);
		if (!hasId) workflow = watch(simulator, [], { parameters, node: { webhookId: undefined } });
		await workflow.publish();
		const before = simulator.active();
		// As with N8N_EDITOR_BASE_URL beside WEBHOOK_URL.
		workflow.setup.webhookTestBaseUrl = 'https://editor.example.com/webhook-test';
		simulator.clearRequests();
		await endTest(workflow.load({}));
		await endTest(workflow.load());
		expect([simulator.methods(), workflow.state()?.facts.phase]).toEqual([[], 'published']);
		await workflow.start();
		await endTest(workflow.load());
		expect(simulator.active()).toEqual(before);
		simulator.clearRequests();
		await workflow.unpublish();
		expect(simulator.counts()).toMatchObject({ PATCH: 15 });
	});
});
