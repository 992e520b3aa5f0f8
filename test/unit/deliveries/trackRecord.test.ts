// What is known of a trigger's deliveries so far: what was verified and refused, accepted and told.
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import {
	TrackRecord,
	trackRecordOf,
} from '../../../nodes/CompanyRegistry/trigger/deliveries/trackRecord';

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
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let record: TrackRecord;
beforeEach(() => (record = new TrackRecord()));

const times = (count: number, act: (n: number) => unknown) => {
	for (let n = 0; n < count; n++) act(n);
};

it('is one for each trigger, of the last thousand', () => {
	const first = trackRecordOf('first');
	times(999, (n) => trackRecordOf(`trigger ${n}`));
	expect(trackRecordOf('first')).toBe(first);
	times(1000, (n) => trackRecordOf(`other ${n}`));
	expect(trackRecordOf('first')).not.toBe(first);
});

describe('what was refused', () => {
	it.each([true, false])(
		'is counted for each webhook since one was accepted, and for how long (known: %s)',
		(isKnown) => {
			const note = (reference: string, now: number) => record.noteRefused(reference, isKnown, now);
			expect([note('a', 0), note('b', 0)]).toEqual(Array(2).fill({ count: 1, ms: 0 }));
			record.noteVerified('b', '');
			expect([note('a', DAY), note('b', DAY)]).toEqual([
				{ count: 2, ms: DAY },
				{ count: 1, ms: 0 },
			]);
			expect([...record.proven.keys()]).toEqual(['b']);
		},
	);

	it.each([
		[true, 20_000],
		[false, 1000],
	])('is forgotten of those refused longest ago (known: %s)', (isKnown, most) => {
		const old = () => record.noteRefused('old', isKnown, 0).count;
		const others = (count: number) =>
			times(count, (n) => record.noteRefused(`other ${n}`, isKnown, 0));
		old();
		others(most - 1);
		expect(old()).toBe(2);
		times(30_000, (n) => record.noteRefused(`${n}`, !isKnown, 0));
		expect(old()).toBe(3);
		others(most);
		expect(old()).toBe(1);
	});

	it('is forgotten of what was verified, too', () => {
		record.noteVerified('old', '');
		times(19_999, (n) => record.noteVerified(`${n}`, ''));
		expect(record.proven.has('old')).toBe(true);
		record.noteVerified('one more', '');
		expect(record.proven.has('old')).toBe(false);
		expect(record.proven.size).toBe(20_000);
	});
});

describe('an id', () => {
	it('names deliveries until it has come with a second body, and none from then on', () => {
		expect(record.isNamedBy('id', 'a')).toBe(true);
		expect(record.isNamedBy('id', 'a')).toBe(true);
		expect(record.isNamedBy('other', 'b')).toBe(true);
		for (const body of ['b', 'a', 'a', 'c']) expect(record.isNamedBy('id', body)).toBe(false);
	});

	it('that comes again and again is remembered, among the last 5000', () => {
		const several = () => !record.isNamedBy('constant', 'another');
		record.isNamedBy('constant', 'one');
		expect(several()).toBe(true);
		times(4999, (n) => record.isNamedBy(`${n}`, 'a'));
		expect(several()).toBe(true);
		times(5000, (n) => record.isNamedBy(`${n}`, 'a'));
		expect(several()).toBe(false);
	});
});

describe('a repeat', () => {
	const KEPT = 15 * MINUTE;
	const isRepeat = async (key: string, answer = new Answer(), now = 0) =>
		await record.isRepeat(key, KEPT, now, answer as never);

	async function accept(key: string, now = 0): Promise<void> {
		const answer = new Answer();
		await isRepeat(key, answer, now);
		answer.finish(200);
	}

	it.each<[string, (answer: Answer) => void]>([
		...[300, 404, 500, 503].map((status): [string, (answer: Answer) => void] => [
			`was answered with ${status}`,
			(answer) => answer.finish(status),
		]),
		['broke off before the answer was out', (answer) => answer.hangUp()],
	])('is none of a delivery that %s', async (_what, end) => {
		const answer = new Answer();
		await isRepeat('key', answer);
		end(answer);
		expect(await isRepeat('key')).toBe(false);
	});

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

	it('is known of the last 5000 that were accepted', async () => {
		await accept('old');
		await accept('key');
		for (let n = 2; n < 5000; n++) await accept(`${n}`);
		await accept('key', KEPT);
		expect(await isRepeat('old')).toBe(true);
		for (let n = 0; n < 2; n++) await accept(`more ${n}`);
		expect(await isRepeat('old')).toBe(false);
		expect(await isRepeat('key', undefined, KEPT)).toBe(true);
	});
});

describe('what is told', () => {
	it('is told once in its time, of any webhook', () => {
		const told = (now: number) => record.ifMayTell('unproven', now) === 'unproven';
		expect([told(0), told(0), told(HOUR - 1), told(HOUR), told(HOUR)]).toEqual([
			...[true, false, false],
			...[true, false],
		]);
		expect(record.ifMayTell('unknown', 0)).toBe('unknown');
	});

	it('is told so often of each, and so often in all; where one has no turn left, none is taken', () => {
		const told = (of: string, now = 0) => record.ifMayTell('noLonger', now, of) !== undefined;
		expect([told('a'), told('a'), told('b'), told('c'), told('d')]).toEqual([
			...[true, false],
			...[true, true, false],
		]);
		expect([told('d', DAY), told('a', DAY)]).toEqual([true, true]);
		const lines = (reason: string) =>
			Array.from({ length: 11 }, () => record.ifMayTell('refused', 0, reason)).filter(Boolean);
		expect([lines('wrong').length, lines('stale').length]).toEqual([10, 10]);
	});
});
