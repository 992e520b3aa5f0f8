// One run of a trigger at a time, and the latest one counts.
import type { Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import { TriggerMemory, type Run } from '../../../nodes/CompanyRegistry/trigger/memory/trigger';
import { outcomeOf, want } from '../../../nodes/CompanyRegistry/trigger/subscriptions/runner';

let memory: TriggerMemory;
let log: string[];

beforeEach(() => {
	memory = new TriggerMemory();
	log = [];
});

/** Until what was wanted has begun. */
const begun = async () => await new Promise(setImmediate);
const named = (...accounts: string[]) => accounts.map((account) => ({ account }) as Registry);

/** Work that ends when it is told to, or when its run is aborted. */
function work(name: string) {
	let end: (failure?: Error) => void = () => undefined;
	const ended = new Promise<Error | undefined>((resolve) => (end = resolve));
	return {
		end,
		run: async ({ signal }: Run) => {
			log.push(`${name} begins`);
			const failure = await Promise.race([
				ended,
				new Promise<Error>((resolve) => {
					signal.addEventListener('abort', () => resolve(new Error('aborted')));
				}),
			]);
			log.push(`${name} ends`);
			if (failure) throw failure;
		},
	};
}

it('what runs is told to stop, the latest begins once it has, and what was superseded before never does', async () => {
	const [first, second, third] = ['first', 'second', 'third'].map(work);
	want(memory, 'publish', [], first.run);
	await begun();
	want(memory, 'pause', [], second.run);
	const last = want(memory, 'publish', [], third.run);
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
		const run = want(memory, 'publish', [], first.run);
		await begun();
		const outcome = outcomeOf(memory, run).then(
			() => 'published',
			(reason: Error) => reason.message,
		);
		want(memory, then, [], later.run);
		later.end(failure);
		return await outcome;
	}

	it.each<[string, Run['kind'], Error | undefined, string]>([
		['as the later publish does: it succeeds', 'publish', undefined, 'published'],
		['as the later publish does: it fails', 'publish', new Error('refused'), 'refused'],
		['quietly where it is unpublished', 'pause', undefined, 'published'],
		['quietly where pausing fails', 'pause', new Error('refused'), 'published'],
	])('%s', async (_how, kind, failure, expected) => {
		expect(await superseded(kind, failure)).toBe(expected);
	});
});

it('credentials that worked are handed on while runs follow each other, the latest first', async () => {
	const first = work('first');
	const idle = async () => undefined;
	want(memory, 'publish', named('a'), first.run);
	expect(want(memory, 'pause', named('b'), idle).registries).toEqual(named('b', 'a'));
	expect(want(memory, 'publish', [], idle).registries).toEqual(named('b', 'a'));
	expect(want(memory, 'publish', named('a'), idle).registries).toEqual(named('a', 'b'));
	expect(want(memory, 'publish', named('c'), idle).registries).toEqual(named('c', 'a', 'b'));
	await memory.run?.done;
	expect(want(memory, 'publish', named('e'), idle).registries).toEqual(named('e'));
});
