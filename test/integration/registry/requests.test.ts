// One request to the service: when it is sent again, and what it says when it fails.
import { BACK_OFF } from '../../../nodes/CompanyRegistry/registry/backOff';
import { setTimeout as sleep } from 'node:timers/promises';

import { openRegistry, type Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import { webhookListSchema } from '../../../nodes/CompanyRegistry/registry/schemas';
import { createWebhook, updateWebhook } from '../../../nodes/CompanyRegistry/registry/webhooks';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { hookContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const NEW_WEBHOOK = {
	url: 'https://n8n.example.com/webhook?ref=1',
	company_number: '00445790',
	events: ['filing.new'],
};

let simulator: Simulator;
let registry: Registry;

beforeEach(async () => {
	simulator = await startSimulator();
	registry = await open(simulator);
});
afterEach(async () => {
	await simulator.close();
});

async function open(service: Pick<Simulator, 'url' | 'apiKey'>): Promise<Registry> {
	return await openRegistry(hookContext(watch(service, ['1']).load()));
}

const list = async (signal?: AbortSignal) =>
	await registry.request({ method: 'GET', path: '/v1/webhooks' }, webhookListSchema, signal);
const create = async () => await createWebhook(registry, NEW_WEBHOOK);

async function failureOf(request: () => Promise<unknown>): Promise<RegistryFailure> {
	const failure: unknown = await request().then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(failure instanceof RegistryFailure)) throw new Error(`Not a failure: ${String(failure)}`);
	return failure;
}

const unavailable = (retryAfter?: string): FaultAction => ({
	status: 503,
	headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
});

describe('a request', () => {
	it('carries the key, and returns the answer with fields that are not known yet', async () => {
		simulator.fault({
			action: {
				status: 200,
				body: { data: [{ ...NEW_WEBHOOK, id: 'wh_1', is_active: true, new_field: 1 }] },
			},
		});
		const { data } = await list();
		expect(data[0]).toMatchObject({ id: 'wh_1', new_field: 1 });
		await create();
		expect(simulator.webhooks(simulator.apiKey)).toHaveLength(1);
	});

	it('names the account by normalised base URL and token, which cannot be read from the name', async () => {
		const pasted = await open({ url: `${simulator.url}/v1/`, apiKey: simulator.apiKey });
		expect(registry.account).toBe(pasted.account);
		expect(registry.account).toMatch(new RegExp(`^${simulator.url}#[\\w-]{8}$`));
		const another = await open({ url: simulator.url, apiKey: simulator.addApiKey() });
		expect(another.account).not.toBe(registry.account);
	});
});

describe('a POST', () => {
	// Sent how often, and whether the service may have carried it out.
	it.each<[string, FaultAction, number, boolean]>([
		['401', { status: 401 }, 1, false],
		['400', { status: 400 }, 1, false],
		['402', { status: 402 }, 1, false],
		['a redirect', { status: 302, headers: { Location: '/v1/elsewhere' } }, 1, false],
		['500', { status: 500 }, 1, true],
		['502', { status: 502 }, 1, true],
		['503 without Retry-After', unavailable(), 1, false],
		['503 with Retry-After of an hour', unavailable('3600'), 1, false],
		['a dropped connection', 'drop', 1, true],
		['a lost answer', 'dropAfter', 1, true],
		['an answer that never ends', 'trickle', 1, true],
		['half an answer', 'truncate', 1, true],
		['a web page', { raw: '<html></html>' }, 1, true],
		['another shape', { status: 200, body: {} }, 1, true],
	])('that meets %s', async (_what, action, times, mayBeDone) => {
		simulator.fault({ times: Infinity, action });
		const failure = await failureOf(create);
		expect(simulator.requests).toHaveLength(times);
		expect(failure.kind === 'unclear').toBe(mayBeDone);
	});

	it.each<[string, FaultAction]>([
		['429', { status: 429 }],
		['429 with Retry-After', { status: 429, headers: { 'Retry-After': '1' } }],
		['503 with Retry-After', unavailable('1')],
	])('that meets %s is sent again', async (_what, action) => {
		simulator.fault({ action });
		await create();
		expect(simulator.requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
		expect(simulator.webhooks()).toHaveLength(1);
	});

	it('that could not connect is sent again', async () => {
		const { url } = simulator;
		await simulator.close();
		const created = create();
		await sleep(100);
		simulator = await startSimulator({ port: Number(new URL(url).port) });
		// The new stand-in has other keys: that it answers at all is what counts.
		expect((await failureOf(async () => await created)).status).toBe(401);
		expect(simulator.requests).toHaveLength(1);
	});
});

describe.each([
	['GET', async () => await list()],
	['PATCH', async () => await updateWebhook(registry, 'wh_1', { is_active: false })],
])('a %s', (_method, request) => {
	it.each<[string, FaultAction, number]>([
		['500', { status: 500 }, 3],
		['504', { status: 504 }, 3],
		['503 without Retry-After', unavailable(), 3],
		['503 with Retry-After of an hour', unavailable('3600'), 1],
		['429 with Retry-After of an hour', { status: 429, headers: { 'Retry-After': '3600' } }, 1],
		['a dropped connection', 'drop', 3],
		['400', { status: 400 }, 1],
		['401', { status: 401 }, 1],
		['404', { status: 404 }, 1],
		['a web page', { raw: '<html></html>' }, 1],
	])('that meets %s', async (_what, action, times) => {
		simulator.fault({ times: Infinity, action });
		await failureOf(request);
		expect(simulator.requests).toHaveLength(times);
	});
});

describe('Retry-After', () => {
	const waited = () => simulator.requests[1].at - simulator.requests[0].at;

	it('in seconds is waited for', async () => {
		simulator.fault({ action: { status: 429, headers: { 'Retry-After': '2' } } });
		await list();
		expect(waited()).toBeGreaterThanOrEqual(1990);
		expect(waited()).toBeLessThan(3500);
	});

	it('as a date is waited for', async () => {
		const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1000);
		simulator.fault({ action: { status: 503, headers: { 'Retry-After': date.toUTCString() } } });
		await list();
		expect(simulator.requests[1].at).toBeGreaterThanOrEqual(date.getTime() - 10);
		expect(simulator.requests[1].at).toBeLessThan(date.getTime() + 2500);
	});

	it.each(['soon', '-1', ''])('that is none (%p) leaves the wait to the node', async (value) => {
		simulator.fault({ action: { status: 429, headers: { 'Retry-After': value } } });
		await list();
		expect(waited()).toBeGreaterThanOrEqual(BACK_OFF.first / 2 - 10);
		expect(waited()).toBeLessThan(2500);
	});

	it('keeps every request of the run back', async () => {
		simulator.fault({ action: { status: 429, headers: { 'Retry-After': '2' } } });
		const first = list();
		while (simulator.requests.length === 0 || simulator.requests[0].status === 0) await sleep(5);
		await sleep(50);
		await Promise.all([first, list(), list()]);
		const [refused, ...others] = simulator.requests.map(({ at }) => at);
		expect(Math.min(...others) - refused).toBeGreaterThanOrEqual(1990);
	});
});

describe('a signal', () => {
	it('keeps what was not sent from being sent, with its reason', async () => {
		const reason = new Error('Something else is wanted');
		await expect(list(AbortSignal.abort(reason))).rejects.toBe(reason);
		expect(simulator.requests).toEqual([]);
	});

	it('ends the wait for the next attempt, with the failure of the last', async () => {
		simulator.fault({ times: Infinity, action: { status: 429, headers: { 'Retry-After': '30' } } });
		const controller = new AbortController();
		const reason = new Error('Something else is wanted');
		const refused = failureOf(async () => await list(controller.signal));
		while (simulator.requests.length === 0 || simulator.requests[0].status === 0) await sleep(5);
		const heldBack = list(controller.signal);
		controller.abort(reason);
		expect((await refused).status).toBe(429);
		await expect(heldBack).rejects.toBe(reason);
		expect(simulator.requests).toHaveLength(1);
	});

	it('lets an answer that is under way arrive', async () => {
		simulator.latencyMs = 300;
		const controller = new AbortController();
		const created = createWebhook(registry, NEW_WEBHOOK, controller.signal);
		while (simulator.requests.length === 0) await sleep(5);
		controller.abort();
		expect((await created).secret).toBe(simulator.webhooks()[0].secret);
	});
});

it('a failure holds neither the key nor a secret that the service repeats', async () => {
	const body = {
		error: 'unauthorized',
		message: `Bearer ${simulator.apiKey} is unknown; whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`,
		status: 401,
	};
	simulator.fault({ action: { status: 401, body } });
	const { message, description } = await failureOf(create);
	expect(`${message} ${description}`).toContain('The service said: ');
	expect(`${message} ${description}`).not.toContain(simulator.apiKey);
	expect(`${message} ${description}`).not.toContain('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
});
