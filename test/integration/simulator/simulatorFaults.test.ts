// The stand-in has the faults that a test asks for, on the requests that it asks for.
import { type FaultAction, type Simulator, startSimulator } from '../../simulator';
import { call, createWebhook } from '../../simulator/client';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});

afterEach(() => simulator.close());

const body = {
	url: 'https://n8n.example/hook',
	company_number: '00445790',
	events: ['filing.new'],
};
const list = () => call(simulator, 'GET', '/v1/webhooks');
const create = () => call(simulator, 'POST', '/v1/webhooks', { body });
const statuses = () => simulator.requests.map(({ status }) => status);

describe('which requests a fault hits', () => {
	const action = { status: 500 };

	it('hits the next request once', async () => {
		simulator.fault({ action });
		await list();
		await list();
		expect(statuses()).toEqual([500, 200]);
	});

	it('hits only the method, path and body asked for', async () => {
		simulator.fault({
			method: 'POST',
			path: /^\/v1\/webhooks$/,
			when: (req) => JSON.stringify(req.body).includes('00445790'),
			action,
		});
		await list();
		await call(simulator, 'POST', '/v1/webhooks/elsewhere', { body });
		await call(simulator, 'POST', '/v1/webhooks', {
			body: { ...body, company_number: 'SC123456' },
		});
		await create();
		expect(statuses()).toEqual([200, 404, 201, 500]);
	});

	it('counts from nth for as many times as asked', async () => {
		simulator.fault({ method: 'GET', nth: 2, times: 2, action });
		for (let request = 0; request < 4; request += 1) await list();
		expect(statuses()).toEqual([200, 500, 500, 200]);
	});

	it('hits every request until the faults are cleared', async () => {
		simulator.fault({ times: Infinity, action });
		for (let request = 0; request < 3; request += 1) await list();
		simulator.clearFaults();
		await list();
		expect(statuses()).toEqual([500, 500, 500, 200]);
	});

	it('takes faults one after the other, in the order added', async () => {
		simulator.fault({ action: { status: 502 } });
		simulator.fault({ action: { status: 503 } });
		for (let request = 0; request < 3; request += 1) await list();
		expect(statuses()).toEqual([502, 503, 200]);
	});
});

describe('what a fault does', () => {
	it('answers with the status, body and headers given and processes nothing', async () => {
		const answer = { status: 503, body: { message: 'Later' }, headers: { 'Retry-After': '2' } };
		simulator.fault({ action: answer });
		const { status, body: received, headers } = await create();
		expect({ status, received, wait: headers.get('retry-after') }).toEqual({
			status: 503,
			received: { message: 'Later' },
			wait: '2',
		});
		expect(simulator.webhooks()).toEqual([]);
	});

	it('answers with text that is not JSON', async () => {
		simulator.fault({ action: { raw: '<h1>Sorry</h1>', contentType: 'text/html', status: 502 } });
		const response = await fetch(`${simulator.url}/v1/webhooks`);
		expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
			502,
			'text/html',
			'<h1>Sorry</h1>',
		]);
	});

	it('delays the answer', async () => {
		simulator.fault({ action: { delayMs: 150 } });
		const start = performance.now();
		expect((await create()).status).toBe(201);
		expect(performance.now() - start).toBeGreaterThan(140);
	});

	it.each<[FaultAction, number]>([
		['drop', 0],
		['dropAfter', 1],
		['truncate', 1],
	])('loses the answer with %s, having stored %i webhooks', async (action, stored) => {
		simulator.fault({ action });
		await expect(create()).rejects.toThrow(/fetch failed|terminated/);
		expect(simulator.webhooks()).toHaveLength(stored);
		expect(statuses()).toEqual([0]);
	});

	it('sends half of the JSON with truncate', async () => {
		simulator.fault({ action: 'truncate' });
		const response = await fetch(`${simulator.url}/v1/webhooks`);
		expect(response.status).toBe(401);
		await expect(response.text()).rejects.toThrow('terminated');
	});

	it('never comes to the end of its answer with trickle, until the sender goes', async () => {
		simulator.fault({ action: 'trickle' });
		const response = await fetch(`${simulator.url}/v1/webhooks`, {
			signal: AbortSignal.timeout(300),
		});
		expect(response.status).toBe(401);
		await expect(response.text()).rejects.toThrow('aborted due to timeout');
	});

	it('never answers with hang, until it is closed', async () => {
		simulator.fault({ action: 'hang' });
		const outcome = list().catch(() => 'connection closed');
		const early = new Promise((resolve) => setTimeout(resolve, 100, 'no answer yet'));
		expect(await Promise.race([outcome, early])).toBe('no answer yet');
		await simulator.close();
		expect(await outcome).toBe('connection closed');
		simulator = await startSimulator();
	});
});

it('takes its latency for every request', async () => {
	simulator.latencyMs = 120;
	const start = performance.now();
	await list();
	expect(performance.now() - start).toBeGreaterThan(110);
});

describe('rate limit', () => {
	it('answers 429 with Retry-After in seconds beyond the limit, and processes nothing', async () => {
		simulator.rateLimit({ requests: 2, perMs: 30_000 });
		await createWebhook(simulator);
		await createWebhook(simulator);
		const refused = await create();
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
		expect(simulator.webhooks()).toHaveLength(2);
	});

	it('lets requests through again once the time is over, and without a limit', async () => {
		simulator.rateLimit({ requests: 1, perMs: 200 });
		await list();
		await list();
		await new Promise((resolve) => setTimeout(resolve, 210));
		await list();
		simulator.rateLimit(null);
		await list();
		expect(statuses()).toEqual([200, 429, 200, 200]);
	});

	it('can give a date or nothing to wait for', async () => {
		simulator.rateLimit({ requests: 0, perMs: 10_000, retryAfter: 'date' });
		const wait = Date.parse((await list()).headers.get('retry-after') ?? '') - Date.now();
		expect(wait).toBeGreaterThan(9_000);
		expect(wait).toBeLessThanOrEqual(11_000);
		simulator.rateLimit({ requests: 0, perMs: 10_000, retryAfter: 'none' });
		expect((await list()).headers.get('retry-after')).toBeNull();
	});
});
