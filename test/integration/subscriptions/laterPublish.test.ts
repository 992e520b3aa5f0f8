// A publish that cannot do all: of what is watched nothing is lost, and n8n shows what is left in a failed execution.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor } from '../../n8n-host/waitFor';
import type { FaultAction } from '../../simulator';
import {
	active,
	companyIn,
	counts,
	refuse,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { n8nForEachTest, passTime } from '../../support/liveN8n';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const NOTHING = /^Nothing is watched: /;
const DOWN: FaultAction = { status: 503 };

const start = n8nForEachTest();
const simulator = serviceForEachTest();

/** An n8n that has published a workflow with that many companies. */
async function watchingMany(count: number, options: Parameters<typeof start>[2] = {}) {
	const n8n = await start(simulator, companyNumbers(count), options);
	expect(await n8n.answer()).toBe('');
	simulator.clearRequests();
	return n8n;
}

/** From now on the service answers every request so. */
function always(action: FaultAction): void {
	simulator.fault({ times: Infinity, action });
}

/** Longer than what is not wanted stays active. */
const pausing = async () => await sleep(1000);
const untilActive = async (count: number) =>
	await waitFor('the wanted state', () => active(simulator).length === count);

describe('a change of a list that is watched', () => {
	it('with a company that the service refuses: all of before are watched, and a failed execution names it', async () => {
		const n8n = await watchingMany(100);
		const before = simulator.webhooks();
		refuse(simulator, ['10000101'], 422, 'Struck off the register');
		expect(await n8n.watch(companyNumbers(101))).toBe('');
		const [told] = await n8n.untilTold();
		expect(told).toMatch(/Struck off the register.*10000101/);
		expect(told).not.toMatch(NOTHING);
		expect(n8n.executions).toEqual([expect.objectContaining({ items: [] })]);
		await pausing();
		expect(active(simulator)).toEqual(before);
		expect(await n8n.deliverAll(companyNumbers(100))).toEqual({ 200: 100 });
		// One for each publish that leaves something, and never for one that has done all.
		expect(n8n.told).toHaveLength(1);
		expect(await n8n.answer()).toBe('');
		await n8n.untilTold(2);
		expect(await n8n.watch(companyNumbers(99))).toBe('');
		await untilActive(99);
		expect(watched(simulator)).toEqual(companyNumbers(99));
		expect(n8n.told).toHaveLength(2);
	});

	it('while the service is down: all of before are watched, a failed execution says how many and why, and the next check does the rest', async () => {
		const n8n = await watchingMany(30);
		always(DOWN);
		expect(await n8n.watch(companyNumbers(33))).toBe('');
		const [told] = await n8n.untilTold();
		expect(told).toMatch(/^30 of 33 companies are watched\. .*HTTP 503/);
		await n8n.idle();
		simulator.clearFaults();
		expect(await n8n.deliverAll(companyNumbers(30))).toEqual({ 200: 30 });
		await n8n.tick();
		expect(watched(simulator)).toEqual(companyNumbers(33));
		expect(simulator.webhooks()).toHaveLength(33);
		expect(n8n.told).toHaveLength(1);
	});

	it('while the service is down for a moment: all is set up, and nothing is told', async () => {
		const n8n = await watchingMany(10);
		always({ status: 503, headers: { 'Retry-After': '1' } });
		const publish = n8n.watch(companyNumbers(13));
		await sleep(1500);
		simulator.clearFaults();
		expect(await publish).toBe('');
		await untilActive(13);
		await pausing();
		expect(n8n.told).toEqual([]);
	});

	describe('that cannot be read', () => {
		it('changes nothing, the companies of before start the workflow, a failed execution says why, and it is carried out once it is corrected', async () => {
			const n8n = await watchingMany(62);
			const before = simulator.webhooks();
			const newList = [...companyNumbers(70).slice(8), 'sole trader'];
			const table = newList.map((cell, index) => `${cell}\tCompany ${index}`).join('\n');
			expect(await n8n.watch([`Company Number\tName\n${table}`])).toBe('');
			const [told] = await n8n.untilTold();
			expect(told).toMatch(
				/^Nothing was changed: the 62 companies of before stay watched.*sole trader/,
			);
			await pausing();
			expect(simulator.webhooks()).toEqual(before);
			expect(counts(simulator)).not.toHaveProperty('POST');
			expect(counts(simulator)).not.toHaveProperty('PATCH');
			// Also those that the new list does not hold.
			const some = companyNumbers(62).filter((_company, index) => index % 3 === 0);
			expect(await n8n.deliverAll(some)).toEqual({ 200: some.length });
			const ran = n8n.executions.filter(({ items }) => items.length > 0);
			expect(ran).toHaveLength(some.length);
			expect(await n8n.watch(companyNumbers(63))).toBe('');
			expect(watched(simulator)).toEqual(companyNumbers(63));
			expect(n8n.told).toHaveLength(1);
		});

		it('by a custom scheme that does not sign the body is told, and nothing is accepted because of it', async () => {
			const n8n = await watchingMany(3);
			const scheme = { header: 'x-seal', content: '{timestamp}', timestampHeader: 'x-time' };
			const options = { signature: { scheme } };
			expect(await n8n.watch(companyNumbers(3), { options })).toBe('');
			expect((await n8n.untilTold())[0]).toMatch(/custom signature scheme cannot be used/);
			const [{ secret }] = simulator.webhooks();
			const time = String(Math.floor(Date.now() / 1000));
			const seal = createHmac('sha256', secret).update(time).digest('hex');
			const headers = { 'x-seal': seal, 'x-time': time };
			expect(await n8n.deliver('10000001', { sign: false, headers })).not.toBe(200);
			expect(n8n.executions.filter(({ items }) => items.length > 0)).toEqual([]);
		});
	});

	it('whose creates all lose their answers makes few of them, tells of what may be left over, and ends', async () => {
		const n8n = await watchingMany(10);
		simulator.fault({ method: 'POST', times: Infinity, action: 'dropAfter' });
		expect(await n8n.watch(companyNumbers(50))).toBe('');
		const [told] = await n8n.untilTold();
		await n8n.untilQuiet();
		const asked = simulator.requests.filter(({ method }) => method === 'POST');
		for (const { body } of asked)
			expect(told.split('pause it there').at(-1)).toContain(companyIn(body));
		// Each may be a webhook that nobody can delete.
		expect(asked.length).toBeLessThanOrEqual(13);
		expect(await n8n.deliverAll(companyNumbers(10))).toEqual({ 200: 10 });
		expect(n8n.told).toHaveLength(1);
	});

	it('to companies that are all refused fails: of what is wanted nothing is watched', async () => {
		const n8n = await watchingMany(10);
		const others = companyNumbers(13).slice(10);
		refuse(simulator, others);
		const message = await n8n.watch(others);
		expect(message).toMatch(NOTHING);
		await untilActive(0);
		// The red message is enough.
		expect(n8n.told).toEqual([]);
	});

	it('is told, stored and checked, although the clock was set back since the last publish', async () => {
		passTime(3_600_000);
		const n8n = await watchingMany(5);
		jest.restoreAllMocks();
		const { revision = Infinity } = n8n.state() ?? {};
		refuse(simulator, ['10000006']);
		expect(await n8n.watch(companyNumbers(6))).toBe('');
		expect(await n8n.untilTold()).toHaveLength(1);
		await n8n.idle();
		expect(n8n.state()?.revision).toBeGreaterThan(revision);
		simulator.clearFaults();
		await n8n.tick();
		expect(active(simulator)).toHaveLength(6);
	});

	it('of one webhook that cannot be updated for long does not keep new companies waiting', async () => {
		const n8n = await watchingMany(5);
		const [{ id }] = simulator.webhooks();
		simulator.fault({ path: new RegExp(id), times: Infinity, action: { status: 500 } });
		const events = ['filing.new', 'officer.appointed'];
		expect(await n8n.watch(companyNumbers(9), { events })).toBe('');
		await untilActive(9);
		const [told] = await n8n.untilTold();
		expect(told).toMatch(
			/^9 of 9 companies are watched, 1 of them as they were before this change\. /,
		);
		expect(simulator.webhooks().filter((one) => one.events.length === 1)).toHaveLength(1);
	});
});
