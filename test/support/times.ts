import type { TIMES as InUse } from '../../nodes/CompanyRegistry/trigger/subscriptions/times';

type Times = { -readonly [Name in keyof typeof InUse]: number };

/** For as long as a busy machine takes between an unpublish and the publish that follows. */
const SHORT: Times = {
	answer: 60_000,
	passingFault: 0,
	// Tests correct a cause and publish again at once.
	attempts: 0,
	beforePausing: 500,
	takeOver: 500,
	firstPause: 50,
	longestPause: 200,
	patience: 600,
	storeBefore: 10_000,
	storeBehind: 60_000,
	listLag: 0,
	untilTold: 0,
};

/** All copies of the code that a test file has loaded share it. */
const shared = globalThis as { timesInTests?: Times };

/** Takes the place of the trigger's own in all tests: it waits for less than users do. */
export const TIMES: Times = (shared.timesInTests ??= { ...SHORT });

/** From now on the trigger waits so long, until jest's next file. */
export function setTimes(times: Partial<Times>): void {
	Object.assign(TIMES, SHORT, times);
}
