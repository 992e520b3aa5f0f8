// Publishes and unpublishes of one trigger that overlap.
import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';

import { startSimulator, type Simulator } from '../../simulator';
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

jest.setTimeout(60_000);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, companyNumbers(50));
});
afterEach(async () => {
	await simulator.close();
});

const active = () => simulator.webhooks().filter(({ is_active }) => is_active);
const count = (method: string) =>
	simulator.requests.filter((request) => request.method === method).length;

/** Waits until the service has received so many requests. */
async function received(requests: number): Promise<void> {
	while (simulator.requests.length < requests) await sleep(5);
}

/** Starts a publish on a slow service and returns when it is half-way. */
async function publishHalfWay(setup = workflow.setup): Promise<{ publish: Promise<unknown> }> {
	simulator.latencyMs = 60;
	simulator.clearRequests();
	workflow.setup = setup;
	const publish = workflow.publish();
	// Should it fail, the test says so when it awaits it.
	publish.catch(() => undefined);
	await received(25);
	return { publish };
}

describe('a publish while another one runs', () => {
	it('goes on where that one was: no company twice, no request twice', async () => {
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.publish()]);
		expect(active()).toHaveLength(50);
		expect(simulator.webhooks()).toHaveLength(50);
		expect([count('POST'), count('GET'), count('PATCH')]).toEqual([50, 1, 0]);
	});

	it('has the last word on companies, events and address', async () => {
		const { publish } = await publishHalfWay();
		workflow.setup = {
			...workflow.setup,
			parameters: watching(companyNumbers(60).slice(5), {
				events: ['psc.added'],
				options: { addressChanged: 'move' },
			}),
			webhookBaseUrl: 'https://new.example.com/webhook',
		};
		await Promise.all([publish, workflow.publish()]);
		expect(active()).toHaveLength(55);
		for (const webhook of active()) {
			expect(webhook.events).toEqual(['psc.added']);
			expect(webhook.url).toMatch(/^https:\/\/new\.example\.com\//);
		}
		expect(new Set(simulator.webhooks().map(({ company_number }) => company_number)).size).toBe(
			simulator.webhooks().length,
		);
	});

	it('goes on after one that resumes', async () => {
		await workflow.publish();
		await workflow.unpublish();
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.publish()]);
		expect(active()).toHaveLength(50);
		expect([count('POST'), count('GET'), count('PATCH')]).toEqual([0, 2, 50]);
	});

	it('lets the earlier one succeed that would have failed by itself', async () => {
		simulator.fault({ method: 'POST', nth: 26, action: { status: 402 } });
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.publish()]);
		expect(active()).toHaveLength(50);
		expect(simulator.webhooks()).toHaveLength(50);
	});

	it('lets the earlier one fail with it, and n8n cleans up after both', async () => {
		const { publish } = await publishHalfWay();
		simulator.fault({ method: 'POST', nth: 15, times: Infinity, action: { status: 402 } });
		const results = await Promise.allSettled([publish, workflow.publish()]);
		for (const result of results) {
			expect(result).toMatchObject({
				status: 'rejected',
				reason: { message: /plan does not cover/ },
			});
		}
		expect(active()).toEqual([]);
	});

	it('needs three at once no more requests than one', async () => {
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.publish(), workflow.publish(), workflow.publish()]);
		expect(simulator.webhooks()).toHaveLength(50);
		expect(active()).toHaveLength(50);
		expect(count('POST')).toBe(50);
	});
});

describe('an unpublish while a publish runs', () => {
	it('pauses all that it has set up, and n8n is not told of a failure', async () => {
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.unpublish()]);
		expect(active()).toEqual([]);
		expect(simulator.webhooks().length).toBeLessThan(50);
		expect(await callHook('checkExists', workflow.load())).toBe(false);

		simulator.latencyMs = 0;
		await workflow.publish();
		expect(active()).toHaveLength(50);
		expect(simulator.webhooks()).toHaveLength(50);
	});

	it('pauses what was resumed too, although what n8n has stored is older', async () => {
		await workflow.publish();
		await workflow.change({ parameters: watching(companyNumbers(10)) });
		workflow.setup.nodeType = await afterRestart();
		const { publish } = await publishHalfWay({
			...workflow.setup,
			parameters: watching(companyNumbers(50)),
		});
		await Promise.all([publish, workflow.unpublish()]);
		expect(active()).toEqual([]);
		expect(simulator.webhooks()).toHaveLength(50);
	});

	it('does not wait with it for a service that asks to come back later', async () => {
		simulator.fault({
			method: 'POST',
			nth: 15,
			action: { status: 429, headers: { 'Retry-After': '30' } },
		});
		const publish = workflow.publish();
		await received(20);
		await sleep(200);
		const asked = Date.now();
		await Promise.all([publish, workflow.unpublish()]);
		expect(Date.now() - asked).toBeLessThan(5000);
		expect(active()).toEqual([]);
	});
});

describe('a publish while an unpublish runs', () => {
	it('makes all active again with the same webhooks', async () => {
		await workflow.publish();
		const before = simulator.webhooks();
		simulator.latencyMs = 60;
		simulator.clearRequests();
		const unpublish = workflow.unpublish();
		await received(25);
		await Promise.all([unpublish, workflow.publish()]);
		expect(simulator.webhooks()).toEqual(before);
		// Not all were paused when it took over.
		expect(count('PATCH')).toBeLessThan(80);
	});
});

describe("n8n's clean-up after a failed publish", () => {
	/** A publish has failed in n8n; its clean-up call has not come yet. */
	async function failed(stored = workflow.load()): Promise<typeof stored> {
		simulator.fault({ method: 'POST', nth: 10, action: { status: 402 } });
		await expect(register(stored)).rejects.toThrow('plan does not cover');
		simulator.clearRequests();
		return stored;
	}

	it.each([
		['n8n 2.40, on the same object', (object: ReturnType<SavedWorkflow['load']>) => object],
		['n8n 1.x, with the copy stored before', () => workflow.load()],
	])('does not disturb a newer publish (%s)', async (_version, cleanUpWith) => {
		const object = cleanUpWith(await failed());
		const { publish } = await publishHalfWay();
		await callHook('delete', object);
		await publish;
		await settled(object);
		expect(active()).toHaveLength(50);
		expect(simulator.webhooks()).toHaveLength(50);
	});

	it.each([
		['n8n 2.40, on the same object', (object: ReturnType<SavedWorkflow['load']>) => object],
		['n8n 1.x, with the copy stored before', () => workflow.load()],
	])(
		'does not undo a newer publish, nor overwrite what n8n stored of it (%s)',
		async (_version, cleanUpWith) => {
			const object = cleanUpWith(await failed());
			await workflow.publish();
			await callHook('delete', object);
			workflow.save(object);
			await settled(object);
			expect(active()).toHaveLength(50);
			workflow.setup.nodeType = await afterRestart();
			expect(await callHook('checkExists', workflow.load())).toBe(true);
		},
	);

	it('comes twice where two publishes failed together', async () => {
		const objects = [workflow.load(), workflow.load()];
		simulator.latencyMs = 40;
		simulator.fault({ method: 'POST', nth: 20, times: Infinity, action: { status: 402 } });
		await Promise.allSettled(objects.map(async (object) => await register(object)));
		simulator.clearFaults();
		await workflow.publish();
		for (const object of objects) await callHook('delete', object);
		expect(active()).toHaveLength(50);

		// The next one is the user's.
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});

	it('has what the failed publish set up paused, once nobody publishes again', async () => {
		const object = await failed();
		expect(active().length).toBeGreaterThanOrEqual(9);
		await callHook('delete', object);
		await settled(object);
		expect(active()).toEqual([]);
	});
});

describe('a publish that n8n has abandoned', () => {
	it('is gone on from by the next attempt, which n8n makes with what was stored before', async () => {
		const { publish } = await publishHalfWay();
		await workflow.publish();
		expect(count('POST')).toBe(50);
		await publish;
		workflow.setup.nodeType = await afterRestart();
		expect(await callHook('checkExists', workflow.load())).toBe(true);
	});

	it('and that ends unseen is used by the next attempt without another request but the list', async () => {
		await register(workflow.load());
		simulator.clearRequests();
		await workflow.publish();
		expect(simulator.requests.map(({ method }) => method)).toEqual(['GET']);
		expect(active()).toHaveLength(50);
	});

	it('and that ends unseen is undone by an unpublish that knows nothing of it', async () => {
		await workflow.publish();
		await workflow.unpublish();
		await register(workflow.load());
		expect(active()).toHaveLength(50);
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});
});

describe('any sequence of runs, one begun while others run', () => {
	const run = fc.record({
		isPublish: fc.boolean(),
		companies: fc.integer({ min: 1, max: 15 }),
		events: fc.constantFrom<string[][]>(['filing.new'], ['psc.added', 'filing.new']),
		pauseBefore: fc.integer({ min: 0, max: 60 }),
	});

	it('ends as the last one wants it, with one webhook for each company', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(run, { minLength: 2, maxLength: 6 }), async (runs) => {
				const service = await startSimulator({ latencyMs: 10 });
				try {
					const subject = watch(service, companyNumbers(1));
					const ends: Array<Promise<unknown>> = [];
					for (const { isPublish, companies, events, pauseBefore } of runs) {
						await sleep(pauseBefore);
						subject.setup.parameters = watching(companyNumbers(companies), { events });
						ends.push(isPublish ? subject.publish() : subject.unpublish());
					}
					await Promise.all(ends);

					const last = runs[runs.length - 1];
					const webhooks = service.webhooks();
					const wanted = last.isPublish ? companyNumbers(last.companies) : [];
					const activeNow = webhooks.filter(({ is_active }) => is_active);
					expect(activeNow.map(({ company_number }) => company_number).sort()).toEqual(wanted);
					expect(new Set(webhooks.map(({ company_number }) => company_number)).size).toBe(
						webhooks.length,
					);
					for (const webhook of activeNow)
						expect([...webhook.events].sort()).toEqual([...last.events].sort());

					subject.setup.nodeType = await afterRestart();
					expect(await callHook('checkExists', subject.load())).toBe(last.isPublish);
				} finally {
					await service.close();
				}
			}),
			{ numRuns: 12 },
		);
	});
});
