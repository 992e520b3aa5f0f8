// What one process remembers of all triggers: bounded, and shared by test runs alone.
import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/memory/identity';
import type { RememberedWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/triggerMemory';
import {
	findMemory,
	memoryOf,
	takePausedTestWebhooks,
} from '../../../nodes/CompanyRegistry/trigger/memory/triggers';

let workflows = 0;

/** The memory outlives a test: no two share a trigger. */
function trigger(kind: TriggerIdentity['kind'] = 'production'): TriggerIdentity {
	return { workflow: `remembered-${++workflows}`, node: 'node', kind };
}

function webhook(id: string, changes: Partial<RememberedWebhook> = {}): RememberedWebhook {
	return {
		reference: `ref-${id}`,
		company: '00445790',
		id,
		secret: 'secret',
		status: 'paused',
		account: 'account',
		events: [],
		...changes,
	};
}

it('remembers each trigger for itself, and test runs apart from the published workflow', () => {
	const identity = trigger();
	expect(findMemory(identity)).toBeUndefined();
	const memory = memoryOf(identity);
	expect(findMemory(identity)).toBe(memory);
	expect(memoryOf(identity)).toBe(memory);
	for (const other of [
		{ ...identity, node: 'other' },
		{ ...identity, workflow: 'other' },
		{ ...identity, kind: 'test' as const },
	]) {
		expect(findMemory(other)).toBeUndefined();
	}
});

describe('a test run', () => {
	it.each<[string, TriggerIdentity['kind'], Partial<RememberedWebhook>, boolean]>([
		['takes what another test run has left paused', 'test', {}, true],
		['takes nothing that is active', 'test', { status: 'watched' }, false],
		['takes nothing whose state is not confirmed', 'test', { status: 'unconfirmed' }, false],
		['takes nothing of another account', 'test', { account: 'other' }, false],
		['takes nothing of another company', 'test', { company: 'SC123456' }, false],
		['takes nothing of a published workflow', 'production', {}, false],
	])('%s', (_what, kind, changes, takes) => {
		const other = memoryOf(trigger(kind));
		const company = `company ${workflows}`;
		const left = webhook(`wh_${workflows}`, { company, ...changes });
		other.note(left);
		const memory = memoryOf(trigger('test'));
		takePausedTestWebhooks(memory, 'account', [company]);
		expect([...memory.webhooks.values()]).toEqual(takes ? [left] : []);
		expect([...other.webhooks.values()]).toEqual(takes ? [] : [left]);
	});

	it('takes nothing from one that is starting, which may be about to resume it', () => {
		const other = memoryOf(trigger('test'));
		other.note(webhook('starting', { company: 'of a start' }));
		other.runner = Promise.resolve();
		const memory = memoryOf(trigger('test'));
		takePausedTestWebhooks(memory, 'account', ['of a start']);
		expect(memory.webhooks.size).toBe(0);
		expect(other.webhooks.size).toBe(1);
		// What is being changed is never dropped: the bound is for others.
		other.runner = undefined;
	});

	it('takes one for each company, and none where it has its own', () => {
		const [one, two, three] = [trigger('test'), trigger('test'), trigger('test')].map(memoryOf);
		one.note(webhook('first', { company: 'A' }));
		two.note(webhook('second', { company: 'A' }));
		two.note(webhook('third', { company: 'B' }));
		three.note(webhook('own', { company: 'B' }));
		takePausedTestWebhooks(three, 'account', ['A', 'B']);
		expect([...three.webhooks.values()].map(({ id }) => id)).toEqual(['own', 'first']);
		expect([...two.webhooks.values()].map(({ id }) => id)).toEqual(['second', 'third']);
	});
});

it('is bounded: what was used longest ago goes first, but for a trigger that is being changed', async () => {
	const [busy, oldest, used] = [trigger(), trigger(), trigger()];
	const [busyMemory, oldestMemory] = [busy, oldest, used].map(memoryOf);
	memoryOf(busy).runner = Promise.resolve();
	for (let n = 0; n < 997; n++) memoryOf(trigger());
	memoryOf(used);
	memoryOf(busy);
	expect(findMemory(oldest)).toBe(oldestMemory);
	for (let n = 0; n < 998; n++) memoryOf(trigger());
	expect([busy, oldest, used].map((identity) => findMemory(identity) !== undefined)).toEqual([
		true,
		false,
		true,
	]);
	for (let n = 0; n < 10; n++) memoryOf(trigger());
	expect(findMemory(used)).toBeUndefined();
	expect(findMemory(busy)).toBe(busyMemory);
	busyMemory.runner = undefined;
});

it('remembers a thousand triggers', () => {
	const all = Array.from({ length: 1000 }, () => trigger());
	const memories = all.map((identity) => memoryOf(identity));
	expect(findMemory(all[0])).toBe(memories[0]);
	memoryOf(trigger());
	expect(findMemory(all[0])).toBeUndefined();
	expect(findMemory(all[1])).toBe(memories[1]);
});

it('is bounded by webhooks as well, and forgets no more triggers than it has to', () => {
	// None of another test is left.
	for (let n = 0; n < 1000; n++) memoryOf(trigger());
	const [first, second] = [trigger(), trigger()];
	const [firstMemory, secondMemory] = [memoryOf(first), memoryOf(second)];
	const fill = (identity: TriggerIdentity, count: number) => {
		const { webhooks } = memoryOf(identity);
		for (let n = webhooks.size; n < count; n++) webhooks.set(`w${n}`, webhook(`w${n}`));
	};
	fill(first, 40_000);
	fill(second, 60_000);
	memoryOf(trigger());
	expect(findMemory(first)).toBe(firstMemory);
	fill(second, 60_001);
	memoryOf(trigger());
	expect(findMemory(first)).toBeUndefined();
	expect(findMemory(second)).toBe(secondMemory);
});
