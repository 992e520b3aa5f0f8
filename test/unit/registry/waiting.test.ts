// How long requests wait for a service that refuses them, alone and together. pace.test.ts covers the rate, and
// test/integration/resources/run.test.ts a run that is cancelled.
import { PACE } from '../../../nodes/CompanyRegistry/registry/pace';
import {
	openRegistry,
	REQUEST_LIMIT,
	type Registry,
	type RegistryContext,
} from '../../../nodes/CompanyRegistry/registry/registry';
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import { webhookListSchema } from '../../../nodes/CompanyRegistry/registry/schemas';
import { hookContext, loadOptionsContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
// Users' times; other tests use shorter ones.
Object.assign(REQUEST_LIMIT, { patience: MINUTE, beforeRetry: 500 });
PACE.first = 350;

/** The last answer repeats. */
let answers: Array<{ statusCode: number; headers: Record<string, string>; body: unknown }>;
/** When each request was sent, in milliseconds. */
let sent: number[];
let apiKey = 'key';

beforeEach(() => {
	jest.useFakeTimers();
	sent = [];
	// A new account, because paces outlive a test.
	apiKey += '+';
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

async function open(by: 'picker' | 'trigger' = 'picker'): Promise<Registry> {
	const workflow = watch({ url: 'https://registry.example.com', apiKey }, ['1']);
	const context: RegistryContext =
		by === 'picker' ? loadOptionsContext(workflow.setup) : hookContext(workflow.load());
	jest.spyOn(context.helpers, 'httpRequestWithAuthentication').mockImplementation(async () => {
		sent.push(Date.now());
		return answers.length > 1 ? answers.shift() : answers[0];
	});
	return await openRegistry(context);
}

type Outcome = 'accepted' | 'given up';

async function request(registry: Registry, method: 'GET' | 'POST' = 'GET'): Promise<Outcome> {
	return await registry.request({ method, path: '/v1/webhooks' }, webhookListSchema).then(
		() => 'accepted',
		(reason: unknown) => {
			expect(reason).toBeInstanceOf(RegistryFailure);
			return 'given up';
		},
	);
}

/** The outcome, and after how many seconds. */
async function endOf(outcome: Promise<Outcome>): Promise<[Outcome, number]> {
	const began = Date.now();
	let end: [Outcome, number] | undefined;
	void outcome.then((how) => (end = [how, (Date.now() - began) / SECOND]));
	while (Date.now() - began < 5 * MINUTE) {
		await jest.advanceTimersByTimeAsync(100);
		if (end !== undefined) return end;
	}
	throw new Error('The request did not end within five minutes');
}

const ACCEPTED = { statusCode: 200, headers: {}, body: { data: [] } };

function refusing(statusCode: number, retryAfter = ''): void {
	answers = [{ statusCode, headers: { 'retry-after': retryAfter }, body: {} }];
}

/** Seconds from each request to the next. */
const waits = () => sent.slice(1).map((at, index) => (at - sent[index]) / SECOND);

describe('a service that refuses every request', () => {
	it('gets ever fewer for a minute', async () => {
		refusing(429);
		const [outcome, after] = await endOf(request(await open(), 'POST'));
		expect(outcome).toBe('given up');
		expect(after).toBeCloseTo(60, 0);
		const [first, ...later] = waits();
		expect(first).toBeGreaterThanOrEqual(0.35);
		expect(later.filter((wait) => wait > 16)).toEqual([]);
		expect(sent.length).toBeLessThan(16);
	});

	it('gets the next request after the wait that it asked for, if that is at most a minute', async () => {
		refusing(503, '60');
		answers.push(ACCEPTED);
		const registry = await open();
		const [outcome, after] = await endOf(request(registry, 'POST'));
		expect(outcome).toBe('accepted');
		expect(after).toBeGreaterThanOrEqual(60);
		expect(after).toBeLessThan(61);

		await jest.advanceTimersByTimeAsync(5 * SECOND);
		refusing(503, '61');
		expect(await endOf(request(registry, 'POST'))).toEqual(['given up', 0]);
		expect(sent).toHaveLength(3);
	});
});

it.each([
	['as a date', () => new Date(Date.now() + 6000).toUTCString(), 5],
	['that is not a time', () => 'soon', 0.35],
])('a Retry-After %s delays the next attempt', async (_form, header, least) => {
	refusing(429, header());
	answers.push(ACCEPTED);
	const [outcome] = await endOf(request(await open(), 'POST'));
	expect(outcome).toBe('accepted');
	expect(sent).toHaveLength(2);
	expect(waits()[0]).toBeGreaterThanOrEqual(least);
	expect(waits()[0]).toBeLessThanOrEqual(least + 1);
});

describe('the pace of an account', () => {
	it('holds back the requests of every picker and trigger', async () => {
		refusing(429, '20');
		answers.push(ACCEPTED);
		const [picker, trigger] = [await open(), await open('trigger')];
		const first = request(picker);
		await jest.advanceTimersByTimeAsync(SECOND);
		await endOf(Promise.all([first, request(picker), request(trigger)]).then(() => 'accepted'));
		expect(sent).toHaveLength(4);
		expect(waits()[0]).toBeGreaterThanOrEqual(20);
	});

	it('gives a later caller a minute of its own', async () => {
		refusing(429);
		expect((await endOf(request(await open())))[0]).toBe('given up');
		expect((await endOf(request(await open())))[1]).toBeCloseTo(60, 0);
	});

	it('lets a new caller ask once, although an earlier one was told to wait longer', async () => {
		refusing(429, '1800');
		expect((await endOf(request(await open())))[0]).toBe('given up');
		answers = [ACCEPTED];
		expect((await endOf(request(await open())))[0]).toBe('accepted');
	});
});

it('a request has three attempts for transient faults, and refusals do not count', async () => {
	answers = [429, 503, 429, 503, 429, 503].map((statusCode) => ({ ...ACCEPTED, statusCode }));
	expect((await endOf(request(await open())))[0]).toBe('given up');
	expect(sent).toHaveLength(6);
});
