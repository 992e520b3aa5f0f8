// A delivery that comes again is recognised, and waits for the first to end.
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { isRepeat as isRepeatOf } from '../../../nodes/CompanyRegistry/trigger/deliveries/repeats';

/** The part of Node's ServerResponse that counts here. */
class Answer extends EventEmitter {
	statusCode = 200;
	writableFinished = false;
	closed = false;

	/** The answer goes out in full. */
	finish(statusCode: number): void {
		this.statusCode = statusCode;
		this.writableFinished = true;
		this.emit('finish');
		this.hangUp();
	}

	/** The connection ends. */
	hangUp(): void {
		this.closed = true;
		this.emit('close');
	}
}

const MINUTE = 60_000;

interface Key {
	text: string;
	keptFor: number;
}

let number = 0;
let key: Key;
beforeEach(() => {
	key = { text: `key ${++number}`, keptFor: 24 * 60 * MINUTE };
});
afterEach(() => jest.useRealTimers());

const other = (suffix: string | number): Key => ({ ...key, text: `${key.text} ${suffix}` });
const isRepeat = async ({ text, keptFor }: Key, answer: Answer) =>
	await isRepeatOf(text, keptFor, answer as never);

async function accept(aKey: Key): Promise<void> {
	const answer = new Answer();
	await isRepeat(aKey, answer);
	answer.finish(200);
}

it.each<[string, (answer: Answer) => void]>([
	...[300, 404, 500, 503].map((status): [string, (answer: Answer) => void] => [
		`was answered with ${status}`,
		(answer) => answer.finish(status),
	]),
	['broke off before the answer was out', (answer) => answer.hangUp()],
])('lets a delivery come again that %s', async (_what, end) => {
	const answer = new Answer();
	await isRepeat(key, answer);
	end(answer);
	expect(await isRepeat(key, new Answer())).toBe(false);
});

it('has repeats wait for the first, one after the other, until one succeeds', async () => {
	const answers = [new Answer(), new Answer(), new Answer()];
	const results: boolean[] = [];
	const asked = answers.map(async (answer, index) => {
		results[index] = await isRepeat(key, answer);
	});
	await nextTurn();
	expect(results).toEqual([false]);

	answers[0].finish(500);
	await nextTurn();
	expect(results).toEqual([false, false]);

	answers[1].finish(200);
	await Promise.all(asked);
	expect(results).toEqual([false, false, true]);
});

it('does not have anybody wait for a sender that left while it waited itself', async () => {
	const [first, second, third] = [new Answer(), new Answer(), new Answer()];
	await isRepeat(key, first);
	const waiting = isRepeat(key, second);
	second.hangUp();
	first.finish(500);
	expect(await waiting).toBe(false);
	expect(await isRepeat(key, third)).toBe(false);
});

it('remembers the last 10,000', async () => {
	await accept(key);
	expect(await isRepeat(other('not accepted'), new Answer())).toBe(false);
	for (let n = 1; n < 10_000; n++) await accept(other(n));
	expect(await isRepeat(key, new Answer())).toBe(true);
	await accept(other('one more'));
	expect(await isRepeat(other(1), new Answer())).toBe(true);
	expect(await isRepeat(key, new Answer())).toBe(false);
});

describe('for how long', () => {
	const isStillKnown = async () => await isRepeat(key, new Answer());

	beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));

	it('is as long as its name proves a repeat, from when it was accepted last; a repeat does not prolong it', async () => {
		key = { ...key, keptFor: 15 * MINUTE };
		await accept(key);
		jest.advanceTimersByTime(14 * MINUTE);
		expect(await isStillKnown()).toBe(true);
		jest.advanceTimersByTime(MINUTE);
		await accept(key);
		jest.advanceTimersByTime(15 * MINUTE - 1);
		expect(await isStillKnown()).toBe(true);
		jest.advanceTimersByTime(1);
		expect(await isStillKnown()).toBe(false);
	});

	it('makes one that was accepted again the newest of those remembered', async () => {
		key = { ...key, keptFor: 15 * MINUTE };
		await accept(key);
		await accept({ ...other('old'), keptFor: 24 * 60 * MINUTE });
		jest.advanceTimersByTime(15 * MINUTE);
		await accept(key);
		for (let n = 2; n < 10_000; n++) await accept(other(n));
		expect(await isStillKnown()).toBe(true);
		await accept(other('one more'));
		expect(await isRepeat(other('old'), new Answer())).toBe(false);
		expect(await isStillKnown()).toBe(true);
	});
});
