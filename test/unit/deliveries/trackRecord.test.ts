// What is known of the deliveries so far.
import {
	hasVerified,
	noteRefused,
	noteVerified,
} from '../../../nodes/CompanyRegistry/trigger/deliveries/trackRecord';

const DAY = 24 * 3_600_000;

let number = 0;
let key: string;
beforeEach(() => {
	jest.useFakeTimers();
	key = `key ${++number}`;
});
afterEach(() => jest.useRealTimers());

it.each([true, false])(
	'counts what a webhook of a trigger had refused since one was accepted, and for how long (known: %s)',
	(isKnown) => {
		const other = `${key} other`;
		const note = (reference: string) => noteRefused('trigger', reference, isKnown);
		expect([note(key), note(other)]).toEqual(Array(2).fill({ count: 1, ms: 0 }));
		jest.advanceTimersByTime(DAY);
		noteVerified('trigger', other);
		expect([note(key), note(other)]).toEqual([
			{ count: 2, ms: DAY },
			{ count: 1, ms: 0 },
		]);
		expect(note(key)).toEqual({ count: 3, ms: DAY });
		expect(noteRefused('another', key, isKnown).count).toBe(1);
		noteVerified('trigger', key);
		expect(note(key)).toEqual({ count: 1, ms: 0 });
	},
);

it('remembers the latest of each, and no more than fit', () => {
	const old = 'old';
	expect(hasVerified(key) || hasVerified(old)).toBe(false);
	noteVerified(key, old);
	for (let n = 2; n < 100_000; n++) noteVerified(key, `${key}/${n}`);
	expect(hasVerified(key) && hasVerified(old)).toBe(true);
	noteVerified(key, 'one more');
	expect(hasVerified(old)).toBe(false);
});

it.each([true, false])(
	'forgets what was refused longest ago, of known and unknown apart (known: %s)',
	(isKnown) => {
		const old = () => noteRefused(key, 'old', isKnown).count;
		const others = (count: number, areKnown: boolean) => {
			for (let n = 0; n < count; n++) noteRefused(key, `${++number}`, areKnown);
		};
		old();
		others(9999, isKnown);
		expect(old()).toBe(2);
		others(9999, isKnown);
		others(20_000, !isKnown);
		expect(old()).toBe(3);
		others(10_000, isKnown);
		expect(old()).toBe(1);
	},
);
