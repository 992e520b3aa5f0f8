// A publish takes the time that the service needs: n8n is answered, and the work goes on.
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { PACE } from '../../../nodes/CompanyRegistry/registry/pace';
import { waitFor } from '../../n8n-host/waitFor';
import { active, companyIn, counts, serviceForEachTest, watched } from '../../support/atService';
import { n8nForEachTest, type LiveN8n } from '../../support/liveN8n';
import { companyNumbers, watching } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(60);
/** Beside what n8n is answered after: requests that are under way, and a busy machine. */
const MARGIN = 2500;

const start = n8nForEachTest();
const simulator = serviceForEachTest();

const ANSWER = 1300;

/** The list, the first create and then ten at a time: sixty companies take 2.4 seconds. */
function slow(): void {
	simulator.latencyMs = 300;
	setTimes({ answer: ANSWER });
}

const untilWatched = async (count: number) =>
	await waitFor('the rest', () => active(simulator).length === count, { timeoutMs: 30_000 });

/** How long it takes until n8n has its answer, in milliseconds. */
async function answered(publish: Promise<string>): Promise<number> {
	const began = Date.now();
	expect(await publish).toBe('');
	return Date.now() - began;
}

/** Each company has one webhook, whose secret is kept; nothing is told. */
async function expectDone(n8n: LiveN8n, companies: string[]): Promise<void> {
	expect(watched(simulator)).toEqual(companies);
	expect(simulator.webhooks()).toHaveLength(companies.length);
	await waitFor('all to be stored', () => n8n.kept.length === companies.length);
	expect(await n8n.deliverAll(companies)).toEqual({ 200: companies.length });
	expect(n8n.told).toEqual([]);
}

describe('a publish that takes longer than n8n is let wait', () => {
	it('succeeds with some companies watched, and sets up the others behind that', async () => {
		slow();
		const n8n = await start(simulator, COMPANIES);
		expect(await answered(n8n.answer())).toBeLessThan(ANSWER + 300 + MARGIN);
		expect(active(simulator).length).toBeGreaterThan(0);
		expect(active(simulator).length).toBeLessThan(60);
		await untilWatched(60);
		await expectDone(n8n, COMPANIES);
		expect(counts(simulator)).toEqual({ GET: 1, POST: 60 });
		// As n8n reads it after a restart. Nothing is left to tell.
		simulator.clearRequests();
		await n8n.boot();
		await n8n.idle();
		expect(await n8n.deliverAll(COMPANIES)).toEqual({ 200: 60 });
		expect([counts(simulator), n8n.told]).toEqual([{ GET: 1 }, []]);
	});

	it('goes on as well where the first company is on its way when the wait ends', async () => {
		const n8n = await start(simulator, companyNumbers(1));
		expect(await n8n.answer()).toBe('');
		await n8n.unpublish();
		simulator.latencyMs = 600;
		setTimes({ answer: 900 });
		expect(await n8n.watch(COMPANIES.slice(1))).toBe('');
		expect(watched(simulator)).toHaveLength(1);
		simulator.latencyMs = 0;
		await n8n.idle();
		expect([watched(simulator), n8n.told]).toEqual([COMPANIES.slice(1), []]);
	});

	it.each(['seconds', 'none'] as const)(
		'because the service limits requests (Retry-After: %s) needs no other one',
		async (retryAfter) => {
			simulator.rateLimit({ requests: 10, perMs: 1000, retryAfter });
			jest.replaceProperty(PACE, 'first', 350);
			setTimes({ answer: 1500 });
			const companies = companyNumbers(40);
			const n8n = await start(simulator, companies);
			expect(await answered(n8n.answer())).toBeLessThan(1500 + 1000 + MARGIN);
			await untilWatched(40);
			// A first wave, and few more.
			const all = simulator.requests.length;
			const refused = simulator.requests.filter(({ status }) => status === 429).length;
			expect(refused).toBeLessThanOrEqual(all / 10 + 10);
			simulator.rateLimit(null);
			await expectDone(n8n, companies);
		},
	);

	it('goes on for as long as the service lets some through, however long that takes', async () => {
		simulator.rateLimit({ requests: 1, perMs: 700, retryAfter: 'none' });
		setTimes({ answer: 3000 });
		const n8n = await start(simulator, companyNumbers(12));
		// n8n does not wait for requests that the pace holds back.
		expect(await answered(n8n.answer())).toBeLessThan(3000 + MARGIN);
		expect(active(simulator).length).toBeLessThan(12);
		await untilWatched(12);
		simulator.rateLimit(null);
		await expectDone(n8n, companyNumbers(12));
	});

	it('ends when the service has let nothing through for long, tells what is left, and is taken up again by the clock', async () => {
		slow();
		const n8n = await start(simulator, COMPANIES);
		expect(await n8n.answer()).toBe('');
		simulator.latencyMs = 0;
		const action = { status: 429, headers: { 'Retry-After': '1' } };
		// It still lists.
		simulator.fault({ method: 'POST', times: Infinity, action });
		const [told] = await n8n.untilTold();
		const done = active(simulator).length;
		expect(told).toMatch(new RegExp(`^${done} of 60 companies are watched.*too many requests`));

		// Nothing is done any more.
		await n8n.idle();
		simulator.clearFaults();
		simulator.clearRequests();
		await sleep(500);
		expect(simulator.requests).toEqual([]);
		expect(n8n.kept).toHaveLength(done);
		expect(await n8n.deliverAll(watched(simulator))).toEqual({ 200: done });
		expect(n8n.told).toHaveLength(1);

		await n8n.tick(180_000);
		expect([watched(simulator), simulator.webhooks().length]).toEqual([COMPANIES, 60]);
	});

	it('of a change updates and pauses behind the answer as well', async () => {
		const n8n = await start(simulator, COMPANIES);
		expect(await n8n.answer()).toBe('');
		slow();
		const events = ['filing.new', 'officer.appointed'];
		const wanted = COMPANIES.slice(0, 40);
		expect(await answered(n8n.watch(wanted, { events }))).toBeLessThan(ANSWER + 300 + MARGIN);
		expect(active(simulator)).toHaveLength(60);
		await untilWatched(40);
		expect(active(simulator).every((one) => one.events.length === 2)).toBe(true);
		expect(watched(simulator)).toEqual(wanted);
		expect(n8n.told).toEqual([]);
	});

	it('takes over from one that goes on behind its answer, and is answered in time, although a request of that has to end first', async () => {
		const n8n = await start(simulator, companyNumbers(5));
		expect(await n8n.answer()).toBe('');
		setTimes({ answer: ANSWER });
		simulator.latencyMs = 4000;
		expect(await n8n.watch(companyNumbers(6))).toBe('');
		expect(await answered(n8n.watch(companyNumbers(7)))).toBeLessThan(4000);
		simulator.latencyMs = 0;
		await untilWatched(7);
		await expectDone(n8n, companyNumbers(7));
	});

	it('is stored, although another trigger of the workflow is published meanwhile, from data read before', async () => {
		const others = (count: number) => companyNumbers(count).map((one) => one.replace('1', '2'));
		const beside = await start(simulator, others(10), { workflowId: 'both' });
		const webhookId = '1d1f6a1e-5a52-4b8e-9a53-0c7f64b1f0ab';
		const node = { id: 'another', name: 'Another', webhookId };
		const n8n = await start(simulator, COMPANIES, { workflowId: 'both', node });
		Object.defineProperty(n8n, 'staticData', {
			get: () => beside.staticData,
			set: (staticData: IDataObject) => (beside.staticData = staticData),
		});
		expect(await beside.answer()).toBe('');
		simulator.latencyMs = 300;
		setTimes({ answer: ANSWER, storeBehind: 20 });
		expect(await n8n.answer()).toBe('');
		setTimes({ answer: 8000, storeBefore: 20, storeBehind: 20 });
		expect(await beside.watch(others(90))).toBe('');
		await waitFor('all to be stored', () => n8n.kept.length === 60);
		expect(beside.kept).toHaveLength(90);
	});

	it('with a company that was refused by then fails, and says so of each', async () => {
		slow();
		const n8n = await start(simulator, COMPANIES);
		simulator.fault({ method: 'POST', nth: 2, times: 2, action: { status: 422 } });
		const message = await n8n.answer();
		expect(message).toMatch(/^Nothing is watched: the service let too little through .*HTTP 422/i);
		const refused = simulator.requests.filter(({ status }) => status === 422);
		expect(refused).toHaveLength(2);
		for (const { body } of refused) expect(message).toContain(companyIn(body));
		// Of the others there is nothing to say but how many were set up.
		expect(message).not.toMatch(/\d more\. Correct/);
		expect(counts(simulator).POST).toBeLessThan(COMPANIES.length);
	});
});

describe('while the work goes on', () => {
	let n8n: LiveN8n;

	beforeEach(async () => {
		slow();
		n8n = await start(simulator, COMPANIES);
		expect(await n8n.answer()).toBe('');
		expect(active(simulator).length).toBeLessThan(60);
	});

	it('deliveries of what is set up run, before and after they are stored', async () => {
		for (const { company_number } of active(simulator)) {
			expect(await n8n.deliver(company_number)).toBe(200);
		}
		await untilWatched(60);
	});

	it('an unpublish takes over: all is paused, nothing is made any more, nothing is told', async () => {
		await n8n.unpublish();
		await waitFor('all to be paused', () => active(simulator).length === 0);
		const made = simulator.webhooks().length;
		await sleep(1000);
		expect(simulator.webhooks()).toHaveLength(made);
		expect(made).toBeLessThan(60);
		expect(n8n.kept).toHaveLength(made);
		expect(n8n.told).toEqual([]);

		simulator.latencyMs = 0;
		expect(await n8n.answer()).toBe('');
		await untilWatched(60);
		await expectDone(n8n, COMPANIES);
	});

	it('a publish with a list that cannot be read loses nothing of what is set up', async () => {
		const before = watched(simulator);
		expect(await n8n.answer({ parameters: watching(['sole trader']) })).toBe('');
		expect((await n8n.untilTold())[0]).toMatch(/sole/);
		await sleep(1000);
		expect(watched(simulator)).toEqual(expect.arrayContaining(before));
		expect(await n8n.deliverAll(before)).toEqual({ 200: before.length });
	});
});
