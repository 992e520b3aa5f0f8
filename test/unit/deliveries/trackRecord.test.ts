// The record of a trigger's deliveries: how many it keeps, and what counts as a repeat.
// test/integration/deliveries/refused.test.ts has what it counts and reports.
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { TrackRecord } from '../../../nodes/CompanyRegistry/trigger/deliveries/trackRecord';

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

let record: TrackRecord;
beforeEach(() => (record = new TrackRecord()));

const times = (count: number, act: (n: number) => unknown) => {
	for (let n = 0; n < count; n++) act(n);
};

it('counts the webhooks that a scheme has verified', () => {
	record.noteVerified('a', '');
	record.noteVerified('b', 'scheme');
	const counts = [undefined, 'scheme', 'other'].map((one) => record.countVerified(one));
	expect(counts).toEqual([2, 1, 0]);
});

it('keeps the last 20,000 webhooks', () => {
	record.noteVerified('old', '');
	times(19_999, (n) => record.noteRefused(`${n}`, 0));
	expect(record.noteRefused('old', 0).verifiedBy).toBe('');
	times(20_000, (n) => record.noteVerified(`${n}`, ''));
	expect(record.noteRefused('old', 0).verifiedBy).toBeUndefined();
	expect(record.countVerified()).toBe(19_999);
});

describe('a repeat', () => {
	const KEPT = 15 * MINUTE;
	const isRepeat = async (key: string, answer = new Answer(), now = 0) =>
		await record.noteDelivery(key, KEPT, now, answer as never);

	async function accept(key: string, now = 0): Promise<void> {
		const answer = new Answer();
		await isRepeat(key, answer, now);
		answer.finish(200);
	}

	it.each([300, 503, 'nothing: it broke off'])(
		'is none of a delivery that was answered with %s',
		async (status) => {
			const answer = new Answer();
			await isRepeat('key', answer);
			if (typeof status === 'number') answer.finish(status);
			else answer.hangUp();
			expect(await isRepeat('key')).toBe(false);
		},
	);

	it('waits for the first, one after the other, until one succeeds', async () => {
		const answers = [new Answer(), new Answer(), new Answer()];
		const results: boolean[] = [];
		const asked = answers.map(async (answer, index) => {
			results[index] = await isRepeat('key', answer);
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

	it('does not wait for a sender that left while it waited itself', async () => {
		const [first, second, third] = [new Answer(), new Answer(), new Answer()];
		await isRepeat('key', first);
		const waiting = isRepeat('key', second);
		second.hangUp();
		first.finish(500);
		expect(await waiting).toBe(false);
		expect(await isRepeat('key', third)).toBe(false);
	});

	it('is known for as long as its name proves one, since it was accepted last', async () => {
		await accept('key');
		expect(await isRepeat('key', undefined, KEPT - 1)).toBe(true);
		await accept('key', KEPT);
		expect(await isRepeat('key', undefined, 2 * KEPT - 1)).toBe(true);
		expect(await isRepeat('key', undefined, 2 * KEPT)).toBe(false);
	});
});
