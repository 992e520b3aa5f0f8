// When a trigger checks the service: each at times of its own, and sooner after a failure that may pass.
import {
	cronOf,
	isDue,
	nextCheck,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import {
	CHECK_PERIODS,
	type CheckPeriod,
} from '../../../nodes/CompanyRegistry/trigger/parameters/options';

const MINUTE = 60_000;
const NODES = [...Array(1000).keys()].map((n) => `node ${n}`);
const at = Date.UTC(2026, 10, 25, 12, 34, 56);

it.each(Object.entries(CHECK_PERIODS) as Array<[CheckPeriod, { minutes: number }]>)(
	'every %s: a check comes within that time, and then at that interval',
	(every, { minutes }) => {
		const period = minutes * MINUTE;
		const first = NODES.map((node) => nextCheck(node, every, at));
		for (const [index, node] of NODES.entries()) {
			expect(first[index]).toBeGreaterThan(at);
			expect(first[index]).toBeLessThanOrEqual(at + period + MINUTE / 2);
			// From any time at which n8n may wake it: a check comes once.
			for (const later of [-MINUTE / 2, 0, 1, period - MINUTE / 2 - 1]) {
				const next = nextCheck(node, every, first[index] + later);
				expect(next).toBe(first[index] + period);
				expect(isDue(next, first[index] + later)).toBe(false);
				expect(isDue(next, next - MINUTE / 2 - 1)).toBe(false);
				expect(isDue(next, next - MINUTE / 2)).toBe(true);
			}
		}
		// Many triggers do not check at once.
		expect(new Set(first).size).toBeGreaterThan(Math.min(minutes - 1, 50));
	},
);

it('n8n wakes each trigger at its own second of every minute, the same after a restart', () => {
	const crons = NODES.map(cronOf);
	for (const cron of crons) expect(cron).toMatch(/^([0-9]|[1-5][0-9]) \* \* \* \* \*$/);
	expect(new Set(crons).size).toBeGreaterThan(40);
	expect(NODES.map(cronOf)).toEqual(crons);
});

it('while passes fail, a check comes no later than the regular one, and never before the service wants a request', () => {
	const [node] = NODES;
	const waits = (every: CheckPeriod, minutes: number[], earliest = 0) => {
		const since = nextCheck(node, every, at);
		return minutes.map((minute) => {
			const now = since + minute * MINUTE;
			const retry = { since, earliest: since + earliest * MINUTE };
			return (nextCheck(node, every, now, retry) - now) / MINUTE;
		});
	};

	expect(waits('day', [0, 1, 3, 7, 15, 25])).toEqual([1, 2, 4, 8, 10, 10]);
	expect(waits('tenMinutes', [0, 1, 3, 7])).toEqual([1, 2, 4, 3]);
	expect(waits('tenMinutes', [0, 3], 20)).toEqual([20, 17]);
});
