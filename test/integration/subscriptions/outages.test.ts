// Starting, publishing and unpublishing while the service is out of order.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { warnings } from '../../support/warnings';

jest.setTimeout(40_000);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, companyNumbers(20));
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const active = () => simulator.webhooks().filter(({ is_active }) => is_active);

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
		workflow.setup.nodeType = await afterRestart();
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
		await expect(workflow.publish()).rejects.toThrow(
			/^Company \d+ could not be set up \(0 of 20 succeeded\)\. Nothing answers at the Base URL\. Check the 'Base URL'.*publish again/,
		);
	});

	it('fails clearly too when only the list cannot be had', async () => {
		await workflow.publish();
		await workflow.unpublish();
		const before = simulator.webhooks();
		simulator.fault({ method: 'GET', action: { raw: '<html>Maintenance</html>' } });
		await expect(workflow.publish()).rejects.toThrow(
			/^The webhooks could not be set up \(0 of 20 succeeded\)\. The Base URL leads to a web page.*publish again/,
		);
		expect(simulator.webhooks()).toEqual(before);
		await workflow.publish();
		expect(active()).toHaveLength(20);
		expect(simulator.webhooks()).toHaveLength(20);
	});
});

describe('unpublishing while the service is down', () => {
	beforeEach(async () => {
		await workflow.publish();
	});

	it('succeeds, names every webhook in the log, and the next publish uses them', async () => {
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
		workflow.setup.nodeType = await afterRestart();
		expect(await callHook('checkExists', workflow.load())).toBe(false);
		await workflow.publish();
		expect(simulator.webhooks()).toEqual(before);
	});
});

it('a service that hangs is waited for once: a restart trusts what is stored, an unpublish succeeds', async () => {
	const restarted = watch(simulator, companyNumbers(1));
	await Promise.all([workflow.publish(), restarted.publish()]);
	const logged = warnings(workflow);
	simulator.fault({ times: Infinity, action: 'hang' });
	const started = Date.now();
	const [exists] = await Promise.all([
		callHook('checkExists', restarted.load()),
		workflow.unpublish(),
	]);
	expect(Date.now() - started).toBeLessThan(20_000);
	expect(exists).toBe(true);
	expect(logged()).toContainEqual(
		expect.stringMatching(/keeps using the stored ones: .*did not answer in time/),
	);
	expect(logged()).toContainEqual(expect.stringContaining('20 webhooks may stay active'));
});

describe('a service that limits requests', () => {
	it.each(['seconds', 'date', 'none'] as const)(
		'is given the time it asks for (Retry-After: %s)',
		async (retryAfter) => {
			simulator.rateLimit({ requests: 12, perMs: 1500, retryAfter });
			await workflow.publish();
			expect(active()).toHaveLength(20);
			expect(simulator.webhooks()).toHaveLength(20);
			await workflow.unpublish();
			expect(active()).toEqual([]);
		},
	);

	it('makes all requests of a run wait, not only the one that it refused', async () => {
		simulator.fault({ method: 'POST', action: { status: 429, headers: { 'Retry-After': '2' } } });
		await workflow.publish();
		const [refused, ...others] = simulator.requests.map(({ at }) => at);
		// Those that were on their way with the refused one are answered; the rest begins after the wait.
		expect(others.filter((at) => at - refused < 1900).length).toBeLessThan(10);
		expect(others.filter((at) => at - refused >= 1900).length).toBeGreaterThan(10);
		expect(active()).toHaveLength(20);
	});
});
