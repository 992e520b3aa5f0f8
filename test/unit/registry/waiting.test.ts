// How long requests wait for the service, alone and together.
import { BACK_OFF } from '../../../nodes/CompanyRegistry/registry/backOff';
import { openRegistry, type Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import { webhookListSchema } from '../../../nodes/CompanyRegistry/registry/schemas';
import { hookContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const MAXIMUM_WAIT = 60_000;
// Other tests shorten these: here they are as users have them.
Object.assign(BACK_OFF, { inAll: MAXIMUM_WAIT, first: 500, spread: 250 });

let registry: Registry;
/** The last one is given again and again. */
let answers: Array<{ statusCode: number; headers: Record<string, string>; body: unknown }>;
/** When each request was sent, in milliseconds since the first. */
let sent: number[];

beforeEach(async () => {
	const context = hookContext(
		watch({ url: 'https://registry.example.com', apiKey: 'key' }, ['1']).load(),
	);
	registry = await openRegistry(context);
	jest.useFakeTimers();
	sent = [];
	const start = Date.now();
	jest.spyOn(context.helpers, 'httpRequestWithAuthentication').mockImplementation(async () => {
		sent.push(Date.now() - start);
		return answers.length > 1 ? answers.shift() : answers[0];
	});
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** The request's end, with all waiting done at once. */
async function outcome(method: 'GET' | 'POST' = 'GET'): Promise<unknown> {
	const result = registry.request({ method, path: '/v1/webhooks' }, webhookListSchema).then(
		({ data }) => data,
		(reason: unknown) => reason,
	);
	await jest.advanceTimersByTimeAsync(10 * MAXIMUM_WAIT);
	return await result;
}

const ACCEPTED = { statusCode: 200, headers: {}, body: { data: [] } };

function refusing(statusCode: number, retryAfter?: string): void {
	const headers: Record<string, string> =
		retryAfter === undefined ? {} : { 'retry-after': retryAfter };
	answers = [{ statusCode, headers, body: {} }];
}

describe('waiting', () => {
	it.each(['GET', 'POST'] as const)(
		'a %s that is always asked to come back gives up within a minute',
		async (method) => {
			refusing(429);
			expect(await outcome(method)).toBeInstanceOf(RegistryFailure);
			expect(sent.length).toBeGreaterThanOrEqual(8);
			expect(sent.length).toBeLessThanOrEqual(20);
			expect(sent[sent.length - 1]).toBeLessThanOrEqual(MAXIMUM_WAIT + 250);
		},
	);

	it('grows from attempt to attempt, and differs from run to run', async () => {
		refusing(429);
		await outcome();
		const waits = sent.slice(1).map((at, index) => at - sent[index]);
		[250, 500, 1000, 2000, 4000].forEach((least, index) => {
			expect(waits[index]).toBeGreaterThanOrEqual(least);
			expect(waits[index]).toBeLessThanOrEqual(2 * least + 250);
		});
		expect(Math.max(...waits)).toBeLessThanOrEqual(8250);
		expect(new Set(waits.map((wait) => wait % 250)).size).toBeGreaterThan(1);
	});

	it.each([
		['20', 3],
		['60', 2],
		['61', 1],
	])('with Retry-After: %s a request is sent %i times', async (retryAfter, times) => {
		refusing(503, retryAfter);
		expect(await outcome('POST')).toMatchObject({ status: 503 });
		expect(sent).toHaveLength(times);
		sent
			.slice(1)
			.forEach((at, index) =>
				expect(at - sent[index]).toBeGreaterThanOrEqual(Number(retryAfter) * 1000),
			);
	});

	it.each([
		['in seconds', () => '5', 5000],
		['as a date', () => new Date(Date.now() + 6000).toUTCString(), 5000],
		['that is none', () => 'soon', 250],
		['of a time before', () => '-1', 250],
		['that is empty', () => '', 250],
	])('ends with an answer once Retry-After %s is over', async (_form, header, least) => {
		refusing(429, header());
		answers.push(ACCEPTED);
		expect(await outcome('POST')).toEqual([]);
		expect(sent).toHaveLength(2);
		expect(sent[1] - sent[0]).toBeGreaterThanOrEqual(least);
		expect(sent[1] - sent[0]).toBeLessThanOrEqual(least + 1500);
	});

	it('holds back every request, not only the one that was refused', async () => {
		refusing(429, '2');
		answers.push(ACCEPTED);
		const first = outcome();
		await jest.advanceTimersByTimeAsync(100);
		await Promise.all([first, outcome(), outcome()]);
		const [refused, ...others] = sent;
		expect(others).toHaveLength(3);
		expect(Math.min(...others) - refused).toBeGreaterThanOrEqual(2000);
	});

	it('ends for all requests a minute after the last one was let through', async () => {
		refusing(429, '20');
		expect(await outcome('POST')).toBeInstanceOf(RegistryFailure);
		const first = sent.length;
		// Ten minutes later nothing is known of the service any more.
		expect(await outcome('POST')).toBeInstanceOf(RegistryFailure);
		expect(sent).toHaveLength(2 * first);
	});

	it('is shared: those that come while the service refuses all do not begin a minute of their own', async () => {
		refusing(429, '20');
		const early = registry.request({ method: 'GET', path: '/' }, webhookListSchema).catch(() => 0);
		await jest.advanceTimersByTimeAsync(45_000);
		const late = registry.request({ method: 'GET', path: '/' }, webhookListSchema).catch(() => 0);
		await jest.advanceTimersByTimeAsync(20_000);
		expect(await Promise.all([early, late])).toEqual([0, 0]);
		expect(Math.max(...sent)).toBeLessThan(MAXIMUM_WAIT + 1000);
	});
});

it('gives a service that is silent 15 seconds, and one whose answer trickles in a minute', async () => {
	// Other tests shorten both; this is the code as it comes.
	await jest.isolateModulesAsync(async () => {
		const { REQUEST_LIMIT } = await import('../../../nodes/CompanyRegistry/registry/registry');
		expect(REQUEST_LIMIT).toEqual({ silence: 15_000, silenceForItem: 300_000, inAll: 60_000 });
	});
});
