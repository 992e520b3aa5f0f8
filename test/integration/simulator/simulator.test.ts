// The stand-in answers as the service does, as far as its documentation shows, and has the faults that a test
// asks for. How it signs is seen where its deliveries are accepted.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

import { type Fault, type FaultAction, type Simulator, startSimulator } from '../../simulator';
import { call, createWebhook } from '../../simulator/client';
import { startTlsProxy, type TlsProxy } from '../../simulator/tlsProxy';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => await simulator.close());

const wanted = {
	url: 'https://n8n.example/hook',
	company_number: 'SL00911A',
	events: ['filing.new', 'psc.added'],
};
const list = async (token?: string) => await call(simulator, 'GET', '/v1/webhooks', { token });
const create = async (changes = {}) =>
	await call(simulator, 'POST', '/v1/webhooks', { body: { ...wanted, ...changes } });
const patch = async (id: string, body: object, token?: string) =>
	await call(simulator, 'PATCH', `/v1/webhooks/${id}`, { body, token });
const statuses = () => simulator.requests.map(({ status }) => status);

describe('a token', () => {
	it.each([
		['GET', '/v1/search?q=plc', 'data'],
		['GET', '/v1/webhooks', 'data'],
		['POST', '/v1/webhooks', 'data'],
		['PATCH', '/v1/webhooks/wh_unknown', 'data'],
		['GET', '/v1/usage', 'account'],
		['GET', '/v1/keys', 'account'],
	])('%s %s belongs to the %s routes', async (method, path, kind) => {
		const refused: boolean[] = [];
		for (const token of [null, 'wrong', simulator.apiKey, simulator.sessionToken]) {
			const { status, body } = await call(simulator, method, path, { token });
			refused.push(status === 401);
			const message = expect.stringMatching(/Bearer/);
			if (status === 401) expect(body).toEqual({ error: 'unauthorized', message, status });
		}
		expect(refused).toEqual([true, true, kind === 'account', false]);
	});
});

describe('a search', () => {
	it.each([
		['q=tessellate', ['99000001', '99000002']],
		['q=ip990cus', ['IP990CUS']],
		['q=tessellate&items_per_page=1', ['99000001']],
	])('%s finds %j', async (query, numbers) => {
		const { body } = await call(simulator, 'GET', `/v1/search?${query}`);
		const items = numbers.map((company_number) => expect.objectContaining({ company_number }));
		expect(body).toEqual({ data: { items } });
	});
});

describe('webhooks', () => {
	it('are created active, and then alone shown with the secret', async () => {
		const { status, body } = await create();
		const [{ id, secret }] = simulator.webhooks();
		const { url, ...shown } = { ...wanted, id, is_active: true };
		expect(body).toEqual({ data: { ...shown, secret: expect.stringMatching(/^whsec_.{32}$/) } });
		expect(simulator.webhooks()).toEqual([{ ...shown, url, secret, account: simulator.apiKey }]);
		expect((await list()).body).toEqual({ data: [shown] });
		expect((await patch(id, {})).body).toEqual({ data: shown });
		expect(status).toBe(201);
	});

	it('are changed in what is sent, events as a whole and the company never', async () => {
		const before = await createWebhook(simulator);
		for (const changes of [{ is_active: false }, { events: ['b'] }, { url: 'https://b.example' }]) {
			await patch(before.id, { ...changes, company_number: 'SC654321' });
		}
		const after = { is_active: false, events: ['b'], url: 'https://b.example' };
		expect(simulator.webhooks()).toEqual([{ ...before, ...after }]);
	});

	it.each([
		{ url: 'http://n8n.example/hook' },
		{ url: undefined },
		{ company_number: '445790' },
		{ events: [] },
	])('are not created with %j', async (changes) => {
		expect(await create(changes)).toMatchObject({ status: 400, body: { status: 400 } });
		expect(simulator.webhooks()).toEqual([]);
	});

	it('are known to their own account alone, until they are forgotten', async () => {
		const { id } = await createWebhook(simulator);
		const other = simulator.addAccount().apiKey;
		expect((await list(other)).body).toEqual({ data: [] });
		expect((await patch(id, {}, other)).status).toBe(404);
		simulator.forgetWebhook(id);
		expect((await patch(id, {})).status).toBe(404);
		expect((await list()).body).toEqual({ data: [] });
	});

	it('have no route to read or delete one', async () => {
		const { id } = await createWebhook(simulator);
		for (const method of ['GET', 'DELETE']) {
			expect((await call(simulator, method, `/v1/webhooks/${id}`)).status).toBe(404);
		}
	});

	it('are listed in part where asked', async () => {
		const short = await startSimulator({ listMaximum: 1 });
		const { id } = await createWebhook(short);
		await createWebhook(short);
		expect((await call(short, 'GET', '/v1/webhooks')).body).toMatchObject({ data: [{ id }] });
		await short.close();
	});
});

it('every request is recorded with its answer', async () => {
	await call(simulator, 'GET', '/v1/search?q=fox&items_per_page=2', { token: null });
	await create();
	const query = { q: 'fox', items_per_page: '2' };
	expect(simulator.requests).toMatchObject([
		{ method: 'GET', path: '/v1/search', query, body: undefined, status: 401 },
		{ method: 'POST', path: '/v1/webhooks', query: {}, body: wanted, status: 201 },
	]);
});

describe('a fault', () => {
	const action = { status: 500 };
	const isPsc = ({ body }: { body: unknown }) => String(JSON.stringify(body)).includes('psc.added');

	it.each<[string, Fault[], number[]]>([
		['the next request once', [{ action }], [500, 200, 201]],
		['its method', [{ method: 'POST', action }], [200, 200, 500]],
		['its path', [{ path: /search/, times: 9, action }], [200, 200, 201]],
		['what it asks of the body', [{ when: isPsc, action }], [200, 200, 500]],
		['from nth on, so many times', [{ nth: 2, times: 2, action }], [200, 500, 500]],
		['all requests', [{ times: Infinity, action }], [500, 500, 500]],
		['in its turn', [{ action }, { action: { status: 503 } }], [500, 503, 201]],
	])('hits %s', async (_which, faults, answered) => {
		faults.forEach((fault) => simulator.fault(fault));
		await list();
		await list();
		await create();
		expect(statuses()).toEqual(answered);
	});

	it('answers as it is told and processes nothing', async () => {
		const body = { message: 'Later' };
		simulator.fault({ action: { status: 503, body, headers: { 'Retry-After': '2' } } });
		const refused = await create();
		expect(refused).toMatchObject({ status: 503, body });
		expect(refused.headers.get('retry-after')).toBe('2');
		expect(simulator.webhooks()).toEqual([]);
	});

	it.each<[FaultAction, number]>([
		['drop', 0],
		['dropAfter', 1],
		['truncate', 1],
		['hang', 0],
		['trickle', 1],
	])('%s loses the answer, having stored %i webhooks', async (lost, stored) => {
		simulator.fault({ action: lost });
		const answer = create().catch(() => 'lost');
		expect(await Promise.race([answer, sleep(300, 'none yet')])).toBe(
			lost === 'hang' || lost === 'trickle' ? 'none yet' : 'lost',
		);
		expect(simulator.webhooks()).toHaveLength(stored);
		expect(statuses()).toEqual([0]);
		await simulator.close();
		expect(await answer).toBe('lost');
		simulator = await startSimulator();
	});

	it.each([
		['a delay', () => simulator.fault({ action: { delayMs: 150 } })],
		['latency', () => (simulator.latencyMs = 150)],
	])('of %s takes its time', async (_what, set) => {
		set();
		const start = performance.now();
		expect((await list()).status).toBe(200);
		expect(performance.now() - start).toBeGreaterThan(140);
	});

	it('of the rate lets through so many in a time', async () => {
		simulator.rateLimit({ requests: 1, perMs: 300 });
		await create();
		expect((await create()).headers.get('retry-after')).toBe('1');
		await sleep(310);
		await list();
		expect(statuses()).toEqual([201, 429, 200]);
		expect(simulator.webhooks()).toHaveLength(1);
	});
});

describe('a delivery', () => {
	let target: Server;
	let proxy: TlsProxy;
	let received: Array<{ headers: IncomingMessage['headers']; body: Buffer }>;
	let answers: Array<(res: ServerResponse) => void>;

	beforeAll(async () => {
		target = createServer((req, res) => {
			void buffer(req).then((body) => {
				received.push({ headers: req.headers, body });
				(answers.shift() ?? (() => res.end('taken')))(res);
			});
		});
		await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
		proxy = await startTlsProxy({ targetPort: (target.address() as AddressInfo).port });
	});
	beforeEach(() => {
		received = [];
		answers = [];
	});
	afterAll(async () => {
		await proxy.close();
		target.closeAllConnections();
		target.close();
	});

	const status = (code: number) => (res: ServerResponse) =>
		void res.writeHead(code, { 'Retry-After': '60' }).end();
	const drop = (res: ServerResponse) => void res.destroy();
	const deliver = async (delivery: Parameters<Simulator['deliver']>[1] = {}) => {
		const { id } = simulator.webhooks()[0] ?? (await createWebhook(simulator, proxy.url));
		return await simulator.deliver(id, { ca: proxy.ca, maxRetryWaitMs: 50, ...delivery });
	};

	it('comes signed, through a proxy that ends TLS, and hands the answer back', async () => {
		const { deliveryId, ...result } = await deliver();
		expect(result).toMatchObject({ status: 200, body: 'taken', attempts: 1 });
		const [{ headers, body }] = received;
		expect(headers).toMatchObject({
			'webhook-id': deliveryId,
			'webhook-signature': expect.stringMatching(/^v1,/),
			host: proxy.url.replace('https://', ''),
			'x-forwarded-proto': 'https',
		});
		expect(JSON.parse(body.toString())).toMatchObject({ event: 'filing.new' });
	});

	it('is of exact bytes, compressed or not, under one signature', async () => {
		const rawBody = Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0x7d]);
		await deliver({ rawBody, scheme: 'bodyHmac' });
		await deliver({ rawBody, scheme: 'bodyHmac', gzip: true });
		const [plain, zipped] = received;
		expect([plain.body, gunzipSync(zipped.body)]).toEqual([rawBody, rawBody]);
		expect(zipped.headers['x-webhook-signature']).toBe(plain.headers['x-webhook-signature']);
	});

	it('is forged with another secret, without a signature, or by its headers', async () => {
		const common = { rawBody: '{}', scheme: 'github' } as const;
		for (const forged of [{}, { secret: 'forged' }, { sign: false }]) {
			await deliver({ ...common, ...forged });
		}
		await deliver({ ...common, headers: { 'X-Hub-Signature-256': 'sha256=00' } });
		const [genuine, ...others] = received.map(({ headers }) => headers['x-hub-signature-256']);
		expect(others).toEqual([expect.stringMatching(/^sha256=\w{64}$/), undefined, 'sha256=00']);
		expect(others).not.toContain(genuine);
	});

	it.each([
		['429 and 503', () => [status(429), status(503)], { status: 200, attempts: 3 }],
		['500 for as often as asked', () => Array(4).fill(status(500)), { status: 500, attempts: 4 }],
		['a dropped connection', () => [drop], { status: 200, attempts: 2 }],
		['a 401 not at all', () => [status(401)], { status: 401, attempts: 1 }],
	])('is repeated after %s, with the same id and body', async (_what, given, expected) => {
		answers = given();
		// The proxy would answer a dropped connection with 502.
		const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
		expect(await deliver({ url, retries: 3 })).toMatchObject(expected);
		const sent = received.map(({ headers, body }) => `${headers['webhook-id']} ${String(body)}`);
		expect(new Set(sent).size).toBe(1);
	});

	it('fails by a dropped connection, a certificate that it does not trust, and closing', async () => {
		const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
		answers = [drop];
		await expect(deliver({ url })).rejects.toMatchObject({ code: 'ECONNRESET' });
		await expect(deliver({ ca: undefined })).rejects.toThrow(/self-signed/);
		answers = [status(503)];
		const waiting = deliver({ retries: 1, maxRetryWaitMs: 60_000 });
		while (received.length < 2) await sleep(5);
		await Promise.all([expect(waiting).rejects.toThrow(), simulator.close()]);
		simulator = await startSimulator();
	});

	it('finds 502 at a proxy whose target is down', async () => {
		const { url, ca, close } = await startTlsProxy({ targetPort: 1 });
		expect(await deliver({ url, ca })).toMatchObject({ status: 502 });
		await close();
	});

	it('goes to a paused webhook only when told to', async () => {
		const { id } = await createWebhook(simulator, proxy.url);
		await patch(id, { is_active: false });
		await expect(deliver()).rejects.toThrow(`${id} is paused`);
		expect(await deliver({ ignoreActive: true })).toMatchObject({ status: 200 });
	});
});
