// How much of a rate limit the pace uses, and how often it meets the limit. The clock is virtual and the
// random numbers are seeded: 300 requests, ten at a time, against every kind of limit.
import { Pace, type SentRequest } from '../../../nodes/CompanyRegistry/registry/pace';
import { limiterOf, type RateLimit } from '../../simulator';

const PATIENCE = 3_600_000;

interface Client {
	/** From a request to its answer, in milliseconds. */
	latency: number;
	requests?: number;
	seed?: number;
}

interface Outcome {
	/** Times of the accepted requests, in milliseconds. */
	passed: number[];
	refused: number;
}

/** Sends requests as `Registry` does, until the service has accepted all of them. */
function send(
	limit: RateLimit | ((now: number) => number),
	{ latency, requests = 300, seed = 1 }: Client,
): Outcome {
	const pace = new Pace();
	const random = randomFrom(seed);
	const limiter = typeof limit === 'function' ? limit : limiterOf(limit);
	const sendsRetryAfter = typeof limit === 'function' || limit.retryAfter !== 'none';
	const outcome: Outcome = { passed: [], refused: 0 };
	// The first request falls into the middle of a window.
	let now = 1e6 + random() * 60_000;
	let begun = 0;
	const events: Array<{ at: number; run: () => void }> = [];
	const after = (ms: number, run: () => void) => events.push({ at: now + ms, run });
	const travelTime = () => latency / 2 + (random() - 0.5) * Math.min(latency / 5, 40);

	const attempt = () => {
		const wait = pace.wait(now, pace.deadline(PATIENCE, 0));
		// Timers are late, and `Registry` waits in steps of 100 milliseconds.
		if (wait > 0) return after(Math.min(Math.ceil(wait), 100) + 2 * random(), attempt);
		const sent = pace.takeSlot(now);
		return after(travelTime(), () => arrive(sent));
	};
	const arrive = (sent: SentRequest) => {
		const wait = limiter(now);
		if (wait === 0) outcome.passed.push(now);
		after(travelTime(), () => {
			if (wait === 0) {
				pace.noteAccepted(sent, now);
				return begin();
			}
			outcome.refused++;
			pace.noteThrottled(sent, now, sendsRetryAfter ? Math.ceil(wait / 1000) * 1000 : undefined);
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

/** Accepted requests as a share of what the limit and the latency allow in that time. */
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
	['a sliding second', { kind: 'sliding', requests: rate, perMs: 1000 }],
	['sliding five seconds', { kind: 'sliding', requests: 5 * rate, perMs: 5000 }],
	['a sliding minute', { kind: 'sliding', requests: 60 * rate, perMs: 60_000 }],
	['a bucket of one second', { kind: 'bucket', requests: rate, perMs: 1000 }],
	['a bucket of five seconds', { kind: 'bucket', requests: rate, perMs: 1000, burst: 5 * rate }],
	['a bucket of 50', { kind: 'bucket', requests: rate, perMs: 1000, burst: 50 }],
];

describe.each([2, 5, 20])('a limit of %i requests a second', (rate) => {
	describe.each(['seconds', 'none'] as const)('with Retry-After: %s', (retryAfter) => {
		it.each(kindsOf(rate))('is mostly used and rarely met, as %s', (_kind, kind) => {
			const limit = { ...kind, retryAfter };
			const runs = [10, 200, 2000].flatMap((latency) =>
				[1, 2].map((seed) => {
					const outcome = send(limit, { latency, seed });
					// If ten at a time just reach the limit, each refusal costs a request.
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

describe.each([10, 200])('at a latency of %i ms, the pace', (latency) => {
	it('does not slow requests to a service without a limit', () => {
		const { passed } = send(() => 0, { latency, requests: 1000 });
		expect(passed[999] - passed[0]).toBeLessThan(110 * latency);
	});

	it('notices a limit that is lifted, raised or lowered', () => {
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

	it.each([0.5, 15])('recovers soon after a service has refused all for %f minutes', (minutes) => {
		const ms = minutes * 60_000;
		let count = 0;
		let refuses: number | undefined;
		const { passed } = send(
			(now) => {
				if (++count > 100) refuses ??= now;
				return Math.max(0, (refuses ?? -Infinity) + ms - now);
			},
			{ latency },
		);
		expect(passed[299] - (refuses ?? 0) - ms).toBeLessThan(90_000);
	});
});

it('the measured rate is forgotten ten minutes after the last refusal', () => {
	const now = 1e6;
	const pace = new Pace();
	pace.noteAccepted(pace.takeSlot(now), now + 100);
	pace.noteThrottled(pace.takeSlot(now), now + 100, 1000);
	pace.noteAccepted(pace.takeSlot(now + 1100), now + 1200);
	const waitLater = (ms: number) => {
		pace.takeSlot(now + ms);
		return pace.wait(now + ms, pace.deadline(PATIENCE, 0));
	};
	expect(waitLater(590_000)).toBeGreaterThan(0);
	expect(waitLater(610_000)).toBeLessThanOrEqual(0);
});
