// The record of a trigger's deliveries: how many it keeps, and what counts as a repeat.
// test/integration/deliveries/refused.test.ts has what it counts and reports.
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { TrackRecord } from '../../../nodes/CompanyRegistry/trigger/deliveries/deliveryHistory';

/** The part of Node's ServerResponse that counts here. */
const answerOf = () =>
	Object.assign(new EventEmitter(), { statusCode: 200, writableFinished: false, closed: false });
type Answer = ReturnType<typeof answerOf>;

/** The connection ends, after the answer has gone out in full with a status, or without one. */
function close(answer: Answer, statusCode?: number): void {
	const isSent = statusCode !== undefined;
	Object.assign(answer, { closed: true, writableFinished: isSent, ...(isSent && { statusCode }) });
	answer.emit('close');
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

it('counts refused deliveries since the last report, from the first one on', () => {
	for (const at of [5, 6, 7]) record.noteRefused('a', 0, at);
	expect(record.takeRefusals()).toEqual({ count: 3, since: 5 });
	record.noteRefused('b', 0, 9);
	expect(record.takeRefusals()).toEqual({ count: 1, since: 9 });
});

it('keeps the last 20,000 webhooks', () => {
	record.noteVerified('old', '');
	times(19_999, (n) => record.noteRefused(`${n}`, 0, 0));
	expect(record.noteRefused('old', 0, 0).verifiedBy).toBe('');
	times(20_000, (n) => record.noteVerified(`${n}`, ''));
	expect(record.noteRefused('old', 0, 0).verifiedBy).toBeUndefined();
	expect(record.countVerified()).toBe(19_999);
});

describe('a repeat', () => {
	const KEPT = 15 * MINUTE;
	const isRepeat = async (key: string, answer = answerOf(), now = 0) =>
		await record.noteDelivery(key, KEPT, now, answer as never);

	async function accept(key: string, now = 0): Promise<void> {
		const answer = answerOf();
		await isRepeat(key, answer, now);
		close(answer, 200);
	}

	// Undefined: the connection broke off.
	it.each([300, 503, undefined])('is none of a delivery answered with %s', async (status) => {
		const answer = answerOf();
		await isRepeat('key', answer);
		close(answer, status);
		expect(await isRepeat('key')).toBe(false);
	});

	it('waits for the first, one after the other, until one succeeds', async () => {
		const answers = [answerOf(), answerOf(), answerOf()];
		const results: boolean[] = [];
		const asked = answers.map(async (answer, index) => {
			results[index] = await isRepeat('key', answer);
		});
		await nextTurn();
		expect(results).toEqual([false]);

		close(answers[0], 500);
		await nextTurn();
		expect(results).toEqual([false, false]);

		close(answers[1], 200);
		await Promise.all(asked);
		expect(results).toEqual([false, false, true]);
	});

	it('does not wait for a sender that left while it waited itself', async () => {
		const [first, second, third] = [answerOf(), answerOf(), answerOf()];
		await isRepeat('key', first);
		const waiting = isRepeat('key', second);
		close(second);
		close(first, 500);
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
