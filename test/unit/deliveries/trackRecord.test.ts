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

it('knows which webhook and which trigger has delivered something genuine', () => {
	const [trigger, reference] = [`${key} trigger`, `${key} reference`];
	expect(hasVerified(trigger) || hasVerified(reference)).toBe(false);
	noteVerified(trigger, reference);
	expect(hasVerified(trigger) && hasVerified(reference)).toBe(true);
	expect(hasVerified(key)).toBe(false);
});

it.each([true, false])(
	'counts what a webhook had refused since one was accepted (known: %s)',
	(isKnown) => {
		const other = `${key} other`;
		const note = (reference: string) => noteRefused('trigger', reference, isKnown).count;
		expect([note(key), note(key), note(other)]).toEqual([1, 2, 1]);
		noteVerified('trigger', other);
		expect([note(key), note(other)]).toEqual([3, 1]);
		noteVerified('trigger', key);
		expect(note(key)).toBe(1);
	},
);

it('tells for how long deliveries of a webhook were refused', () => {
	const note = (trigger: string) => noteRefused(trigger, key, false).ms;
	expect(note('trigger')).toBe(0);
	jest.advanceTimersByTime(DAY);
	expect([note('trigger'), note('other')]).toEqual([DAY, 0]);
	noteVerified('trigger', key);
	expect(note('trigger')).toBe(0);
});

it('remembers the latest of each, and no more than fit', () => {
	const old = 'old';
	noteVerified(key, old);
	for (let n = 2; n < 100_000; n++) noteVerified(key, `${key}/${n}`);
	expect(hasVerified(old)).toBe(true);
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
