import type { TIMES } from '../../nodes/CompanyRegistry/trigger/lifecycle/schedule';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

type Times = typeof TIMES;

const SHORT: Times = {
	earlyAnswer: 10_000,
	latestAnswer: 60_000,
	// Tests correct a cause and publish again at once.
	allAttempts: 0,
	// A busy machine takes so long between an unpublish and the publish that follows.
	beforePausing: 500,
	pauseAgain: [50, 100, 200],
	stop: 500,
	save: 0,
	store: 30_000,
	beforeReport: 0,
};

/** One for each copy of the code that a test file has loaded. */
const copies: Times[] = [];
let current = SHORT;

/** From now on this copy of the code waits as long as tests do. */
export function shortenTimes(times: Times): void {
	copies.push(Object.assign(times, current));
}

/** From now on the trigger waits so long, until the end of the test file. */
export function setTimes(times: Partial<Times>): void {
	current = { ...SHORT, ...times };
	for (const copy of copies) Object.assign(copy, current);
}

const realNow = Date.now;
const hourIn = (timeZone: string) =>
	Number(new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit' }).format(realNow()));
/** To six o'clock in the time zone of the workflows: some hours later, it is still the same day. */
const toMorning = ((30 - hourIn('America/New_York')) % 24) * HOUR;
Date.now = () => realNow() + toMorning;

/** For tests in which other processes take part. */
export function useRealClock(): void {
	Date.now = realNow;
}

/** How far the clock is ahead of that, in milliseconds. */
let ahead = 0;
const clock = Date.now;

/** From now on the clock is so much further ahead, in milliseconds, until jest restores it. */
export function passTime(milliseconds: number): void {
	ahead = milliseconds + (jest.isMockFunction(Date.now) ? ahead : 0);
	jest.spyOn(Date, 'now').mockImplementation(() => clock() + ahead);
}
