// n8n begins anew, was killed or stopped: nothing is made worse, nothing is lost that was stored, and the work goes on.
import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';
import { differenceBy, uniqBy } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import { startSimulator, type StoredWebhook } from '../../simulator';
import { active, methods, refuse, serviceForEachTest, watched } from '../../support/atService';
import { LiveN8n, n8nForEachTest } from '../../support/liveN8n';
import { keeperIn } from '../../support/loadedTriggers';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

jest.setTimeout(120_000);

const COMPANIES = companyNumbers(5);
/** As many as are at stake when n8n is killed, beside those that are under way. */
const AT_STAKE = 100 + 2 * 10;

const start = n8nForEachTest();
const simulator = serviceForEachTest();

describe('a start', () => {
	let workflow: SavedWorkflow;
	let before: Record<string, string>;

	beforeEach(async () => {
		setTimes({ longestPause: 60 });
		workflow = watch(simulator, COMPANIES);
		await workflow.publish();
		before = workflow.statuses();
		simulator.clearRequests();
	});

	const MODES = ['init', 'leadershipChange', 'update'] as const;
	const failing = { parameters: watching(['={{ nothing( }}']) };

	it.each<[string, () => void, RegExp | undefined]>([
		['where all is right', () => undefined, undefined],
		[
			'while the service is down',
			() => simulator.fault({ times: Infinity, action: { status: 503 } }),
			/HTTP 503/,
		],
		[
			'with a revoked key',
			() => simulator.revokeApiKey(simulator.apiKey),
			/did not accept the API key/,
		],
		[
			'with a credential that cannot be read',
			() => (workflow.setup.credentials = {}),
			/credential/,
		],
		[
			'with an expression that fails',
			() => Object.assign(workflow.setup, failing),
			/5 companies of before stay watched/,
		],
		[
			'under another address',
			() => (workflow.setup.webhookBaseUrl = 'https://elsewhere.example.com/webhook'),
			/'Address Changed'/,
		],
	])(
		'%s throws and writes nothing, keeps what is stored, and tells what a person has to know once',
		async (_what, prepare, words) => {
			prepare();
			const webhooks = simulator.webhooks();
			// A kill in the middle of a publish is followed by a start in the mode of a change.
			for (const mode of MODES) await workflow.start(mode);
			expect(simulator.webhooks()).toEqual(webhooks);
			expect(methods(simulator).filter((method) => method !== 'GET')).toEqual([]);
			expect(workflow.statuses()).toEqual(before);
			expect(workflow.told).toEqual(words ? [expect.stringMatching(words)] : []);
		},
	);

	it('answers at once, and checks behind that', async () => {
		simulator.latencyMs = 1500;
		await workflow.restart();
		const began = performance.now();
		await workflow.register(workflow.load(), 'init');
		expect(performance.now() - began).toBeLessThan(1000);
		simulator.latencyMs = 0;
		await workflow.idle();
		expect(methods(simulator)).toEqual(['GET']);
	});

	it('with another version takes in what that adds, and takes nobody out', async () => {
		await workflow.takeDown();
		workflow.setup.parameters = watching(companyNumbers(8).slice(3));
		await workflow.publish(workflow.load(), 'init');
		expect(watched(simulator)).toEqual(companyNumbers(8));
		await workflow.change();
		expect(watched(simulator)).toEqual(companyNumbers(8).slice(3));
	});

	it('of a trigger that was never published to its end, or was unpublished, makes nothing', async () => {
		const failed = watch(simulator, companyNumbers(9).slice(7));
		simulator.fault({ method: 'POST', nth: 2, action: { status: 402 } });
		await expect(failed.publish()).rejects.toThrow('plan');
		await failed.restart();
		expect(failed.state()?.status).not.toBe('published');
		await workflow.unpublish();
		await workflow.restart();
		expect(workflow.state()?.status).toBe('unpublished');
		expect(active(simulator)).toEqual([]);
	});
});

/** What the service holds whose secret n8n's database lacks. */
const notKept = (n8n: LiveN8n) => differenceBy(n8n.webhooks, n8n.kept, 'id');
const untilMade = async (count: number) =>
	await waitFor(`${count} webhooks`, () => simulator.webhooks().length >= count, { everyMs: 10 });

describe('while a publish goes on', () => {
	it('behind the answer, at most a hundred webhooks are not stored, also for another process, as in queue mode', async () => {
		setTimes({ answer: 1500 });
		simulator.latencyMs = 300;
		const n8n = await start(simulator, companyNumbers(280));
		await n8n.receiveElsewhere();
		expect(await n8n.answer()).toBe('');
		expect(simulator.webhooks().length).toBeLessThan(100);
		let worst = 0;
		for (; active(simulator).length < 280; await sleep(20)) {
			worst = Math.max(worst, notKept(n8n).length);
		}
		expect(worst).toBeLessThanOrEqual(AT_STAKE);
		await n8n.idle();
		expect(n8n.kept).toHaveLength(280);
		expect(await n8n.deliverAll(companyNumbers(280).slice(0, 40))).toEqual({ 200: 40 });
		// For every hundred, and not for each.
		expect(n8n.stores).toBeLessThan(6);
		expect(n8n.executions.filter(({ error }) => error)).toEqual([]);
	});

	it.each([
		['before the answer', { answer: 60_000, storeBefore: 500 }],
		['behind it', { answer: 2000, storeBehind: 500 }],
	])('%s, nothing is older than the longest time between two stores', async (_when, times) => {
		setTimes(times);
		simulator.latencyMs = 400;
		// The first hundred, after which it is stored whatever the time, take four seconds.
		const n8n = await start(simulator, companyNumbers(150));
		const publish = n8n.answer();
		const firstSeen: Record<string, number> = {};
		const ageOf = ({ id }: StoredWebhook) => Date.now() - (firstSeen[id] ??= Date.now());
		let oldest = 0;
		for (; active(simulator).length < 150; await sleep(20)) {
			oldest = Math.max(oldest, ...notKept(n8n).map(ageOf));
		}
		expect(await publish).toBe('');
		expect(oldest).toBeLessThan(500 + 2500);
	});
});

describe('n8n that ends in the middle of a publish', () => {
	/** So many webhooks were made. */
	async function endedAt(count: number, answer: number, end: 'kill' | 'stop'): Promise<LiveN8n> {
		setTimes({ answer, takeOver: 2000 });
		simulator.latencyMs = 200;
		const n8n = await start(simulator, companyNumbers(250));
		n8n.answer().catch(() => undefined);
		await untilMade(count);
		await n8n[end]();
		await sleep(400);
		simulator.latencyMs = 0;
		return n8n;
	}

	it.each([
		['behind the answer', 1500, 'init'],
		['before it', 60_000, 'init'],
		['before it, and is set up as a change', 60_000, 'update'],
	] as const)(
		'%s by a kill: goes on by itself, doubles at most what was not stored, and says so once',
		async (_when, answer, mode) => {
			const n8n = await endedAt(180, answer, 'kill');
			const lost = notKept(n8n);
			const { kept } = n8n;
			expect(lost.length).toBeLessThanOrEqual(AT_STAKE);
			await n8n.boot(mode);
			await n8n.idle();
			expect(n8n.kept.map(({ company_number }) => company_number).sort()).toEqual(
				companyNumbers(250),
			);
			expect(n8n.kept).toEqual(expect.arrayContaining(kept));
			expect(simulator.webhooks()).toHaveLength(250 + lost.length);
			expect(n8n.told).toEqual([expect.stringMatching(/n8n was stopped while it set these/)]);
			for (const one of n8n.kept.slice(-20)) expect(await n8n.deliverTo(one)).toBe(200);
			await n8n.tick();
			await n8n.boot();
			await n8n.idle();
			expect(n8n.told).toHaveLength(1);
		},
	);

	it('behind the answer by a SIGTERM: loses nothing, goes on, and tells nothing, though others watch some of them', async () => {
		await watch(simulator, companyNumbers(15)).publish();
		const n8n = await endedAt(15 + 100, 1500, 'stop');
		expect(notKept(n8n)).toEqual([]);
		await n8n.boot();
		await n8n.idle();
		const companies = n8n.webhooks.map(({ company_number }) => company_number);
		expect(companies.sort()).toEqual(companyNumbers(250));
		expect(n8n.told).toEqual([]);
	});

	it('while it changed a list: those of before stay watched', async () => {
		const n8n = await start(simulator, companyNumbers(50));
		expect(await n8n.answer()).toBe('');
		simulator.latencyMs = 100;
		const parameters = watching(companyNumbers(150).slice(25));
		n8n.answer({ parameters }).catch(() => undefined);
		await untilMade(90);
		n8n.kill();
		await sleep(200);
		await n8n.boot('update');
		for (const company of companyNumbers(50).slice(25)) {
			expect(await n8n.deliver(company)).toBe(200);
		}
		await n8n.idle();
		expect(watched(simulator)).toEqual(expect.arrayContaining(companyNumbers(150).slice(25)));
	});
});

it('n8n that is stopped before the service has answered a create names the company', async () => {
	setTimes({ answer: 100 });
	const workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.fault({ method: 'POST', action: 'trickle' });
	await workflow.submit({ parameters: watching(companyNumbers(6)) });
	await untilMade(6);
	await workflow.stop();
	await workflow.start();
	expect(workflow.told).toEqual([
		expect.stringMatching(/n8n was stopped.*: wh_\w+ \(10000006\)\.$/),
	]);
});

describe('n8n that is killed', () => {
	let workflow: SavedWorkflow;

	beforeEach(async () => {
		setTimes({ longestPause: 60 });
		workflow = watch(simulator, COMPANIES);
		await workflow.publish();
	});

	/** Once so many webhooks are there. */
	async function killedAt(count: number, begin: () => Promise<void>): Promise<void> {
		simulator.latencyMs = 100;
		begin().catch(() => undefined);
		await untilMade(count);
		workflow.kill();
		await sleep(200);
		simulator.latencyMs = 0;
	}

	it('and finds the service down before all is made once more: names all of these companies in the end', async () => {
		setTimes({ longestPause: 60, untilTold: 60_000 });
		await killedAt(60, async () => {
			await workflow.submit({ parameters: watching(companyNumbers(80)) });
		});
		const stored = Object.keys(workflow.statuses());
		const made = simulator.webhooks().map(({ company_number }) => company_number);
		const lost = made.filter((company) => !stored.includes(company)).sort();
		simulator.fault({ method: 'POST', nth: 60, times: Infinity, action: { status: 503 } });
		await workflow.start();
		expect(workflow.told).toEqual([]);
		simulator.clearFaults();
		await workflow.tick();
		expect(workflow.told).toEqual([expect.stringMatching(/n8n was stopped while it set these/)]);
		expect(lost.length).toBeGreaterThan(20);
		// Each once: there are no further words about their second webhooks.
		const [, named] = / of the Company Registry node: (.*)\.$/.exec(workflow.told[0]) ?? [];
		const webhookOf = (company: string) =>
			simulator.webhooks().find(({ company_number }) => company_number === company)?.id;
		expect(named).toBe(lost.map((company) => `${webhookOf(company)} (${company})`).join(', '));
	});

	it('while a check makes many webhooks: all are watched after the start', async () => {
		simulator.fault({ method: 'POST', times: Infinity, action: { status: 503 } });
		await workflow.change({ parameters: watching(companyNumbers(60)) });
		simulator.clearFaults();
		await killedAt(40, async () => await workflow.tick());
		await workflow.start();
		expect(Object.keys(workflow.statuses())).toEqual(companyNumbers(60));
		expect(new Set(Object.values(workflow.statuses()))).toEqual(new Set(['watched']));
	});

	it('between the two halves of a change, and finds the service down: stays published, and goes on', async () => {
		await workflow.takeDown();
		expect(workflow.state()?.status).toBe('unpublished');
		workflow.setup.parameters = watching(companyNumbers(6));
		simulator.fault({ times: Infinity, action: { status: 503 } });
		await workflow.start('update');
		simulator.clearFaults();
		await workflow.tick();
		expect(watched(simulator)).toEqual(companyNumbers(6));
		expect(simulator.webhooks()).toHaveLength(6);
	});

	it('while it publishes a list with a refused company: what others watch later is asked about as ever', async () => {
		refuse(simulator, ['10000030']);
		const parameters = watching(companyNumbers(30));
		await killedAt(10, async () => await workflow.submit({ parameters }));
		await workflow.start();
		const others = companyNumbers(60).slice(30);
		await watch(simulator, others).publish();
		const before = simulator.webhooks().length;
		await workflow.change({ parameters: watching(companyNumbers(60)) });
		expect(simulator.webhooks()).toHaveLength(before);
		expect(workflow.told.at(-1)).toMatch(/30 companies have an active webhook in this account/);
	});
});

describe('a package that was updated meanwhile', () => {
	it('and pauses what has been published since has it resumed by the next check, which tells', async () => {
		// Longer than it takes to load another copy of the code.
		setTimes({ beforePausing: 4000 });
		const n8n = await start(simulator, COMPANIES);
		await n8n.answer();
		await n8n.takeDown();
		await n8n.updatePackage();
		expect(await n8n.answer()).toBe('');
		await waitFor('the pauses', () => active(simulator).length === 0);
		await n8n.tick();
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(n8n.told).toEqual([expect.stringMatching(/^Events may be missing: 5 webhooks/)]);
		expect(await n8n.deliverAll(COMPANIES)).toEqual({ 200: 5 });
	});

	it('while work went on doubles no more than a kill', async () => {
		setTimes({ answer: 700 });
		simulator.latencyMs = 100;
		const n8n = await start(simulator, companyNumbers(150));
		expect(await n8n.answer()).toBe('');
		await n8n.updatePackage();
		expect(await n8n.watch(companyNumbers(151))).toBe('');
		await n8n.idle();
		simulator.latencyMs = 0;
		await n8n.untilQuiet();
		expect(new Set(watched(simulator)).size).toBe(151);
		expect(simulator.webhooks().length).toBeLessThanOrEqual(151 + AT_STAKE);
		expect(await n8n.deliverAll(companyNumbers(151).slice(-40))).toEqual({ 200: 40 });
	});
});

describe('any sequence of publishes, unpublishes, kills, restarts and changes at the service', () => {
	const step = fc.record({
		kind: fc.constantFrom(
			'publish',
			'publish',
			'unpublish',
			'kill',
			'stop',
			'update',
			'drift',
			'tick',
		),
		companies: fc.integer({ min: 1, max: 25 }),
		events: fc.constantFrom<string[][]>(['filing.new'], ['psc.added', 'filing.new']),
		then: fc.integer({ min: 0, max: 700 }),
	});

	it('loses at kills and updates alone what was not stored, doubles nothing else, and ends as the last one wants it', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
				setTimes({ answer: 250, storeBehind: 100, beforePausing: 200 });
				const service = await startSimulator({ latencyMs: 30 });
				const n8n = await LiveN8n.begin(service, companyNumbers(1));
				const atStake: Array<() => Array<{ id: string }>> = [];
				let publishing: Promise<unknown> = Promise.resolve();
				let wanted: string[] = [];
				let wantedEvents = ['filing.new'];
				try {
					for (const { kind, companies, events, then } of steps) {
						if (kind === 'publish') {
							wanted = companyNumbers(companies);
							wantedEvents = events;
							const publish = n8n.watch(wanted, { events }).catch(() => undefined);
							publishing = Promise.all([publishing, publish]);
							await Promise.race([publish, sleep(then)]);
						} else if (kind === 'unpublish') {
							wanted = [];
							await n8n.takeDown();
						} else if (kind === 'drift') {
							const [one] = service.webhooks();
							if (one) service.restoreWebhook({ ...one, is_active: false });
						} else if (kind === 'tick') {
							await n8n.tick(then * 60_000);
						} else if (kind === 'update') {
							const old = keeperIn(n8n.load());
							await n8n.updatePackage();
							// n8n lets a publish end before it begins another, or an unpublish.
							await publishing;
							// As after a kill: the new copy of the code knows what is stored, and the old one goes on.
							const { kept } = n8n;
							if (old.work) atStake.push(() => differenceBy(old.store.all, kept, 'id'));
						} else {
							await n8n[kind]();
							// What was on its way then still arrives.
							await sleep(120);
							const isAnswered = () => service.requests.every(({ status }) => status > 0);
							await waitFor('the service', isAnswered, { everyMs: 50 });
							const lost = notKept(n8n);
							atStake.push(() => lost);
							await n8n.boot();
						}
						await sleep(then / 4);
					}
					// In the end the user publishes or unpublishes once more.
					// A busy machine may set up nothing in so short a time as above.
					setTimes({ answer: 20_000, storeBehind: 100, beforePausing: 200 });
					await n8n.unpublish();
					const last = wanted.length > 0 ? wanted : companyNumbers(1);
					expect(await n8n.watch(last, { events: wantedEvents })).toBe('');
					if (wanted.length === 0) await n8n.unpublish();
					await n8n.idle();
					const lost = differenceBy(
						atStake.flatMap((some) => some()),
						n8n.kept,
						'id',
					);
					const ours = () => differenceBy(service.webhooks(), lost, 'id');
					const own = { webhooks: ours, requests: [] };
					expect(watched(own)).toEqual(wanted);
					expect(n8n.kept.length).toBeGreaterThanOrEqual(ours().length);
					expect(uniqBy(ours(), 'company_number')).toEqual(ours());
					for (const company of wanted) expect(await n8n.deliver(company)).toBe(200);
					for (const { events } of active(own)) expect(events).toEqual(wantedEvents);
				} finally {
					await n8n.close();
					await service.close();
				}
			}),
			{ numRuns: 6, endOnFailure: true },
		);
	});
});
