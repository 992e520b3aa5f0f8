// A publish that cannot do all: of what is watched nothing is lost, and n8n shows what is left in a failed execution.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { snakeCase } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { waitFor } from '../../n8n-host/waitFor';
import type { FaultAction } from '../../simulator';
import { active, companyIn, counts, serviceForEachTest, watched } from '../../support/atService';
import { n8nForEachTest, passTime } from '../../support/liveN8n';
import { shortenWaits } from '../../support/loadedTriggers';
import { companyNumbers, watching } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const NOTHING = /^Nothing is watched: /;
const DOWN: FaultAction = { status: 503 };
const REVOKED: FaultAction = { status: 401 };

const start = n8nForEachTest();
const simulator = serviceForEachTest();

/** An n8n that has published a workflow with that many companies. */
async function watchingMany(count: number, options: Parameters<typeof start>[2] = {}) {
	const n8n = await start(simulator, companyNumbers(count), options);
	expect(await n8n.publish()).toBe('');
	simulator.clearRequests();
	return n8n;
}

/** From now on the service answers every request so. */
function always(action: FaultAction): void {
	simulator.fault({ times: Infinity, action });
}

/** The service refuses to create webhooks of these companies, in these words. */
function refuse(companies: string[], message: string, status = 422): void {
	simulator.fault({
		method: 'POST',
		times: Infinity,
		when: ({ body }) => companies.includes(companyIn(body)),
		action: { status, body: { error: snakeCase(message), message, status } },
	});
}

/** Longer than what is not wanted stays active. */
const pausing = async () => await sleep(1000);
const untilActive = async (count: number) =>
	await waitFor('the wanted state', () => active(simulator).length === count);

describe('a change of a list that is watched', () => {
	it.each(['2.40', '1.x'] as const)(
		'with a company that the service refuses: all of before are watched, and a failed execution names it (n8n %s)',
		async (version) => {
			const n8n = await watchingMany(100, { version });
			const before = simulator.webhooks();
			refuse(['10000101'], 'Struck off the register');
			expect(await n8n.watch(companyNumbers(101))).toBe('');
			const [told] = await n8n.untilTold();
			expect(told).toMatch(/10000101.*Struck off the register/);
			expect(told).toMatch(/publish/i);
			expect(told).not.toMatch(NOTHING);
			await pausing();
			expect(active(simulator)).toEqual(before);
			expect(await n8n.deliverAll(companyNumbers(100))).toEqual({ 200: 100 });
			// One for each publish, and never for one that has done all.
			expect(n8n.told).toHaveLength(1);
			expect(await n8n.watch(companyNumbers(99))).toBe('');
			await untilActive(99);
			expect(watched(simulator)).toEqual(companyNumbers(99));
			expect(n8n.told).toHaveLength(1);
		},
	);

	it('while the service is down: all of before are watched, and a failed execution names what is left, and why', async () => {
		const n8n = await watchingMany(100);
		always(DOWN);
		expect(await n8n.watch(companyNumbers(103))).toBe('');
		const [told] = await n8n.untilTold();
		for (const company of ['10000101', '10000102', '10000103']) expect(told).toContain(company);
		expect(told).toMatch(/HTTP 503|not available|could not process/);
		expect(told).toMatch(/publish/i);
		simulator.clearFaults();
		await pausing();
		expect(watched(simulator)).toEqual(companyNumbers(100));
		expect(await n8n.deliverAll(companyNumbers(100))).toEqual({ 200: 100 });
		expect(n8n.told).toHaveLength(1);
		// The next publish does the rest.
		expect(await n8n.publishAgain()).toBe('');
		expect(watched(simulator)).toEqual(companyNumbers(103));
		expect(simulator.webhooks()).toHaveLength(103);
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

	it('that is left for the service to come back says to unpublish first: n8n publishes nothing that has not changed', async () => {
		const n8n = await watchingMany(5);
		always(DOWN);
		expect(await n8n.watch(companyNumbers(8))).toBe('');
		const [told] = await n8n.untilTold();
		simulator.clearFaults();
		// The workflow is as it was published, so that n8n does not call the trigger.
		expect(await n8n.publish()).toBe('');
		expect(active(simulator)).toHaveLength(5);
		expect(told).toMatch(/unpublish/i);
		await n8n.unpublish();
		expect(await n8n.publish()).toBe('');
		await untilActive(8);
	});

	it('with a key that has been revoked: all of before are watched, and a failed execution says what to do about the key', async () => {
		const n8n = await watchingMany(50);
		always(REVOKED);
		expect(await n8n.watch(companyNumbers(51))).toBe('');
		const [told] = await n8n.untilTold();
		expect(told).toMatch(/API key/);
		expect(told).toContain('10000051');
		simulator.clearFaults();
		await pausing();
		expect(watched(simulator)).toEqual(companyNumbers(50));
		expect(await n8n.deliverAll(companyNumbers(50))).toEqual({ 200: 50 });
		expect(n8n.told).toHaveLength(1);
	});

	describe('that cannot be read', () => {
		const newList = [...companyNumbers(70).slice(8), 'sole trader'];
		const table = newList.map((cell, index) => `${cell}\tCompany ${index}`).join('\n');

		it.each<[string, INodeParameters, RegExp]>([
			[
				'one cell of a pasted list',
				{ companyNumbers: `Company Number\tName\n${table}` },
				/sole trader/,
			],
			['two of them', { companyNumbers: `n/a, unknown, ${newList[0]}` }, /n\/a.*unknown/],
			['a list without a company', { companyNumbers: '' }, /No company is chosen/],
			['no event', { events: [], options: {} }, /No event is chosen/],
		])(
			'by %s: nothing is changed, the companies of before start the workflow, and a failed execution says what cannot be read',
			async (_what, change, words) => {
				const n8n = await watchingMany(62);
				const before = simulator.webhooks();
				const parameters = { ...watching(companyNumbers(62)), ...change };
				expect(await n8n.publish({ parameters })).toBe('');
				const [told] = await n8n.untilTold();
				expect(told).toMatch(words);
				await pausing();
				expect(simulator.webhooks()).toEqual(before);
				expect(counts(simulator)).not.toHaveProperty('POST');
				expect(counts(simulator)).not.toHaveProperty('PATCH');
				// Also those that the new list does not hold.
				const some = companyNumbers(62).filter((_company, index) => index % 3 === 0);
				expect(await n8n.deliverAll(some)).toEqual({ 200: some.length });
				const ran = n8n.executions.filter(({ items }) => items.length > 0);
				expect(ran).toHaveLength(some.length);
				expect(n8n.told).toHaveLength(1);
			},
		);

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

		it('says that nothing was changed, and is carried out once it is corrected', async () => {
			const n8n = await watchingMany(5);
			await n8n.watch([...companyNumbers(6), 'sole trader']);
			const [told] = await n8n.untilTold();
			expect(told).toMatch(/nothing (was|has been|is) changed/i);
			expect(await n8n.watch(companyNumbers(6))).toBe('');
			expect(watched(simulator)).toEqual(companyNumbers(6));
			expect(n8n.told).toHaveLength(1);
		});
	});

	it.each<[string, FaultAction, RegExp]>([
		["at the account's limit", { status: 402 }, /plan/],
		['with a key that may not', { status: 403 }, /403|permission|allow/],
	])('%s, is told as well', async (_what, action, words) => {
		const n8n = await watchingMany(10);
		simulator.fault({ method: 'POST', nth: 3, times: Infinity, action });
		expect(await n8n.watch(companyNumbers(30))).toBe('');
		const [told] = await n8n.untilTold();
		expect(told).toMatch(words);
		// The service has taken two of the new ones.
		expect(told).toMatch(/\b(12|18)\b/);
		await pausing();
		expect(active(simulator)).toHaveLength(12);
		expect(await n8n.deliverAll(watched(simulator))).toEqual({ 200: 12 });
		expect(n8n.kept).toHaveLength(12);
		expect(n8n.told).toHaveLength(1);
	});

	it('whose create loses its answer tells of the webhook that may be left over', async () => {
		const n8n = await watchingMany(10);
		simulator.fault({ method: 'POST', times: 1, action: 'dropAfter' });
		expect(await n8n.watch(companyNumbers(11))).toBe('');
		const [told] = await n8n.untilTold();
		expect(told).toMatch(/may hold .*10000011/);
		await pausing();
		expect(await n8n.deliverAll(companyNumbers(10))).toEqual({ 200: 10 });
	});

	it.each<[string, FaultAction]>([
		['lose their answers', 'dropAfter'],
		['are answered with nothing that can be used', { status: 201, body: { made: true } }],
	])('whose creates all %s makes few of them, and ends', async (_what, action) => {
		const n8n = await watchingMany(10);
		simulator.fault({ method: 'POST', times: Infinity, action });
		expect(await n8n.watch(companyNumbers(50))).toBe('');
		await n8n.untilTold();
		await n8n.untilQuiet();
		const asked = simulator.requests.filter(({ method }) => method === 'POST');
		// Each may be a webhook that nobody can delete.
		expect(asked.length).toBeLessThanOrEqual(13);
		expect(await n8n.deliverAll(companyNumbers(10))).toEqual({ 200: 10 });
		expect(n8n.told).toHaveLength(1);
	});

	it('while the service lists but creates nothing comes to its end as well', async () => {
		const n8n = await watchingMany(5);
		const action = { status: 429, headers: { 'Retry-After': '1' } };
		simulator.fault({ method: 'POST', times: Infinity, action });
		expect(await n8n.watch(companyNumbers(8))).toBe('');
		await n8n.untilTold();
		simulator.clearRequests();
		await sleep(4000);
		expect(simulator.requests).toEqual([]);
		expect(n8n.told).toHaveLength(1);
		expect(watched(simulator)).toEqual(companyNumbers(5));
	});

	it('of the events, where the service refuses it: the companies keep the events of before', async () => {
		const n8n = await watchingMany(10);
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
		const events = ['filing.new', 'psc.added'];
		expect(await n8n.watch(companyNumbers(10), { events })).toBe('');
		const [told] = await n8n.untilTold();
		expect(told).toMatch(/10000001, 10000002/);
		simulator.clearFaults();
		await pausing();
		expect(active(simulator)).toHaveLength(10);
		expect(active(simulator).every(({ events: [event] }) => event === 'filing.new')).toBe(true);
		expect(await n8n.deliverAll(companyNumbers(10))).toEqual({ 200: 10 });
		expect(n8n.executions.filter(({ items }) => items.length > 0)).toHaveLength(10);
	});

	it('of the account, where the new one takes no webhook: those of the account before go on', async () => {
		const n8n = await watchingMany(10);
		const before = simulator.webhooks();
		const { apiKey } = simulator.addAccount();
		simulator.fault({ method: 'POST', times: Infinity, action: { status: 402 } });
		const credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
		// Another credential, so that n8n sees a change.
		const node = { credentials: { companyRegistryApi: { id: 'another', name: 'Another' } } };
		expect(await n8n.publish({ credentials, node })).toBe('');
		expect((await n8n.untilTold())[0]).toMatch(/plan/);
		await pausing();
		expect(active(simulator)).toEqual(before);
		expect(await n8n.deliverAll(companyNumbers(10))).toEqual({ 200: 10 });
	});

	it('to companies that are all refused fails: of what is wanted nothing is watched', async () => {
		const n8n = await watchingMany(10);
		const others = companyNumbers(13).slice(10);
		refuse(others, 'No such company');
		const message = await n8n.watch(others);
		expect(message).toMatch(NOTHING);
		for (const company of others) expect(message).toContain(company);
		await untilActive(0);
		// The red message is enough.
		expect(n8n.told).toEqual([]);
	});

	it('with more refused companies than a message names: twenty, how many more, and what was done', async () => {
		const n8n = await watchingMany(10);
		const refused = companyNumbers(95).slice(10, 55);
		// In words that differ, so that they are no sign that the service refuses all.
		refuse(refused.slice(0, 15), 'No such company');
		refuse(refused.slice(15, 30), 'Dissolved');
		refuse(refused.slice(30), 'Struck off');
		expect(await n8n.watch(companyNumbers(95))).toBe('');
		const [told] = await n8n.untilTold();
		const named = refused.filter((company) => told.includes(company));
		expect(named).toHaveLength(20);
		expect(told).toMatch(/\b(50|45)\b/);
		expect(told).toMatch(/\b(25|10) more\b/);
		await pausing();
		expect(active(simulator)).toHaveLength(50);
	});

	it('is told in an execution without data', async () => {
		const n8n = await watchingMany(3);
		refuse(['10000004'], 'No such company');
		await n8n.watch(companyNumbers(4));
		await n8n.untilTold();
		expect(n8n.executions).toEqual([expect.objectContaining({ items: [] })]);
	});

	it('is only in the log where n8n cannot reach itself', async () => {
		const n8n = await watchingMany(3);
		n8n.itself = 'refused';
		refuse(['10000004'], 'No such company');
		expect(await n8n.watch(companyNumbers(4))).toBe('');
		const isLogged = () => /10000004.*No such company/.test(n8n.log.join('\n'));
		await waitFor('the log', isLogged, { timeoutMs: 20_000 });
		expect(watched(simulator)).toEqual(companyNumbers(3));
		expect(n8n.told).toEqual([]);
	});

	it('is told once, although a proxy shows a page of its own for an answer 500', async () => {
		const n8n = await watchingMany(5);
		n8n.itself = 'pageOfProxy';
		refuse(['10000006'], 'Struck off the register');
		expect(await n8n.watch(companyNumbers(6))).toBe('');
		await n8n.untilTold();
		await sleep(2000);
		expect(n8n.told).toHaveLength(1);
	});

	it('is told once, although n8n does not reach itself for a moment', async () => {
		const n8n = await watchingMany(5);
		n8n.itself = 'refused';
		refuse(['10000006'], 'Struck off the register');
		expect(await n8n.watch(companyNumbers(6))).toBe('');
		await sleep(1000);
		n8n.itself = 'reached';
		await n8n.untilTold();
		await sleep(1000);
		expect(n8n.told).toHaveLength(1);
	});

	it('is told, although the clock was set back since the last publish', async () => {
		passTime(3_600_000);
		const n8n = await watchingMany(5);
		jest.restoreAllMocks();
		refuse(['10000006'], 'Struck off the register');
		expect(await n8n.watch(companyNumbers(6))).toBe('');
		expect(await n8n.untilTold()).toHaveLength(1);
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

	it('is told at each publish that leaves something', async () => {
		const n8n = await watchingMany(3);
		refuse(['10000004'], 'No such company');
		await n8n.watch(companyNumbers(4));
		await n8n.untilTold();
		expect(await n8n.publishAgain()).toBe('');
		await n8n.untilTold(2);
		expect(watched(simulator)).toEqual(companyNumbers(3));
	});
});

describe('the first publish', () => {
	it('with refused companies fails, says that nothing is watched, and names all of them', async () => {
		const n8n = await start(simulator, companyNumbers(20));
		refuse(companyNumbers(3), 'No such company');
		const message = await n8n.publish();
		expect(message).toMatch(NOTHING);
		for (const company of companyNumbers(3)) expect(message).toContain(company);
		await untilActive(0);
		expect(n8n.told).toEqual([]);
	});

	it('with "Leave Out" watches the others', async () => {
		const n8n = await start(simulator, companyNumbers(20));
		refuse(companyNumbers(3), 'No such company');
		const options = { refusedCompanies: 'leaveOut' };
		expect(await n8n.watch(companyNumbers(20), { options })).toBe('');
		await pausing();
		expect(watched(simulator)).toEqual(companyNumbers(20).slice(3));
	});

	it.each<[string, FaultAction, RegExp]>([
		['a refused key', REVOKED, /API key/],
		['a service that is down', DOWN, /503|not available|could not process/],
		[
			'a service that lets nothing through',
			{ status: 429, headers: { 'Retry-After': '1' } },
			/too many requests/,
		],
		['a plan that is used up', { status: 402 }, /plan/],
	])('with %s fails and says that nothing is watched', async (_what, action, words) => {
		const n8n = await start(simulator, companyNumbers(5));
		shortenWaits({ answer: 2000 });
		always(action);
		const message = await n8n.publish();
		expect(message).toMatch(NOTHING);
		expect(message).toMatch(words);
		expect(simulator.webhooks()).toEqual([]);
		await pausing();
		expect(n8n.told).toEqual([]);
	});

	it('with a list that cannot be read fails, says that nothing is watched, and asks the service nothing', async () => {
		const n8n = await start(simulator, ['00445790', 'sole trader']);
		const message = await n8n.publish();
		expect(message).toMatch(NOTHING);
		expect(message).toMatch(/sole/);
		expect(simulator.requests).toEqual([]);
	});

	it('after an unpublish, with a list that cannot be read, fails too', async () => {
		const n8n = await watchingMany(3);
		await n8n.unpublish();
		await untilActive(0);
		expect(await n8n.watch([...companyNumbers(3), 'sole trader'])).toMatch(NOTHING);
		await pausing();
		expect(active(simulator)).toEqual([]);
	});
});
