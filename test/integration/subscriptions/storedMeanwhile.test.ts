// What is set up behind n8n's answer is stored by messages that n8n sends to itself. Little is lost when it is killed.
import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';
import { differenceBy, uniqBy } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import { startSimulator, type StoredWebhook } from '../../simulator';
import { active, counts, serviceForEachTest, watched } from '../../support/atService';
import {
	LiveN8n,
	n8nForEachTest,
	overlapping,
	passTime,
	shortenWaits,
	type Reach,
} from '../../support/liveN8n';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(120_000);

/** As many as are at stake when n8n is killed, beside those that are under way. */
const AT_STAKE = 100;
const UNDER_WAY = 10;
/** Nobody can be at work any more, even in another process. */
const SURELY_STOPPED = 180_000;

const start = n8nForEachTest();
const simulator = serviceForEachTest();

/** The worst that is measured until then. */
async function worstUntil(isOver: () => boolean, measure: () => number): Promise<number> {
	let worst = 0;
	for (; !isOver(); await sleep(20)) worst = Math.max(worst, measure());
	return worst;
}

/** What the service holds whose secret n8n's database lacks. */
const notKept = (n8n: LiveN8n) => differenceBy(n8n.webhooks, n8n.kept, 'id');

const untilMade = async (count: number) =>
	await waitFor(`${count} webhooks`, () => simulator.webhooks().length >= count, { everyMs: 10 });

describe('while a publish goes on behind the answer', () => {
	it('at most a hundred webhooks are not stored, also by another process, as in queue mode', async () => {
		shortenWaits({ answer: 1500, store: 60_000 });
		// Slow enough for a busy machine to store in time.
		simulator.latencyMs = 300;
		const n8n = await start(simulator, companyNumbers(280));
		await n8n.receiveElsewhere();
		expect(await n8n.publish()).toBe('');
		expect(simulator.webhooks().length).toBeLessThan(100);
		const areAllMade = () => active(simulator).length === 280;
		const atStake = await worstUntil(areAllMade, () => notKept(n8n).length);
		expect(atStake).toBeLessThanOrEqual(AT_STAKE + 2 * UNDER_WAY);
		await waitFor('all to be stored', () => n8n.kept.length === 280);
		expect(await n8n.deliverAll(companyNumbers(280).slice(0, 40))).toEqual({ 200: 40 });
		expect(overlapping(n8n.ownRequests)).toBe(0);
		// n8n answers each message by itself, so that it saves before it does.
		expect(n8n.savedTooLate).toBe(0);
		// A store for every few webhooks, and not for each.
		expect(n8n.ownRequests.length).toBeLessThan(20);
	});

	it('nothing is older than the longest time between two stores, however slow it is', async () => {
		shortenWaits({ answer: 800, store: 500 });
		simulator.rateLimit({ requests: 10, perMs: 1000, retryAfter: 'none' });
		const n8n = await start(simulator, companyNumbers(50));
		expect(await n8n.publish()).toBe('');
		expect(active(simulator).length).toBeLessThan(50);
		const firstSeen: Record<string, number> = {};
		const ageOf = ({ id }: StoredWebhook) => Date.now() - (firstSeen[id] ??= Date.now());
		const areAllMade = () => active(simulator).length === 50;
		const oldest = await worstUntil(areAllMade, () => Math.max(...notKept(n8n).map(ageOf)));
		expect(oldest).toBeLessThan(500 + 1000);
		expect(n8n.savedTooLate).toBe(0);
	});
});

describe('where n8n cannot reach itself', () => {
	it.each<Reach>(['refused', 'elsewhere'])(
		'(%s) nothing is made that could not be stored, and the next publish does the rest',
		async (reach) => {
			shortenWaits({ answer: 1300 });
			simulator.latencyMs = 300;
			const n8n = await start(simulator, companyNumbers(60));
			n8n.itself = reach;
			expect(await n8n.publish()).toBe('');
			await sleep(500);
			const made = simulator.webhooks().length;
			await sleep(1500);
			expect(simulator.webhooks()).toHaveLength(made);
			expect(made).toBeGreaterThan(0);
			expect(made).toBeLessThan(60);
			expect(n8n.kept).toHaveLength(made);
			expect(active(simulator)).toHaveLength(made);
			expect(await n8n.deliverAll(watched(simulator))).toEqual({ 200: made });
			await waitFor('the log', () => n8n.log.length > 0, { timeoutMs: 20_000 });
			const log = n8n.log.join('\n');
			expect(log).toMatch(/cannot reach|could not reach|does not reach/);
			expect(log).toMatch(new RegExp(`\\b(${made}|${60 - made})\\b`));
			expect(log).toMatch(/publish/i);

			simulator.latencyMs = 0;
			await n8n.boot();
			expect(await n8n.publishAgain()).toBe('');
			expect(watched(simulator)).toEqual(companyNumbers(60));
			expect(simulator.webhooks()).toHaveLength(60);
			expect(n8n.kept).toHaveLength(60);
		},
	);
});

describe('n8n that is killed in the middle', () => {
	/** A sender sends what was answered 500 again. */
	const retried = { retries: 3, maxRetryWaitMs: 100 };

	/** The database and the service, once n8n was killed with so many webhooks made, and started anew. */
	async function killedAt(count: number, { answer }: { answer: number }): Promise<LiveN8n> {
		shortenWaits({ answer });
		simulator.latencyMs = 300;
		const n8n = await start(simulator, companyNumbers(250));
		const publish = n8n.publish();
		publish.catch(() => undefined);
		await untilMade(count);
		n8n.kill();
		await sleep(400);
		simulator.latencyMs = 0;
		await n8n.boot();
		passTime(SURELY_STOPPED);
		return n8n;
	}

	it.each([
		['behind the answer', 1500],
		['before it', 60_000],
	])(
		'%s loses at most the last hundred, and the first delivery shows in a failed execution how much is left',
		async (_when, answer) => {
			const n8n = await killedAt(180, { answer });
			const made = simulator.webhooks().length;
			const { length: kept } = n8n.kept;
			expect(made - kept).toBeLessThanOrEqual(AT_STAKE + 2 * UNDER_WAY);

			const [first, ...others] = n8n.kept;
			expect(await n8n.deliverTo(first, retried)).toBe(200);
			const [told] = await n8n.untilTold();
			expect(told).toMatch(new RegExp(`\\b(${250 - kept}|${kept} of 250)\\b`));
			expect(told).toMatch(/publish/i);
			for (const one of others.slice(0, 20)) expect(await n8n.deliverTo(one, retried)).toBe(200);
			// Once.
			expect(n8n.told).toHaveLength(1);
			expect(n8n.executions.filter(({ items }) => items.length > 0)).toHaveLength(21);

			// Publishing again does the rest. Webhooks that were stored are used.
			const before = new Set(n8n.kept.map(({ id }) => id));
			await n8n.unpublish();
			expect(await n8n.publish()).toBe('');
			expect(simulator.webhooks()).toHaveLength(made + 250 - kept);
			const ours = n8n.kept;
			expect(ours.filter(({ id }) => before.has(id))).toHaveLength(kept);
			expect(new Set(ours.map(({ company_number }) => company_number)).size).toBe(250);
			expect(await n8n.deliverAll(companyNumbers(250).slice(0, 40))).toEqual({ 200: 40 });
		},
	);

	it('while it changed a list leaves those of before watched', async () => {
		const n8n = await start(simulator, companyNumbers(50));
		expect(await n8n.publish()).toBe('');
		simulator.latencyMs = 100;
		shortenWaits({ answer: 60_000 });
		const change = n8n.watch(companyNumbers(150));
		change.catch(() => undefined);
		await untilMade(100);
		n8n.kill();
		await n8n.boot();
		await sleep(1000);
		passTime(SURELY_STOPPED);
		expect(active(simulator).length).toBeGreaterThanOrEqual(100);
		for (const company of companyNumbers(50)) {
			expect(await n8n.deliver(company, retried)).toBe(200);
		}
		expect(n8n.told).toHaveLength(1);
	});
});

it('a planned pause of a package that was updated meanwhile, and has published since, pauses nothing', async () => {
	shortenWaits({ beforePausing: 2500 });
	const n8n = await start(simulator, companyNumbers(8));
	expect(await n8n.publish()).toBe('');
	await n8n.unpublish();
	await n8n.updatePackage();
	expect(await n8n.publish()).toBe('');
	simulator.clearRequests();
	await sleep(4000);
	expect(counts(simulator)).toEqual({});
	expect(watched(simulator)).toEqual(companyNumbers(8));
	expect(await n8n.deliverAll(companyNumbers(8))).toEqual({ 200: 8 });
});

describe('any sequence of publishes, unpublishes, kills and ways to itself', () => {
	const step = fc.record({
		kind: fc.constantFrom('publish', 'publish', 'unpublish', 'kill'),
		companies: fc.integer({ min: 1, max: 25 }),
		events: fc.constantFrom<string[][]>(['filing.new'], ['psc.added', 'filing.new']),
		then: fc.integer({ min: 0, max: 700 }),
		itself: fc.constantFrom<Reach>('reached', 'reached', 'refused', 'answersLost'),
	});

	it('loses at the kills alone what was not stored, doubles nothing else, and ends as the last one wants it', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
				shortenWaits({ answer: 250, store: 100, patience: 1500, beforePausing: 200 });
				const service = await startSimulator({ latencyMs: 50 });
				const n8n = await LiveN8n.start(service, companyNumbers(1));
				const atStake: StoredWebhook[] = [];
				let wanted: string[] = [];
				let wantedEvents = ['filing.new'];
				try {
					for (const { kind, companies, events, then, itself } of steps) {
						n8n.itself = itself;
						if (kind === 'publish') {
							wanted = companyNumbers(companies);
							wantedEvents = events;
							const publish = n8n.watch(wanted, { events });
							await Promise.race([publish.catch(() => undefined), sleep(then)]);
						} else if (kind === 'unpublish') {
							wanted = [];
							await n8n.unpublish();
						} else {
							n8n.kill();
							// What was on its way then still arrives.
							await sleep(120);
							const isAnswered = () => service.requests.every(({ status }) => status > 0);
							await waitFor('the service', isAnswered, { everyMs: 50 });
							atStake.push(...notKept(n8n));
							await n8n.boot();
						}
						await sleep(then / 4);
					}
					// In the end it reaches itself, and the user publishes or unpublishes once more.
					n8n.itself = 'reached';
					shortenWaits({ beforePausing: 200 });
					await n8n.unpublish();
					const last = wanted.length > 0 ? wanted : companyNumbers(1);
					expect(await n8n.watch(last, { events: wantedEvents })).toBe('');
					if (wanted.length === 0) await n8n.unpublish();
					const ours = () => differenceBy(service.webhooks(), atStake, 'id');
					const own = { webhooks: ours, requests: [] };
					const isDone = () => String(watched(own)) === String(wanted);
					await waitFor('the wanted state', isDone, { timeoutMs: 15_000, everyMs: 50 });
					await waitFor('all to be stored', () => n8n.kept.length >= ours().length, {
						timeoutMs: 5000,
						everyMs: 50,
					});
					expect(uniqBy(ours(), 'company_number')).toEqual(ours());
					for (const company of wanted) {
						expect(await n8n.deliver(company, { retries: 2, maxRetryWaitMs: 50 })).toBe(200);
					}
					for (const { events } of active(own)) expect(events).toEqual(wantedEvents);
					expect(n8n.savedTooLate).toBe(0);
				} finally {
					await n8n.close();
					await service.close();
				}
			}),
			{ numRuns: 6, endOnFailure: true },
		);
	});
});
