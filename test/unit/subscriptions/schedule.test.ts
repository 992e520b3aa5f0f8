// When a trigger looks at the service: each at times of its own, and sooner where something is left to do.
import {
	clockOf,
	isDue,
	nextCheck,
	nextTry,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/schedule';

const MINUTE = 60_000;
const NODES = [...Array(200).keys()].map((n) => `node ${n}`);
const at = Date.UTC(2026, 10, 25, 12, 34, 56);

it.each([
	['tenMinutes', 10],
	['hour', 60],
	['day', 24 * 60],
] as const)('%s: the next check is within %d minutes, and then as far apart', (every, minutes) => {
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
	// Many triggers do not ask at once.
	expect(new Set(first).size).toBeGreaterThan(minutes === 10 ? 9 : 50);
});

it('n8n wakes each at a second of its own of every minute, the same after a restart', () => {
	const clocks = NODES.map(clockOf);
	for (const clock of clocks) expect(clock).toMatch(/^([0-9]|[1-5][0-9]) \* \* \* \* \*$/);
	expect(new Set(clocks).size).toBeGreaterThan(40);
	expect(NODES.map(clockOf)).toEqual(clocks);
});

it('what is left is tried after 2, 4, 8, 16, 32 minutes, and then each hour', () => {
	const pauses = [1, 2, 3, 4, 5, 6, 7, 1000].map((tries) => (nextTry(tries, at) - at) / MINUTE);
	expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});

it.each([
	['before its time', -1, false],
	['at its time', 0, true],
	['a period before it, where it was planned', -60, false],
	['earlier than that, where the clock was set back since', -61, true],
])('a check is due: %s', (_when, minutes, due) => {
	expect(isDue(at, 'hour', at + minutes * MINUTE)).toBe(due);
});
