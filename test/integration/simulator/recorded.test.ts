// `npm run record` writes what a service does without anything secret, and the change that has the trigger follow it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';

import * as service from '../../../nodes/CompanyRegistry/trigger/signatures/serviceScheme';

import { freePort } from '../../n8n-host/ports';
import { waitFor } from '../../n8n-host/waitFor';
import { changeToMake } from '../../recorded/change';
import { record, type Recording } from '../../recorded/record';
import type { CustomScheme } from '../../simulator';
import { startTlsProxy, type TlsProxy } from '../../simulator/tlsProxy';
import { serviceForEachTest } from '../../support/atService';
import { startPublishedTrigger } from '../../support/triggerHarness';
import { described, recognised } from '../../support/senders';
import { useRealClock } from '../../support/times';

beforeAll(useRealClock);

jest.setTimeout(180_000);

const COMPANY = '99000001';
const repository = resolve(__dirname, '../../..');
const simulator = serviceForEachTest();
const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
afterAll(() => rmSync(folder, { recursive: true }));

let proxy: TlsProxy;
let port: number;
beforeEach(async () => {
	port = await freePort();
	proxy = await startTlsProxy({ targetPort: port });
});
afterEach(async () => {
	jest.restoreAllMocks();
	await proxy.close();
});

function npmRunRecord(args: string[]) {
	const script = join(repository, 'scripts', 'record.mjs');
	const child = spawn(
		process.execPath,
		[script, ...args, '--into', folder, '--port', String(port)],
		{
			cwd: repository,
			env: {
				...process.env,
				COMPANY_REGISTRY_BASE_URL: `${simulator.url}/v1/`,
				COMPANY_REGISTRY_API_KEY: simulator.apiKey,
				N8N_WEBHOOK_URL: `${proxy.url}/`,
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		},
	);
	let said = '';
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
	return { child, said: () => said };
}

async function createdWebhook() {
	return await waitFor('the webhook', () =>
		simulator.webhooks().find(({ is_active }) => is_active),
	);
}

it('npm run record searches, creates, takes a delivery and pauses, and writes all without secrets', async () => {
	const { child, said } = npmRunRecord(['--company', COMPANY]);
	const { id, secret, url } = await createdWebhook();
	await waitFor('it to wait', () => said().includes('Waiting'));
	// From someone else, or a check of the address.
	await simulator.deliver(id, { ca: proxy.ca, secret: 'another', deliveryId: 'not genuine' });
	await simulator.deliver(id, { ca: proxy.ca, scheme: 'stripe' });
	expect(await once(child, 'exit')).toEqual([0, null]);

	expect(simulator.webhooks()).toEqual([expect.objectContaining({ id, is_active: false })]);
	const [file] = readdirSync(folder);
	const text = readFileSync(join(folder, file), 'utf8');
	const reference = new URL(url).searchParams.get('ref');
	for (const hidden of [simulator.apiKey, secret, id, reference, new URL(proxy.url).host]) {
		expect(text).not.toContain(hidden);
	}
	for (const hidden of [simulator.apiKey, secret, reference]) expect(said()).not.toContain(hidden);
	const { exchanges, delivery }: Recording = JSON.parse(text);
	expect(
		exchanges.map(({ request: { method, path }, answer }) => [method, path, answer.status]),
	).toEqual([
		['GET', '/v1/webhooks', 401],
		['GET', `/v1/search?q=${COMPANY}&items_per_page=2`, 200],
		['POST', '/v1/webhooks', 201],
		['GET', '/v1/webhooks', 200],
		['PATCH', '/v1/webhooks/<webhook id>', 200],
	]);
	expect(exchanges[2].answer.body).toMatchObject({
		data: { id: '<webhook id>', secret: expect.stringMatching(/^<secret: /) },
	});
	expect(delivery).toMatchObject({
		headers: { 'stripe-signature': 't=<10 digits>,v1=<64 hex>' },
		body: { event: 'filing.new', company_number: COMPANY },
		signed: { reason: 'recognised', scheme: { header: 'Stripe-Signature' } },
	});
	expect(said()).toContain('To accept this one and nothing else:');
});

/** Records the simulator, with one delivery that it signs like this. */
async function recordDelivery(custom: CustomScheme): Promise<Recording> {
	const { url: baseUrl, apiKey } = simulator;
	return await record({
		...{ baseUrl, apiKey, publicUrl: proxy.url, port, company: COMPANY, waitMs: 30_000 },
		log(line) {
			const [webhook] = simulator.webhooks();
			if (line.startsWith('Waiting')) void simulator.deliver(webhook.id, { ca: proxy.ca, custom });
		},
	});
}

const senders = [...recognised, ...described].filter(({ name }) =>
	['GitHub', 'Zoom', 'OpenRegister', 'Sinch'].includes(name),
);
it.each(senders)('its change lets the trigger take what $name signs', async ({ signs }) => {
	const change = changeToMake(await recordDelivery(signs));
	// What it has put into the file.
	const [, code] = /SERVICE_SCHEME: .* = (\{[^]*?\n\});/.exec(change) ?? [];
	jest.replaceProperty(service, 'SERVICE_SCHEME', runInNewContext(`(${code})`));
	const trigger = await startPublishedTrigger(COMPANY);
	try {
		trigger.serve();
		expect(await trigger.deliver({})).toMatchObject({ status: 200 });
		expect(await trigger.deliver({ custom: signs, payload: {} })).toMatchObject({ status: 200 });
		const others = { custom: { header: 'x-other-signature' } };
		expect(await trigger.deliver(others)).toMatchObject({ status: 401 });
	} finally {
		await trigger.close();
	}
});

it('pauses what it has created also when it is broken off, and says that no delivery came', async () => {
	const { child, said } = npmRunRecord(['--company', COMPANY]);
	await createdWebhook();
	await waitFor('it to wait', () => said().includes('Waiting'));
	child.kill('SIGTERM');
	expect(await once(child, 'exit')).toEqual([0, null]);
	expect(said()).toContain('No delivery came.');
	expect(simulator.webhooks()).toEqual([expect.objectContaining({ is_active: false })]);
});
