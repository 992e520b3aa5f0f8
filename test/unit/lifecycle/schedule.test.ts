// When a trigger checks the service: each at times of its own, and sooner after a failure that may pass.
import {
	cronOf,
	isDue,
	nextCheck,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';

const MINUTE = 60_000;
const NODES = [...Array(200).keys()].map((n) => `node ${n}`);
const at = Date.UTC(2026, 10, 25, 12, 34, 56);

it.each([
	['tenMinutes', 10],
	['hour', 60],
	['day', 24 * 60],
] as const)(
	'%s: the next check comes within %d minutes, and then at that interval',
	(every, minutes) => {
		const period = minutes * MINUTE;
		const first = NODES.map((node) => nextCheck(node, every, at));
		for (const [index, node] of NODES.entries()) {
			expect(first[index]).toBeGreaterThan(at);
			expect(first[index]).toBeLessThanOrEqual(at + period);
			// Also from the check itself, and from any time until the next one.
			for (const later of [0, 1, period - 1]) {
				expect(nextCheck(node, every, first[index] + later)).toBe(first[index] + period);
			}
		}
		// Many triggers do not check at once.
		expect(new Set(first).size).toBeGreaterThan(minutes === 10 ? 9 : 50);
	},
);

it('n8n wakes each trigger at its own second of every minute, the same after a restart', () => {
	const crons = NODES.map(cronOf);
	for (const cron of crons) expect(cron).toMatch(/^([0-9]|[1-5][0-9]) \* \* \* \* \*$/);
	expect(new Set(crons).size).toBeGreaterThan(40);
	expect(NODES.map(cronOf)).toEqual(crons);
});

it.each<[string, Parameters<typeof nextCheck>[1], number[]]>([
	['1, 2, 4 … 60 minutes', 'day', [1, 2, 4, 8, 16, 32, 60, 60]],
	['no later than the regular check', 'tenMinutes', [1, 2, 4]],
])('failures that may pass are retried after %s', (_when, every, expected) => {
	const [node] = NODES;
	// Far from the regular check, which would come first.
	const since = nextCheck(node, every, at);
	const pauses: number[] = [];
	for (let now = since; pauses.length < expected.length; now += pauses.at(-1)! * MINUTE) {
		pauses.push((nextCheck(node, every, now, since) - now) / MINUTE);
	}
	expect(pauses).toEqual(expected);
	const late = since + 7 * MINUTE;
	if (every === 'tenMinutes') expect(nextCheck(node, every, late, since)).toBe(late + 3 * MINUTE);
});

it.each([
	['before its time', -1, false],
	['at its time', 0, true],
	['a period before it, when it was planned', -60, false],
	['earlier than that, where the clock was set back since', -61, true],
])('a check is due: %s', (_when, minutes, due) => {
	expect(isDue(at, 'hour', at + minutes * MINUTE)).toBe(due);
});
