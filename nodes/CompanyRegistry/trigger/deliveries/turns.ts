import { dropOldest } from '../../shared/dropOldest';

/** Far more than one process needs for its triggers and the kinds of things that happen to each. */
const MAXIMUM_KEYS = 10_000;

/** By key: how often something has happened since, and when that began. */
const windows = new Map<string, { began: number; count: number }>();

/**
 * Takes a turn for something that may happen only so often, so that a flood of deliveries brings no more of it.
 * False where there is none left; then none is taken.
 *
 * @param ms milliseconds for which the numbers of turns hold
 * @param turns how many there are in that time, by key; with several keys, each must have one left
 */
export function takeTurn(ms: number, turns: Record<string, number>): boolean {
	const now = Date.now();
	const counts = Object.entries(turns).map(([key, times]) => {
		const { began, count } = windows.get(key) ?? { began: -Infinity, count: 0 };
		// A clock that was set back must not silence this for longer.
		const isOver = now - began >= ms || now < began;
		return { key, times, window: isOver ? { began: now, count: 0 } : { began, count } };
	});
	if (counts.some(({ times, window }) => window.count >= times)) return false;
	for (const { key, window } of counts) {
		windows.delete(key);
		windows.set(key, { ...window, count: window.count + 1 });
	}
	dropOldest(windows, MAXIMUM_KEYS);
	return true;
}
