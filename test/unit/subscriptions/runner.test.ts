// One run of a trigger at a time, and the latest one counts.
import { TriggerMemory, type Run } from '../../../nodes/CompanyRegistry/trigger/memory/trigger';
import {
	outcomeOf,
	want,
	type AnswerOfPublish,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/runner';

let memory: TriggerMemory;
let log: string[];

beforeEach(() => {
	memory = new TriggerMemory();
	log = [];
});

/** Until what was wanted has begun. */
const begun = async () => await new Promise(setImmediate);

/** Work that answers when it is told to and goes on until its run is aborted, or ends with its answer. */
function work(name: string, goesOn = false) {
	let end: (failure?: Error) => void = () => undefined;
	const ended = new Promise<Error | undefined>((resolve) => (end = resolve));
	return {
		end,
		run: async (signal: AbortSignal, answer: AnswerOfPublish) => {
			log.push(`${name} begins`);
			const aborted = new Promise<void>((resolve) => {
				signal.addEventListener('abort', () => resolve());
			});
			await Promise.race([ended.then((failure) => answer.give({ failure })), aborted]);
			if (goesOn) await aborted;
			log.push(`${name} ends`);
			if (signal.aborted) throw new Error('aborted');
		},
	};
}

it('what runs is told to stop, the latest begins once it has, and what was superseded before never does', async () => {
	const [first, second, third] = ['first', 'second', 'third'].map((name) => work(name));
	want(memory, 'publish', first.run);
	await begun();
	want(memory, 'pause', second.run);
	const last = want(memory, 'publish', third.run);
	expect(memory.run).toBe(last);
	third.end();
	await last.done;
	expect(log).toEqual(['first begins', 'first ends', 'third begins', 'third ends']);
	expect(memory.run).toBeUndefined();
});

describe('how a publish ends', () => {
	/** A publish is under way when `then` is wanted. */
	async function superseded(then: Run['kind'], failure?: Error): Promise<string> {
		const [first, later] = [work('first'), work('later')];
		const run = want(memory, 'publish', first.run);
		await begun();
		const outcome = outcomeOf(memory, run).then(
			({ failure: reason }) => reason?.message ?? 'published',
		);
		want(memory, then, later.run);
		later.end(failure);
		return await outcome;
	}

	it.each<[string, Run['kind'], Error | undefined, string]>([
		['as the later publish does: it succeeds', 'publish', undefined, 'published'],
		['as the later publish does: it fails', 'publish', new Error('refused'), 'refused'],
		['quietly where it is unpublished', 'pause', new Error('refused'), 'published'],
	])('%s', async (_how, kind, failure, expected) => {
		expect(await superseded(kind, failure)).toBe(expected);
	});

	it.each([undefined, new Error('refused')])(
		'once it has its answer, %s, which is the only one; the work goes on',
		async (failure) => {
			const first = work('first', true);
			const run = want(memory, 'publish', first.run);
			first.end(failure);
			expect(await outcomeOf(memory, run)).toEqual({ failure });
			expect(memory.run).toBe(run);
			run.abort();
			await expect(run.done).rejects.toThrow('aborted');
			expect(memory.run).toBeUndefined();
			expect(await run.answer).toEqual({ failure });
		},
	);
});
