// How often something may happen, and what is known of deliveries so far.
import {
	allow,
	hasVerified,
	noteRefused,
	noteVerified,
} from '../../../nodes/CompanyRegistry/trigger/deliveries/attention';

const HOUR = 3_600_000;

let number = 0;
let key: string;
beforeEach(() => {
	jest.useFakeTimers();
	key = `key ${++number}`;
});
afterEach(() => jest.useRealTimers());

const allowed = (times: number, ms = HOUR) => [1, 2, 3, 4].map(() => allow(key, times, ms));

it('allows so many times in so many milliseconds, each key by itself', () => {
	expect(allowed(2)).toEqual([true, true, false, false]);
	expect(allow(`${key} other`, 2, HOUR)).toBe(true);
	jest.advanceTimersByTime(HOUR - 1);
	expect(allow(key, 2, HOUR)).toBe(false);
	jest.advanceTimersByTime(1);
	expect(allowed(1)).toEqual([true, false, false, false]);
});

it('goes on when the clock was set back', () => {
	expect(allow(key, 1, HOUR)).toBe(true);
	jest.setSystemTime(Date.now() - 24 * HOUR);
	expect(allowed(1)).toEqual([true, false, false, false]);
});

it('knows which webhook and which trigger has delivered something genuine', () => {
	const [trigger, reference] = [`${key} trigger`, `${key} reference`];
	expect(hasVerified(trigger) || hasVerified(reference)).toBe(false);
	noteVerified(trigger, reference);
	expect(hasVerified(trigger) && hasVerified(reference)).toBe(true);
	expect(hasVerified(key)).toBe(false);
});

it('counts what a trigger had refused since it verified something', () => {
	expect([noteRefused(key), noteRefused(key), noteRefused(`${key} other`)]).toEqual([1, 2, 1]);
	noteVerified(key, 'reference');
	expect(noteRefused(key)).toBe(1);
	expect(noteRefused(`${key} other`)).toBe(2);
});

it('remembers the latest of each, and no more than fit', () => {
	const old = 'old';
	noteVerified(key, old);
	allow(old, 1, HOUR);
	noteRefused(old);
	for (let n = 1; n < 10_000; n++) {
		allow(`${key}/${n}`, 1, HOUR);
		noteRefused(`${key}/${n}`);
	}
	for (let n = 2; n < 100_000; n++) noteVerified(key, `${key}/${n}`);
	expect([hasVerified(old), allow(old, 1, HOUR), noteRefused(old)]).toEqual([true, false, 2]);
	noteVerified(key, 'one more');
	allow('one more', 1, HOUR);
	noteRefused('one more');
	expect(hasVerified(old)).toBe(false);
	expect([allow(old, 1, HOUR), noteRefused(old)]).toEqual([true, 1]);
});
