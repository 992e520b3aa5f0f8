// One request to the service: attempts, limits and the account. test/unit/registry/waiting.test.ts covers the waits.
import { setTimeout as sleep } from 'node:timers/promises';

import {
	openRegistry,
	REQUEST_LIMIT,
	type Registry,
} from '../../../nodes/CompanyRegistry/registry/registry';
import { createWebhook, updateWebhook } from '../../../nodes/CompanyRegistry/registry/webhooks';
import { freePort } from '../../n8n-host/ports';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { failureOf } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { hookContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const NEW_WEBHOOK = {
	url: 'https://n8n.example.com/webhook?ref=1',
	company_number: '00445790',
	events: ['filing.new'],
};

const simulator = serviceForEachTest();
let registry: Registry;
beforeEach(async () => void (registry = await open(simulator)));

async function open(service: Pick<Simulator, 'url' | 'apiKey'>): Promise<Registry> {
	return await openRegistry(hookContext(watch(service, ['1']).load()));
}

const create = async () => await createWebhook(registry, NEW_WEBHOOK);

it('the account is identified by base URL and token, without revealing the token', async () => {
	const pasted = await open({ url: `${simulator.url}/v1/`, apiKey: simulator.apiKey });
	expect(registry.account).toBe(pasted.account);
	expect(registry.account).toMatch(new RegExp(`^${simulator.url}#[\\w-]{8}$`));
	const another = await open({ url: simulator.url, apiKey: simulator.addApiKey() });
	expect(another.account).not.toBe(registry.account);
});

const inTwoHours = { 'Retry-After': '7200' };

it.each<[string, FaultAction, number, number]>([
	['a redirect', { status: 302, headers: { Location: '/v1/elsewhere' } }, 1, 1],
	['a web page', { raw: '<html></html>' }, 1, 1],
	['a 408', { status: 408 }, 1, 3],
	['a 500', { status: 500 }, 1, 3],
	['a 503 without Retry-After', { status: 503 }, 1, 3],
	['a 503 with Retry-After of two hours', { status: 503, headers: inTwoHours }, 1, 1],
	['a dropped connection', 'drop', 1, 3],
	['a lost answer', 'dropAfter', 1, 3],
	['an answer that never ends', 'trickle', 1, 1],
])('a POST and a PATCH are sent only as often as is safe after %s', async (...row) => {
	const [, action, asPost, asPatch] = row;
	jest.replaceProperty(REQUEST_LIMIT, 'inAll', 500);
	simulator.fault({ times: Infinity, action });
	await failureOf(updateWebhook(registry, 'wh_1', { is_active: false }));
	expect(simulator.requests).toHaveLength(asPatch);
	simulator.clearRequests();
	await failureOf(create());
	expect(simulator.requests).toHaveLength(asPost);
});

it('a POST that did not connect is sent again', async () => {
	jest.replaceProperty(REQUEST_LIMIT, 'beforeRetry', 500);
	const port = await freePort();
	registry = await open({ url: `http://127.0.0.1:${port}`, apiKey: 'key' });
	const created = create();
	await sleep(100);
	const late = await startSimulator({ port });
	// It does not know the key, so the 401 proves a second attempt.
	expect(await failureOf(created)).toMatchObject({ status: 401 });
	expect(late.requests).toHaveLength(1);
	await late.close();
});

it('an open request is completed after its signal is aborted', async () => {
	simulator.latencyMs = 300;
	const controller = new AbortController();
	const created = createWebhook(registry, NEW_WEBHOOK, controller.signal);
	await simulator.received(1);
	controller.abort();
	expect((await created).secret).toBe(simulator.webhooks()[0].secret);
});
