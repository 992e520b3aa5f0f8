// What counts as a repeat of a delivery. test/integration/deliveries/refused.test.ts has what is counted and reported.
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { DeliveryHistory } from '../../../nodes/CompanyRegistry/trigger/deliveries/deliveryHistory';

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

const KEPT = 3_600_000;

let history: DeliveryHistory;
beforeEach(() => (history = new DeliveryHistory()));

const isNew = async (key: string, answer = answerOf(), now = 0) =>
	await history.claimDelivery(key, KEPT, now, answer as never);

async function take(key: string, now = 0): Promise<void> {
	const answer = answerOf();
	await isNew(key, answer, now);
	close(answer, 200);
}

// Undefined: the connection broke off.
it.each([300, 503, undefined])('a delivery answered with %s is new again', async (status) => {
	const answer = answerOf();
	await isNew('key', answer);
	close(answer, status);
	expect(await isNew('key')).toBe(true);
});

it('a repeat waits for the first, one after the other, until one succeeds', async () => {
	const answers = [answerOf(), answerOf(), answerOf()];
	const results: boolean[] = [];
	const asked = answers.map(async (answer, index) => {
		results[index] = await isNew('key', answer);
	});
	await nextTurn();
	expect(results).toEqual([true]);

	close(answers[0], 500);
	await nextTurn();
	expect(results).toEqual([true, true]);

	close(answers[1], 200);
	await Promise.all(asked);
	expect(results).toEqual([true, true, false]);
});

it('no delivery waits for a sender that left while it waited itself', async () => {
	const [first, second, third] = [answerOf(), answerOf(), answerOf()];
	await isNew('key', first);
	const waiting = isNew('key', second);
	close(second);
	close(first, 500);
	expect(await waiting).toBe(true);
	expect(await isNew('key', third)).toBe(true);
});

it('a repeat is known for a time since the delivery was taken last, among the last 5,000', async () => {
	await take('key');
	expect(await isNew('key', undefined, KEPT - 1)).toBe(false);
	await take('key', KEPT);
	expect(await isNew('key', undefined, 2 * KEPT - 1)).toBe(false);
	expect(await isNew('key', undefined, 2 * KEPT)).toBe(true);

	for (let n = 0; n <= 5000; n++) await take(`${n}`);
	expect(await isNew('0')).toBe(true);
	expect(await isNew('5000')).toBe(false);
});
