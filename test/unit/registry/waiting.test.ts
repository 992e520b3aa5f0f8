// How long requests wait for a service that refuses them, alone and together. At which rate they are sent
// is in pace.test.ts.
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
const HOUR = 60 * MINUTE;
// Other tests shorten these: here they are as users have them.
Object.assign(REQUEST_LIMIT, { patience: MINUTE, patienceOfTrigger: HOUR, beforeRetry: 500 });
PACE.first = 350;

/** The last one is given again and again. */
let answers: Array<{ statusCode: number; headers: Record<string, string>; body: unknown }>;
/** When each request was sent, in milliseconds. */
let sent: number[];
let apiKey = 'key';

beforeEach(() => {
	jest.useFakeTimers();
	sent = [];
	// What is known of an account outlives a test.
	apiKey += '+';
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** The service as a picker sees it, or a life-cycle hook of the trigger. */
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

type Outcome = 'let through' | 'given up' | 'stopped';

async function request(
	registry: Registry,
	{ method = 'GET', signal }: { method?: 'GET' | 'POST'; signal?: AbortSignal } = {},
): Promise<Outcome> {
	return await registry.request({ method, path: '/v1/webhooks' }, webhookListSchema, signal).then(
		() => 'let through',
		(reason: unknown) => {
			if (reason instanceof RegistryFailure) return 'given up';
			expect(reason).toBe(signal?.reason);
			return 'stopped';
		},
	);
}

/** How it ended, and after how many seconds; undefined if it has not in this time. */
async function endOf(outcome: Promise<Outcome>): Promise<[Outcome, number] | undefined> {
	const began = Date.now();
	let end: [Outcome, number] | undefined;
	void outcome.then((how) => (end = [how, (Date.now() - began) / SECOND]));
	while (end === undefined && Date.now() - began < 2 * HOUR) {
		await jest.advanceTimersByTimeAsync(100);
	}
	return end;
}

const ACCEPTED = { statusCode: 200, headers: {}, body: { data: [] } };

function refusing(statusCode: number, retryAfter?: string): void {
	const headers: Record<string, string> =
		retryAfter === undefined ? {} : { 'retry-after': retryAfter };
	answers = [{ statusCode, headers, body: {} }];
}

/** Seconds from each request to the next. */
const waits = () => sent.slice(1).map((at, index) => (at - sent[index]) / SECOND);

describe.each([
	['picker', MINUTE],
	['trigger', HOUR],
] as const)('a request of a %s', (by, patience) => {
	it('waits so long for a service that refuses all, and less and less often', async () => {
		refusing(429);
		const [how, after] = (await endOf(request(await open(by), { method: 'POST' }))) ?? [];
		expect(how).toBe('given up');
		expect(after).toBeCloseTo(patience / SECOND, 0);
		const [first, ...later] = waits();
		expect(first).toBeGreaterThanOrEqual(0.35);
		expect(later.filter((wait) => wait > 16)).toEqual([]);
		expect(sent.length).toBeLessThan(12 + patience / (15 * SECOND));
	});

	it('waits for as long as it is asked to, if it waits so long at all', async () => {
		refusing(503, String(patience / SECOND));
		answers.push(ACCEPTED);
		const registry = await open(by);
		const [how, after] = (await endOf(request(registry, { method: 'POST' }))) ?? [];
		expect(how).toBe('let through');
		expect(after).toBeGreaterThanOrEqual(patience / SECOND);
		expect(after).toBeLessThan(patience / SECOND + 1);

		await jest.advanceTimersByTimeAsync(5 * SECOND);
		refusing(503, String(patience / SECOND + 1));
		expect(await endOf(request(registry, { method: 'POST' }))).toEqual(['given up', 0]);
		expect(sent).toHaveLength(3);
	});

	it('ends at once when its signal is aborted, however long it was to wait', async () => {
		refusing(429, String(patience / SECOND));
		const registry = await open(by);
		const controller = new AbortController();
		const { signal } = controller;
		const refused = request(registry, { signal });
		await jest.advanceTimersByTimeAsync(10 * SECOND);
		const heldBack = request(registry, { signal });
		await jest.advanceTimersByTimeAsync(10 * SECOND);
		controller.abort(new Error('Something else is wanted'));
		await jest.advanceTimersByTimeAsync(100);
		expect(await Promise.all([refused, heldBack])).toEqual(['given up', 'stopped']);
		expect(sent).toHaveLength(1);
	});
});

describe('Retry-After', () => {
	it.each([
		['in seconds', () => '5', 5],
		['in seconds and a part', () => '1.5', 1.5],
		['as a date', () => new Date(Date.now() + 6000).toUTCString(), 5],
		['that is none', () => 'soon', 0.35],
		['of a time before', () => '-1', 0.35],
		['that is empty', () => '', 0.35],
	])('%s is waited for', async (_form, header, least) => {
		refusing(429, header());
		answers.push(ACCEPTED);
		const end = await endOf(request(await open(), { method: 'POST' }));
		expect(end?.[0]).toBe('let through');
		expect(sent).toHaveLength(2);
		expect(waits()[0]).toBeGreaterThanOrEqual(least);
		expect(waits()[0]).toBeLessThanOrEqual(least + 1);
	});

	it('of another status is not read', async () => {
		refusing(500, '30');
		answers.push(ACCEPTED);
		expect((await endOf(request(await open())))?.[1]).toBeLessThan(1);
	});
});

describe('what one request of an account learns', () => {
	it('holds back all others, of the trigger too', async () => {
		refusing(429, '20');
		answers.push(ACCEPTED);
		const [picker, trigger] = [await open(), await open('trigger')];
		const first = request(picker);
		await jest.advanceTimersByTimeAsync(SECOND);
		await endOf(Promise.all([first, request(picker), request(trigger)]).then(() => 'let through'));
		expect(sent).toHaveLength(4);
		expect(waits()[0]).toBeGreaterThanOrEqual(20);
	});

	it('does not make those that wait less wait more: they ask once, and what they learn counts for all', async () => {
		refusing(429, '1800');
		const trigger = request(await open('trigger'));
		await jest.advanceTimersByTimeAsync(SECOND);
		const picker = await open();
		expect((await endOf(request(picker)))?.[0]).toBe('given up');
		answers = [ACCEPTED];
		expect((await endOf(request(picker)))?.[0]).toBe('let through');
		expect((await endOf(trigger))?.[1]).toBeLessThan(SECOND);
	});

	it('does not end the patience of those that come later', async () => {
		refusing(429);
		expect((await endOf(request(await open())))?.[0]).toBe('given up');
		const end = await endOf(request(await open()));
		expect(end?.[1]).toBeCloseTo(60, 0);
	});

	it('is not blocked by requests that were stopped', async () => {
		refusing(429, '5');
		const registry = await open();
		const controller = new AbortController();
		const stopped = Array.from({ length: 20 }, async () =>
			request(registry, { signal: controller.signal }),
		);
		await jest.advanceTimersByTimeAsync(SECOND);
		controller.abort();
		answers = [ACCEPTED];
		await endOf(Promise.all(stopped).then(() => 'stopped'));
		expect((await endOf(request(registry)))?.[1]).toBeLessThan(5);
	});
});

it('a request is sent three times for faults that may pass, beside those that were refused', async () => {
	answers = [429, 503, 429, 503, 429, 503].map((statusCode) => ({
		statusCode,
		headers: {},
		body: {},
	}));
	expect((await endOf(request(await open())))?.[0]).toBe('given up');
	expect(sent).toHaveLength(6);
});

it('requests that begin together take turns', async () => {
	refusing(429, '1');
	answers.push(ACCEPTED);
	const registry = await open();
	await endOf(request(registry));
	await jest.advanceTimersByTimeAsync(5 * SECOND);
	sent = [];
	const ten = Array.from({ length: 10 }, async () => await request(registry));
	await endOf(Promise.all(ten).then(() => 'let through'));
	expect(waits().filter((wait) => wait > 0.1).length).toBeGreaterThan(5);
});

it('gives a service that is silent 15 seconds, and one whose answer trickles in a minute', async () => {
	// Other tests shorten both; this is the code as it comes.
	await jest.isolateModulesAsync(async () => {
		const { REQUEST_LIMIT: asItComes } = await import(
			'../../../nodes/CompanyRegistry/registry/registry'
		);
		expect(asItComes).toEqual({
			silence: 15_000,
			inAll: 60_000,
			silenceForItem: 300_000,
			patience: MINUTE,
			patienceOfTrigger: HOUR,
			beforeRetry: 500,
		});
	});
});
