// Starting, publishing and unpublishing while the service is out of order.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { active, counts, failureOf, watched } from '../../support/atService';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { warnings } from '../../support/warnings';

const COMPANIES = companyNumbers(20);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, COMPANIES);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

/** An address at which nobody answers. */
async function nowhere(): Promise<string> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return `http://127.0.0.1:${port}`;
}

describe('a restart while the service is out of order', () => {
	beforeEach(async () => {
		await workflow.publish();
		await workflow.restart();
		simulator.clearRequests();
	});

	it.each<[string, FaultAction, RegExp]>([
		['answers 500', { status: 500 }, /could not process the request \(HTTP 500\)/],
		[
			'asks to come back in an hour',
			{ status: 503, headers: { 'Retry-After': '3600' } },
			/HTTP 503/,
		],
		['drops connections', 'drop', /closed before an answer arrived/],
		['sends half of its answers', 'truncate', /closed before an answer arrived/],
		['sends a web page', { raw: '<html>Maintenance</html>' }, /leads to a web page/],
		['sends another shape', { status: 200, body: { data: { items: [] } } }, /Unexpected answer/],
		[
			'sends broken JSON',
			{ raw: '{"data":[', contentType: 'application/json' },
			/Unexpected answer/,
		],
		['no longer knows the key', { status: 401 }, /did not accept the API key/],
	])('that %s trusts what is stored, and says so', async (_what, action, words) => {
		const logged = warnings(workflow);
		simulator.fault({ times: Infinity, action });
		expect(await callHook('checkExists', workflow.load())).toBe(true);
		expect(logged()).toEqual([
			expect.stringMatching(
				/"Company Registry Trigger" could not check its webhooks and keeps using the stored ones: /,
			),
		]);
		expect(logged()[0]).toMatch(words);
		expect(simulator.requests.every(({ method }) => method === 'GET')).toBe(true);
	});

	it('that is down trusts what is stored, and says so', async () => {
		const logged = warnings(workflow);
		await simulator.close();
		simulator = await startSimulator();
		expect(await callHook('checkExists', workflow.load())).toBe(true);
		expect(logged()).toEqual([
			expect.stringMatching(/keeps using the stored ones: Nothing answers at the Base URL/),
		]);
	});

	it('that is slow waits for it', async () => {
		const logged = warnings(workflow);
		simulator.latencyMs = 1500;
		expect(await callHook('checkExists', workflow.load())).toBe(true);
		expect(logged()).toEqual([]);
	});

	it('does not trust what is stored for something else', async () => {
		simulator.fault({ times: Infinity, action: 'drop' });
		workflow.setup.parameters = watching(companyNumbers(21));
		expect(await callHook('checkExists', workflow.load())).toBe(false);
	});
});

describe('publishing while the service is down', () => {
	it('fails with the host in question and what to do', async () => {
		workflow.setup.credentials = {
			companyRegistryApi: { baseUrl: await nowhere(), apiKey: 'key' },
		};
		expect(await failureOf(workflow.publish())).toMatch(
			/^Company \d+ could not be set up \(0 of 20 succeeded\)\. Nothing answers at the Base URL\. Check the 'Base URL'.*publish again/,
		);
	});

	it('fails clearly too when only the list cannot be had', async () => {
		await workflow.publish();
		await workflow.unpublish();
		const before = simulator.webhooks();
		simulator.fault({ method: 'GET', action: { raw: '<html>Maintenance</html>' } });
		expect(await failureOf(workflow.publish())).toMatch(
			/^The webhooks could not be set up \(0 of 20 succeeded\)\. The Base URL leads to a web page.*publish again/,
		);
		expect(simulator.webhooks()).toEqual(before);
		await workflow.publish();
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(simulator.webhooks()).toHaveLength(20);
	});
});

it('unpublishing while the service is down succeeds, names every webhook in the log, and the next publish uses them', async () => {
	await workflow.publish();
	const before = simulator.webhooks();
	const logged = warnings(workflow);
	simulator.fault({ times: Infinity, action: 'drop' });
	await workflow.unpublish();
	for (const { id, company_number } of before) {
		expect(logged().join('\n')).toMatch(
			new RegExp(`${id} (of company ${company_number}|\\(${company_number}\\))`),
		);
	}

	simulator.clearFaults();
	await workflow.restart();
	expect(await callHook('checkExists', workflow.load())).toBe(false);
	await workflow.publish();
	expect(simulator.webhooks()).toEqual(before);
});

it('a service that hangs is waited for once: a restart trusts what is stored, an unpublish succeeds', async () => {
	const restarted = watch(simulator, companyNumbers(1));
	await Promise.all([workflow.publish(), restarted.publish()]);
	const logged = warnings(workflow);
	simulator.fault({ times: Infinity, action: 'hang' });
	simulator.clearRequests();
	const [exists] = await Promise.all([
		callHook('checkExists', restarted.load()),
		workflow.unpublish(),
	]);
	expect(exists).toBe(true);
	expect(logged()).toContainEqual(
		expect.stringMatching(/keeps using the stored ones: .*did not answer in time/),
	);
	expect(logged().at(-1)).toMatch(/could not be paused and may stay active until /);
	// As many as are sent at once, and those that took the place of the first to fail.
	expect(counts(simulator)).toEqual({ GET: 1, PATCH: expect.any(Number) });
	expect(counts(simulator).PATCH).toBeLessThan(10 + 5);
});

describe('a service that limits requests', () => {
	it.each(['seconds', 'date', 'none'] as const)(
		'is given the time it asks for (Retry-After: %s)',
		async (retryAfter) => {
			simulator.rateLimit({ requests: 12, perMs: 800, retryAfter });
			await workflow.publish();
			expect(watched(simulator)).toEqual(COMPANIES);
			expect(simulator.webhooks()).toHaveLength(20);
			await workflow.unpublish();
			expect(active(simulator)).toEqual([]);
		},
	);

	it('makes all requests of a run wait, not only the one that it refused', async () => {
		const action = { status: 429, headers: { 'Retry-After': '1' } };
		simulator.fault({ method: 'POST', nth: 4, action });
		await workflow.publish();
		const refused = simulator.requests.find(({ status }) => status === 429)?.at ?? 0;
		const after = simulator.requests.filter(({ at }) => at > refused).map(({ at }) => at - refused);
		// Those that were on their way with the refused one are answered; the rest begins after the wait.
		expect(after.filter((ms) => ms < 900).length).toBeLessThan(10);
		expect(after.filter((ms) => ms >= 900).length).toBeGreaterThan(6);
		expect(watched(simulator)).toEqual(COMPANIES);
	});
});
