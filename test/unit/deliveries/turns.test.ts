// How often something may happen.
import { takeTurn } from '../../../nodes/CompanyRegistry/trigger/deliveries/turns';

const HOUR = 3_600_000;

let number = 0;
let key: string;
beforeEach(() => {
	jest.useFakeTimers();
	key = `key ${++number}`;
});
afterEach(() => jest.useRealTimers());

const taken = (times: number, ms = HOUR) => [1, 2, 3, 4].map(() => takeTurn(ms, { [key]: times }));

it('gives so many turns in so many milliseconds, each key by itself', () => {
	expect(taken(2)).toEqual([true, true, false, false]);
	expect(takeTurn(HOUR, { [`${key} other`]: 2 })).toBe(true);
	jest.advanceTimersByTime(HOUR - 1);
	expect(takeTurn(HOUR, { [key]: 2 })).toBe(false);
	jest.advanceTimersByTime(1);
	expect(taken(1)).toEqual([true, false, false, false]);
});

it('goes on when the clock was set back', () => {
	expect(takeTurn(HOUR, { [key]: 1 })).toBe(true);
	jest.setSystemTime(Date.now() - 24 * HOUR);
	expect(taken(1)).toEqual([true, false, false, false]);
});

it('takes a turn of several keys only where each has one left, and else of none', () => {
	const one = (n: number) => takeTurn(HOUR, { [`${key}/${n}`]: 1, [key]: 2 });
	expect([one(1), one(1), one(2), one(3)]).toEqual([true, false, true, false]);
	expect(takeTurn(HOUR, { [`${key}/3`]: 1 })).toBe(true);
});

it('remembers the latest, and no more than fit', () => {
	const old = 'old';
	takeTurn(HOUR, { [old]: 1 });
	for (let n = 1; n < 10_000; n++) takeTurn(HOUR, { [`${key}/${n}`]: 1 });
	expect(takeTurn(HOUR, { [old]: 1 })).toBe(false);
	takeTurn(HOUR, { [key]: 1 });
	expect(takeTurn(HOUR, { [old]: 1 })).toBe(true);
});
