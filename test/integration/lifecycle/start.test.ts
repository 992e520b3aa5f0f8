// n8n starts, also after it was killed or stopped in the middle of work: nothing gets worse, and the work goes on.
import { setTimeout as sleep } from 'node:timers/promises';

import { difference, map } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import { companiesOf, serviceForEachTest } from '../../support/atService';
import { companyNumbers, held, watch, watching } from '../../support/savedWorkflow';
import { HOUR, passTime, setTimes } from '../../support/times';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(5);
const DOWN = { times: Infinity, action: { status: 503 } };
const MODES = ['init', 'update'] as const;
const UNREADABLE = watching(['={{ nothing( }}']);

const simulator = serviceForEachTest();
let workflow: ReturnType<typeof watch>;

beforeEach(() => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
});

const kept = () => held(simulator, workflow);
const secrets = () => kept().map(({ secret }) => secret);

/** n8n ends while something goes on, once the service has so many webhooks. */
async function endWhile(
	act: () => Promise<unknown>,
	count: number,
	end: 'kill' | 'stop',
): Promise<void> {
	simulator.latencyMs = 60;
	act().catch(() => undefined);
	const isReached = () => simulator.webhooks().length >= count;
	await waitFor(`${count} webhooks`, isReached, { everyMs: 5 });
	await workflow[end]();
	// The service still carries out the requests that were on their way.
	for (let seen = -1; seen !== simulator.webhooks().length; await sleep(300)) {
		seen = simulator.webhooks().length;
	}
	simulator.latencyMs = 0;
}

describe('a start', () => {
	beforeEach(async () => {
		await workflow.publish();
		simulator.clearRequests();
	});

	it.each<[string, () => void, number]>([
		['of a healthy trigger', () => undefined, 0],
		['while the service is down', () => simulator.fault(DOWN), 1],
		['without a credential', () => (workflow.setup.credentials = {}), 1],
		['that cannot be read', () => (workflow.setup.parameters = UNREADABLE), 1],
	])('%s throws nothing, changes nothing, and is reported once', async (_what, prepare, count) => {
		const before = [simulator.webhooks(), workflow.statuses(), secrets()];
		prepare();
		for (const mode of MODES) {
			await workflow.stop();
			await workflow.start(mode);
			// In a process that runs on, it is a start as well.
			await workflow.publish(workflow.load(), mode);
		}
		await workflow.later();
		expect(simulator.methods().filter((method) => method !== 'GET')).toEqual([]);
		expect([simulator.webhooks(), workflow.statuses(), secrets()]).toEqual(before);
		expect(workflow.told).toHaveLength(count);
	});

	it('returns at once, and checks after that', async () => {
		simulator.latencyMs = 1500;
		await workflow.restart();
		const began = performance.now();
		await workflow.register(workflow.load(), 'init');
		expect(performance.now() - began).toBeLessThan(1000);
		simulator.latencyMs = 0;
		await workflow.idle();
		expect(simulator.methods()).toEqual(['GET']);
	});

	it('whose first activation n8n closes late goes on with its check, and with later ones', async () => {
		await workflow.publish(workflow.load(), 'update');
		simulator.drift({ is_active: false }, ['10000001']);
		simulator.clearRequests();
		simulator.latencyMs = 150;
		const check = workflow.later();
		await simulator.received(1);
		await workflow.closeFirst();
		await check;
		expect(simulator.methods()).toEqual(['GET', 'PATCH']);
		await workflow.later();
		expect(simulator.methods()).toEqual(['GET', 'PATCH', 'GET']);
	});
});

describe('n8n that is killed', () => {
	/** Each company is watched with a secret that is held; what was lost is named once. */
	async function expectHealed(companies: string[], lost: string[]): Promise<void> {
		expect([...new Set(companiesOf(kept().filter((one) => one.is_active)))]).toEqual(companies);
		expect(new Set(Object.values(workflow.statuses()))).not.toContain('unsure');
		expect(simulator.webhooks().length).toBe(companies.length + lost.length);
		expect(lost.length).toBeGreaterThan(0);
		for (const id of lost) expect(workflow.told).toEqual([expect.stringContaining(id)]);
		simulator.clearRequests();
		await workflow.later();
		expect(simulator.methods()).toEqual(['GET']);
		expect(workflow.told).toHaveLength(1);
	}

	/** Ids of webhooks whose secret is not stored. */
	const lostIds = () => difference(simulator.ids(), map(kept(), 'id'));

	it.each(MODES)('within a first publish heals by itself with the mode %s', async (mode) => {
		workflow.setup.parameters = watching(companyNumbers(60));
		await endWhile(async () => await workflow.register(), 35, 'kill');
		const stored = kept();
		const lost = lostIds();
		await workflow.start(mode);
		expect(kept()).toEqual(expect.arrayContaining(stored));
		await expectHealed(companyNumbers(60), lost);
	});

	it('keeps what it created before thirty seconds had passed', async () => {
		setTimes({ store: 100 });
		workflow.setup.parameters = watching(companyNumbers(20));
		await endWhile(async () => await workflow.register(), 20, 'kill');
		expect(kept().length).toBeGreaterThan(0);
	});

	it('within a change keeps the previous companies', async () => {
		await workflow.publish();
		const parameters = watching(companyNumbers(60));
		await endWhile(async () => await workflow.submit({ parameters }), 30, 'kill');
		const lost = lostIds();
		expect(companiesOf(kept())).toEqual(expect.arrayContaining(COMPANIES));
		await workflow.start('update');
		await expectHealed(companyNumbers(60), lost);
	});

	it('between the two halves of a change carries the change out', async () => {
		await workflow.publish();
		await workflow.takeDown();
		expect(workflow.state()?.facts.status).toBe('unpublished');
		workflow.setup.parameters = watching(companyNumbers(6));
		simulator.fault(DOWN);
		await workflow.start('update');
		simulator.clearFaults();
		await workflow.later();
		expect(companiesOf(kept())).toEqual(companyNumbers(6));
		expect(simulator.webhooks()).toHaveLength(6);
	});

	it.each<[string, object]>([
		['parameters that cannot be read', UNREADABLE],
		['a list with fewer than half of the companies', watching(['10000001', '1000000X2'])],
	])('between the two halves of a change to %s drops no one', async (_what, parameters) => {
		await workflow.publish();
		await workflow.takeDown();
		Object.assign(workflow.setup, { parameters });
		await workflow.start();
		await workflow.later();
		expect(simulator.watched()).toEqual(COMPANIES);
		expect(workflow.told).toHaveLength(1);
	});
});

it('a change that is killed halfway is no time without n8n, nor days later', async () => {
	workflow.setup.parameters = watching(COMPANIES, { events: ['filing.new', 'watch.report'] });
	await workflow.publish();
	await workflow.takeDown();
	await workflow.start('update');
	expect(workflow.state()?.facts.takenDownAt).toBeUndefined();
	passTime(5 * 24 * HOUR);
	await workflow.publish(workflow.load(), 'update');
	expect(workflow.told).toEqual([]);
	expect(workflow.shown.filter(({ missing }) => missing.count > 0)).toEqual([]);
});

describe('n8n that is stopped (SIGTERM)', () => {
	it.each(['idle', 'within a check'])('%s stores what was overwritten again', async (when) => {
		await workflow.publish();
		await workflow.later();
		await workflow.later();
		workflow.staticData = {};
		if (when !== 'idle') {
			simulator.fault({ method: 'GET', action: 'hang' });
			simulator.clearRequests();
			void workflow.later();
			await simulator.received(1);
		}
		await workflow.stop();
		simulator.clearFaults();
		await workflow.start();
		expect(simulator.webhooks()).toHaveLength(5);
		expect(kept()).toEqual(simulator.webhooks());
	});

	it('loses no answer that came before, goes on at its start, and reports nothing', async () => {
		setTimes({ earlyAnswer: 100, stop: 5_000 });
		workflow.setup.parameters = watching(companyNumbers(60));
		await endWhile(async () => await workflow.register(), 30, 'stop');
		const webhooks = simulator.webhooks();
		expect(kept()).toEqual(webhooks);
		// No report has called a company watched, so none misses anything.
		passTime(HOUR);
		await workflow.start();
		expect(companiesOf(simulator.webhooks())).toEqual(companyNumbers(60));
		expect(kept()).toEqual(simulator.webhooks());
		expect(workflow.told).toEqual([]);
	});

	it('before the service has answered a create names that company after the start', async () => {
		setTimes({ earlyAnswer: 100 });
		await workflow.publish();
		simulator.fault({ method: 'POST', action: 'trickle' });
		await workflow.submit({ parameters: watching(companyNumbers(6)) });
		await waitFor('the webhook', () => simulator.webhooks().length === 6, { everyMs: 5 });
		const lost = simulator.webhooks().at(-1)?.id;
		await workflow.stop();
		await workflow.start();
		expect(companiesOf(kept())).toEqual(companyNumbers(6));
		workflow.expectTold(`${lost} \\(10000006\\)`);
	});
});
