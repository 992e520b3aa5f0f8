// The stand-in signs and sends deliveries as real senders do, and sends them again.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import {
	type CustomScheme,
	type SchemeName,
	type Simulator,
	startSimulator,
	type StoredWebhook,
} from '../../simulator';
import { call, createWebhook } from '../../simulator/client';
import { signDelivery } from '../../simulator/signing';
import { startTlsProxy, type TlsProxy } from '../../simulator/tlsProxy';

interface Received {
	path: string | undefined;
	headers: IncomingMessage['headers'];
	body: Buffer;
}

let simulator: Simulator;
let webhook: StoredWebhook;
let target: Server;
let proxy: TlsProxy;
let received: Received[];
let answer: (res: ServerResponse) => void;

beforeAll(async () => {
	simulator = await startSimulator();
	target = createServer((req, res) => {
		buffer(req).then(
			(body) => {
				received.push({ path: req.url, headers: req.headers, body });
				answer(res);
			},
			(error: Error) => res.destroy(error),
		);
	});
	await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
	proxy = await startTlsProxy({ targetPort: (target.address() as AddressInfo).port });
	webhook = await createWebhook(simulator, `${proxy.url}/hook?ref=1`);
});

beforeEach(() => {
	received = [];
	answer = (res) => res.end('taken');
});

afterAll(async () => {
	await simulator.close();
	await proxy.close();
	target.closeAllConnections();
	await new Promise((resolve) => target.close(resolve));
});

describe('signatures', () => {
	const signable = {
		secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
		timestamp: 1614265330,
		body: Buffer.from('{"test": 2432232314}'),
	};
	const { id } = signable;
	const timestamp = '1614265330';
	const hex = '80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c';
	const everyOption: CustomScheme = {
		header: 'X-Signature',
		algorithm: 'sha512',
		encoding: 'hex',
		prefix: 'v0=',
		content: 'v0:{timestamp}:{id}:{body}',
		timestampHeader: 'X-Time',
		idHeader: 'X-Id',
		secretEncoding: 'base64',
	};

	// The first is the public vector of Standard Webhooks; the rest was computed with openssl.
	it.each<[SchemeName | CustomScheme, Record<string, string>]>([
		[
			'standardWebhooks',
			{
				'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
				'webhook-id': id,
				'webhook-timestamp': timestamp,
			},
		],
		[
			'svix',
			{
				'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
				'svix-id': id,
				'svix-timestamp': timestamp,
			},
		],
		[
			'stripe',
			{
				'stripe-signature':
					't=1614265330,v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964',
			},
		],
		['github', { 'x-hub-signature-256': `sha256=${hex}`, 'x-github-delivery': id }],
		[
			'shopify',
			{
				'x-shopify-hmac-sha256': 'gOyKic480iEzoQZsrstNBP6nRnZXyFFNcX7ELDilyUw=',
				'x-shopify-webhook-id': id,
			},
		],
		['linear', { 'linear-signature': hex, 'linear-delivery': id }],
		['bodyHmac', { 'x-webhook-signature': hex }],
		[
			everyOption,
			{
				'x-signature':
					'v0=534479ca5ca5186470ed1718043ea9e9e44fcaeaba4841f90bf09ff2fdfb90d3a114c66e793aa2141c79bd57b3996ea9f4bb00785e522e4dba459dcbfea73961',
				'x-time': timestamp,
				'x-id': id,
			},
		],
	])('signs as %p', (scheme, headers) => {
		expect(signDelivery(scheme, signable)).toEqual(headers);
	});

	it("agrees with GitHub's public vector", () => {
		const secret = "It's a Secret to Everybody";
		expect(
			signDelivery('github', { ...signable, secret, body: Buffer.from('Hello, World!') }),
		).toMatchObject({
			'x-hub-signature-256':
				'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
		});
	});
});

describe('through the TLS proxy', () => {
	const deliver = (delivery: Parameters<Simulator['deliver']>[1]) =>
		simulator.deliver(webhook.id, { ca: proxy.ca, ...delivery });

	it('sends a signed notification and hands back the answer', async () => {
		answer = (res) => res.writeHead(202, { 'X-Seen': ['a', 'b'] }).end('taken');
		const result = await deliver({});
		expect(result).toMatchObject({
			status: 202,
			body: 'taken',
			attempts: 1,
			headers: { 'x-seen': 'a, b' },
		});

		const [{ path, headers, body } = { path: '', headers: {}, body: Buffer.alloc(0) }] = received;
		const timestamp = Number(headers['webhook-timestamp']);
		expect(path).toBe('/hook?ref=1');
		expect(Math.abs(Date.now() / 1000 - timestamp)).toBeLessThan(5);
		expect(headers).toMatchObject({
			...signDelivery('standardWebhooks', {
				secret: webhook.secret,
				body,
				id: result.deliveryId,
				timestamp,
			}),
			'content-type': 'application/json',
			host: proxy.url.replace('https://', ''),
			'x-forwarded-proto': 'https',
			'x-forwarded-for': '127.0.0.1',
		});
		expect(JSON.parse(body.toString())).toMatchObject({
			id: result.deliveryId,
			event: 'filing.new',
			company_number: '00445790',
		});
	});

	it('sends exact bytes, as they are or compressed, under one signature', async () => {
		const rawBody = Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0x7d]);
		await deliver({ rawBody, scheme: 'bodyHmac' });
		await deliver({ rawBody, scheme: 'bodyHmac', gzip: true });
		const [plain, zipped] = received;
		expect(plain?.body).toEqual(rawBody);
		expect(gunzipSync(zipped?.body ?? '')).toEqual(rawBody);
		expect(zipped?.headers['content-encoding']).toBe('gzip');
		expect(zipped?.headers['x-webhook-signature']).toBe(plain?.headers['x-webhook-signature']);
	});

	it('forges: another secret, no signature, other headers', async () => {
		const common = { rawBody: '{}', scheme: 'github', deliveryId: 'd1' } as const;
		await deliver({ ...common, secret: 'forged' });
		await deliver({ ...common, sign: false });
		await deliver({ ...common, headers: { 'X-Hub-Signature-256': 'sha256=00' } });
		const forged = signDelivery('github', {
			secret: 'forged',
			body: Buffer.from('{}'),
			id: 'd1',
			timestamp: 0,
		});
		expect(received.map(({ headers }) => headers['x-hub-signature-256'])).toEqual([
			forged['x-hub-signature-256'],
			undefined,
			'sha256=00',
		]);
	});

	it('retries 429 and 5xx with the same id and body, waiting as asked up to the cap', async () => {
		const statuses = [429, 503, 200];
		answer = (res) => res.writeHead(statuses.shift() ?? 500, { 'Retry-After': '60' }).end();
		const start = performance.now();
		const result = await deliver({ retries: 5, maxRetryWaitMs: 150 });
		expect(result).toMatchObject({ status: 200, attempts: 3 });
		expect(performance.now() - start).toBeGreaterThan(290);
		expect(new Set(received.map(({ body }) => body.toString())).size).toBe(1);
		expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(
			new Set([result.deliveryId]),
		);
	});

	it('stops after the retries asked for, and does not retry a 401', async () => {
		answer = (res) => res.writeHead(500).end();
		expect(await deliver({ retries: 1 })).toMatchObject({ status: 500, attempts: 2 });
		answer = (res) => res.writeHead(401).end();
		expect(await deliver({ retries: 1 })).toMatchObject({ status: 401, attempts: 1 });
	});

	it('retries a network failure and throws it when it stays', async () => {
		const answers = [
			(res: ServerResponse) => res.destroy(),
			(res: ServerResponse) => res.end('taken'),
		];
		answer = (res) => answers.shift()?.(res);
		// The proxy turns the target's silence into 502, so this one goes straight to the target.
		const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
		expect(await deliver({ url, retries: 1 })).toMatchObject({ body: 'taken', attempts: 2 });
		answer = (res) => res.destroy();
		await expect(deliver({ url, retries: 1 })).rejects.toMatchObject({ code: 'ECONNRESET' });
	});

	it('answers 502 for a target that is down', async () => {
		const orphan = await startTlsProxy({ targetPort: 1 });
		expect(await deliver({ url: orphan.url, ca: orphan.ca })).toMatchObject({ status: 502 });
		await orphan.close();
	});

	it('refuses a certificate that it was not told to trust', async () => {
		await expect(deliver({ ca: undefined })).rejects.toMatchObject({
			code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
		});
		expect(received).toEqual([]);
	});

	it('delivers to a paused webhook only when told to', async () => {
		const paused = await createWebhook(simulator, webhook.url);
		await call(simulator, 'PATCH', `/v1/webhooks/${paused.id}`, { body: { is_active: false } });
		await expect(simulator.deliver(paused.id, {})).rejects.toThrow(`${paused.id} is paused`);
		const result = await simulator.deliver(paused.id, { ca: proxy.ca, ignoreActive: true });
		expect(result.status).toBe(200);
	});
});

it('ends a pending retry when closed', async () => {
	const closing = await startSimulator();
	const { id } = await createWebhook(closing, webhook.url);
	answer = (res) => {
		res.writeHead(503, { 'Retry-After': '60' }).end();
		setTimeout(() => void closing.close(), 50);
	};
	const delivery = closing.deliver(id, { ca: proxy.ca, retries: 1, maxRetryWaitMs: 60_000 });
	await expect(delivery).rejects.toMatchObject({ name: 'AbortError' });
});
