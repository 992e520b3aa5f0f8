// What a service with a limit lets through, and how often it refuses. The clock is virtual and all chance
// is seeded: 300 requests, ten at a time, against every kind of limit, take a moment.
import { Pace, paceOf, type Sent } from '../../../nodes/CompanyRegistry/registry/pace';
import { limiterOf, type RateLimit } from '../../simulator';

const PATIENCE = 3_600_000;

interface Client {
	/** From a request to its answer, in milliseconds. */
	latency: number;
	requests?: number;
	seed?: number;
}

interface Outcome {
	/** When the service let each request through, in milliseconds. */
	passed: number[];
	refused: number;
}

/** Sends requests as the client of the service does, until as many as wanted were let through. */
function send(
	limit: RateLimit | ((now: number) => number),
	{ latency, requests = 300, seed = 1 }: Client,
): Outcome {
	const pace = new Pace();
	const random = randomFrom(seed);
	const limiter = typeof limit === 'function' ? limit : limiterOf(limit);
	const isTold = typeof limit === 'function' || limit.retryAfter !== 'none';
	const outcome: Outcome = { passed: [], refused: 0 };
	// Windows of the clock have begun some time ago.
	let now = 1e6 + random() * 60_000;
	let begun = 0;
	const events: Array<{ at: number; run: () => void }> = [];
	const after = (ms: number, run: () => void) => events.push({ at: now + ms, run });
	const way = () => latency / 2 + (random() - 0.5) * Math.min(latency / 5, 40);

	const attempt = () => {
		const wait = pace.wait(now, pace.deadline(PATIENCE, 0));
		// Timers are late, and the client looks after its signal every so often.
		if (wait > 0) return after(Math.min(Math.ceil(wait), 100) + 2 * random(), attempt);
		const sent = pace.send(now);
		return after(way(), () => arrive(sent));
	};
	const arrive = (sent: Sent) => {
		const wait = limiter(now);
		if (wait === 0) outcome.passed.push(now);
		after(way(), () => {
			if (wait === 0) {
				pace.letThrough(sent, now);
				return begin();
			}
			outcome.refused++;
			pace.refused(sent, now, isTold ? Math.ceil(wait / 1000) * 1000 : undefined);
			return attempt();
		});
	};
	const begin = () => {
		if (begun++ < requests) attempt();
	};
	for (let lane = 0; lane < 10; lane++) after(lane / 10, begin);
	while (events.length > 0) {
		const next = events.reduce((first, event) => (event.at < first.at ? event : first));
		events.splice(events.indexOf(next), 1);
		now = next.at;
		next.run();
	}
	return outcome;
}

function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

/** What was let through, as a share of what the limit and the latency allow in that time. */
function shareOf({ passed }: Outcome, limit: RateLimit, latency: number): number {
	const ms = passed[passed.length - 1] - passed[0];
	const burst = limit.kind === 'bucket' ? (limit.burst ?? limit.requests) : 0;
	const allowed = burst + (ms * limit.requests) / limit.perMs;
	return passed.length / Math.min(allowed, 10 + (10 * ms) / latency);
}

const refusedShare = ({ passed, refused }: Outcome) => refused / (passed.length + refused);

const kindsOf = (rate: number): Array<[string, RateLimit]> => [
	['windows of a second', { kind: 'fixed', requests: rate, perMs: 1000 }],
	['windows of five seconds', { kind: 'fixed', requests: 5 * rate, perMs: 5000 }],
	['windows of a minute', { kind: 'fixed', requests: 60 * rate, perMs: 60_000 }],
	['any second', { kind: 'sliding', requests: rate, perMs: 1000 }],
	['any five seconds', { kind: 'sliding', requests: 5 * rate, perMs: 5000 }],
	['any minute', { kind: 'sliding', requests: 60 * rate, perMs: 60_000 }],
	['a bucket of one second', { kind: 'bucket', requests: rate, perMs: 1000 }],
	['a bucket of five seconds', { kind: 'bucket', requests: rate, perMs: 1000, burst: 5 * rate }],
	['a bucket of 50', { kind: 'bucket', requests: rate, perMs: 1000, burst: 50 }],
];

describe.each([2, 5, 20])('a limit of %i requests a second', (rate) => {
	describe.each(['seconds', 'none'] as const)('with Retry-After: %s', (retryAfter) => {
		it.each(kindsOf(rate))('as %s is nearly used up, and seldom met', (_kind, kind) => {
			const limit = { ...kind, retryAfter };
			const runs = [10, 200, 2000].flatMap((latency) =>
				[1, 2].map((seed) => {
					const outcome = send(limit, { latency, seed });
					// Where ten at a time just reach the limit, each that is refused is missing.
					const least = 10 / latency === rate / 1000 && kind.perMs === 1000 ? 0.65 : 0.8;
					const share = shareOf(outcome, limit, latency);
					const isGood = share >= least && refusedShare(outcome) <= 0.1;
					return { latency, seed, share, refused: refusedShare(outcome), isGood };
				}),
			);
			expect(runs.filter(({ isGood }) => !isGood)).toEqual([]);
		});
	});
});

describe.each([10, 200])('at %i ms', (latency) => {
	it.each<[string, number, number, RateLimit]>([
		[
			'one after the other, at the same distance',
			1000,
			0.7,
			{ requests: 5, perMs: 1000, burst: 1 },
		],
		['one every two seconds', 300, 0.9, { requests: 30, perMs: 60_000, burst: 5 }],
		['100 a second', 2000, 0.8, { requests: 100, perMs: 1000 }],
	])('a limit of %s is found', (_limit, requests, least, kind) => {
		const limit: RateLimit = { kind: 'bucket', ...kind };
		const outcome = send(limit, { latency, requests });
		expect(shareOf(outcome, limit, latency)).toBeGreaterThan(least);
		expect(refusedShare(outcome)).toBeLessThan(0.1);
	});

	it('nothing waits for a service without a limit', () => {
		const { passed } = send(() => 0, { latency, requests: 1000 });
		expect(passed[999] - passed[0]).toBeLessThan(110 * latency);
	});

	it('a limit that is lifted, raised or lowered is noticed', () => {
		const after = (from: number, limits: Array<RateLimit | undefined>) => {
			const [before, later] = limits.map((limit) => (limit ? limiterOf(limit) : () => 0));
			let began: number | undefined;
			const limiter = (now: number) => {
				began ??= now;
				return now - began < from ? before(now) : later(now);
			};
			const { passed } = send(limiter, { latency, requests: 1000 });
			const left = passed.filter((at) => at >= (began ?? 0) + from);
			return left.length / ((left[left.length - 1] - left[0]) / 1000);
		};
		const two: RateLimit = { requests: 2, perMs: 1000 };
		const twenty: RateLimit = { requests: 20, perMs: 1000 };
		expect(after(60_000, [two, undefined])).toBeGreaterThan(8);
		expect(after(60_000, [two, twenty])).toBeGreaterThan(5);
		expect(after(20_000, [twenty, two])).toBeGreaterThan(1.6);
	});

	it.each([
		['one request', 1000],
		['all for half a minute', 30_000],
		['all for a quarter of an hour', 900_000],
	])('a service without a limit that refuses %s is sent all else soon after', (_what, ms) => {
		let count = 0;
		let refuses: number | undefined;
		const { passed } = send(
			(now) => {
				if (count < 100 || now - (refuses ?? now) >= ms) return count++ && 0;
				if (refuses !== undefined && ms === 1000) return 0;
				refuses ??= now;
				return refuses + ms - now;
			},
			{ latency },
		);
		expect(passed[299] - (refuses ?? 0) - ms).toBeLessThan(90_000);
	});
});

describe('a pace', () => {
	it('is forgotten ten minutes after the last refusal', () => {
		const now = 1e6;
		const pace = new Pace();
		pace.letThrough(pace.send(now), now + 100);
		pace.refused(pace.send(now), now + 100, 1000);
		pace.letThrough(pace.send(now + 1100), now + 1200);
		const waitLater = (ms: number) => {
			pace.send(now + ms);
			return pace.wait(now + ms, pace.deadline(PATIENCE, 0));
		};
		expect(waitLater(590_000)).toBeGreaterThan(0);
		expect(waitLater(610_000)).toBeLessThanOrEqual(0);
	});

	it('is one for all that is sent to an account, of a hundred accounts', () => {
		const first = paceOf('account');
		for (let other = 0; other < 99; other++) paceOf(`other ${other}`);
		expect(paceOf('account')).toBe(first);
		for (let other = 0; other < 100; other++) paceOf(`another ${other}`);
		expect(paceOf('account')).not.toBe(first);
	});
});
