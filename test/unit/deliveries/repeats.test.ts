import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { isRepeat } from '../../../nodes/CompanyRegistry/trigger/deliveries/repeats';

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

let number = 0;
let key: string;
beforeEach(() => {
	key = `key ${++number}`;
});

async function accept(aKey: string): Promise<void> {
	const answer = new Answer();
	await isRepeat(aKey, answer);
	answer.finish(200);
}

it('counts a delivery as repeated once the first was answered with success', async () => {
	await accept(key);
	expect(await isRepeat(key, new Answer())).toBe(true);
	expect(await isRepeat(`${key} other`, new Answer())).toBe(false);
});

it.each([300, 404, 500, 503])(
	'lets a delivery come again that was answered with %i',
	async (status) => {
		const answer = new Answer();
		await isRepeat(key, answer);
		answer.finish(status);
		expect(await isRepeat(key, new Answer())).toBe(false);
	},
);

it('lets a delivery come again whose connection broke before the answer was out', async () => {
	const answer = new Answer();
	await isRepeat(key, answer);
	answer.hangUp();
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
	for (let n = 1; n < 10_000; n++) await accept(`${key} ${n}`);
	expect(await isRepeat(key, new Answer())).toBe(true);
	await accept(`${key} one more`);
	expect(await isRepeat(`${key} 1`, new Answer())).toBe(true);
	expect(await isRepeat(key, new Answer())).toBe(false);
});
