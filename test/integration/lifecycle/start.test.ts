// n8n starts, also after it was killed or stopped in the middle of work: nothing gets worse, and the work goes on.
import { setTimeout as sleep } from 'node:timers/promises';

import { difference, map, uniq } from 'lodash';

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

/** n8n is killed while something goes on, once the service has so many webhooks. */
async function killWhile(act: () => Promise<unknown>, count: number): Promise<void> {
	simulator.latencyMs = 60;
	act().catch(() => undefined);
	const isReached = () => simulator.webhooks().length >= count;
	await waitFor(`${count} webhooks`, isReached, { everyMs: 5 });
	workflow.kill();
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
	it('keeps what it created before thirty seconds had passed', async () => {
		setTimes({ store: 100 });
		workflow.setup.parameters = watching(companyNumbers(20));
		await killWhile(async () => await workflow.register(), 20);
		expect(kept().length).toBeGreaterThan(0);
	});

	it('within a change keeps the previous companies, and goes on', async () => {
		await workflow.publish();
		const parameters = watching(companyNumbers(60));
		await killWhile(async () => await workflow.submit({ parameters }), 30);
		const lost = difference(simulator.ids(), map(kept(), 'id'));
		expect(lost.length).toBeGreaterThan(0);
		expect(companiesOf(kept())).toEqual(expect.arrayContaining(COMPANIES));

		// Each company is watched with a secret that is held; what was lost is named once.
		await workflow.start('update');
		const active = kept().filter((one) => one.is_active);
		expect(uniq(companiesOf(active))).toEqual(companyNumbers(60));
		expect(simulator.webhooks()).toHaveLength(60 + lost.length);
		await workflow.later();
		for (const id of lost) expect(workflow.told).toEqual([expect.stringContaining(id)]);
	});

	it('between the two halves of a change carries the change out', async () => {
		await workflow.publish();
		await workflow.takeDown();
		expect(workflow.state()?.facts.phase).toBe('unpublished');
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

	it('within a first publish goes on at its start, and reports no gap of companies that no report has named', async () => {
		setTimes({ earlyAnswer: 100 });
		workflow.setup.parameters = watching(companyNumbers(60));
		simulator.latencyMs = 60;
		await workflow.register();
		await workflow.stop();
		expect(kept().length).toBeLessThan(60);
		simulator.latencyMs = 0;
		passTime(HOUR);
		await workflow.start();
		expect(companiesOf(kept())).toEqual(companyNumbers(60));
		expect([kept(), workflow.told]).toEqual([simulator.webhooks(), []]);
	});
});
