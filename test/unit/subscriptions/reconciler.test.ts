// One runner for each trigger moves the account to what is wanted last; whatever n8n calls meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';

import type { Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import { TriggerMemory } from '../../../nodes/CompanyRegistry/trigger/memory/triggerMemory';
import {
	WAIT,
	want,
	type Goal,
	type GoalSetup,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/reconciler';

/** What happened, in order. */
let events: string[];
let memory: TriggerMemory;

beforeEach(() => {
	events = [];
	memory = new TriggerMemory();
});

/** Work that is done when the test says so. */
function gate() {
	let open: (error?: Error) => void = () => undefined;
	const opened = new Promise<void>((resolve, reject) => {
		open = (error) => (error ? reject(error) : resolve());
	});
	return { open, opened };
}

function registry(name = 'registry'): Promise<Registry> {
	const stopWaiting = () => void events.push(`${name} stops waiting`);
	return Promise.resolve({ stopWaiting } as Registry);
}

function setup(name: string, changes: Partial<GoalSetup> = {}): GoalSetup {
	return {
		companies: [name],
		registry: registry(name),
		carryOut: async () => void events.push(name),
		onFailure: () => undefined,
		...changes,
	};
}

/** Carried out until the gate opens. */
function holding(name: string, opened: Promise<void>, changes: Partial<GoalSetup> = {}): GoalSetup {
	return setup(name, {
		carryOut: async (_registry: Registry, goal: Goal) => {
			events.push(`${name} begins`);
			await opened;
			events.push(`${name} ends${goal.isSuperseded ? ' superseded' : ''}`);
		},
		...changes,
	});
}

/** Until nothing happens any more by itself. */
const quiet = async () => await sleep(20);

it('carries out what is wanted, and is done', async () => {
	const goal = want(memory, setup('one'));
	expect(memory.runner).toBeInstanceOf(Promise);
	expect(memory.wanted).toBe(goal);
	await goal.outcome;
	await memory.runner;
	expect(events).toEqual(['one']);
	expect(memory.runner).toBeUndefined();
	expect(memory.wanted?.companies).toEqual(new Set(['one']));
});

it('carries out what is wanted right after that', async () => {
	for (const name of ['one', 'two', 'three']) await want(memory, setup(name)).outcome;
	await memory.runner;
	expect(events.filter((event) => !event.includes('stops'))).toEqual(['one', 'two', 'three']);
});

it('lets what is at work end before it begins with what is wanted since', async () => {
	const { open, opened } = gate();
	want(memory, holding('one', opened));
	await quiet();
	const two = want(memory, setup('two'));
	await quiet();
	expect(events).toEqual(['one begins', 'one stops waiting']);
	open();
	await two.outcome;
	expect(events).toEqual(['one begins', 'one stops waiting', 'one ends superseded', 'two']);
});

it('leaves out what is no longer wanted when its turn comes', async () => {
	const { open, opened } = gate();
	want(memory, holding('one', opened));
	await quiet();
	want(memory, setup('two'));
	const three = want(memory, setup('three'));
	open();
	await three.outcome;
	await memory.runner;
	expect(events).not.toContain('two');
	expect(events.at(-1)).toBe('three');
});

it('tells n8n that it is done while work on the rest goes on', async () => {
	const { open, opened } = gate();
	const carryOut = async (_registry: Registry, goal: Goal) => {
		goal.settle();
		await opened;
		events.push('the rest');
	};
	await want(memory, setup('one', { carryOut })).outcome;
	expect(events).toEqual([]);
	open();
	await memory.runner;
	expect(events).toEqual(['the rest']);
});

it('knows the service while it is at work, and then forgets it with everything of n8n', async () => {
	const service = registry();
	let known: unknown;
	const carryOut = async (_registry: Registry, { registry: current }: Goal) => {
		known = current;
	};
	const goal = want(memory, setup('one', { registry: service, carryOut }));
	await goal.outcome;
	await memory.runner;
	expect(known).toBe(service);
	expect(goal.registry).toBeUndefined();
	expect(await goal.carryOut()).toBeUndefined();
});

it('does not begin with what was superseded while its credential was read', async () => {
	let read: (service: Registry) => void = () => undefined;
	const reading = new Promise<Registry>((resolve) => {
		read = resolve;
	});
	want(memory, setup('one', { registry: reading }));
	await quiet();
	const two = want(memory, setup('two'));
	read(await registry());
	await two.outcome;
	await memory.runner;
	expect(events).not.toContain('one');
	expect(events).toContain('two');
});

it('waits longer than n8n takes from one version, or one attempt, to the next', () => {
	// Measured in n8n 2.40.7: some two seconds under load, eight seconds, and what a user may take.
	expect(WAIT).toEqual({ forChange: 5000, forNextAttempt: 12_000, afterTimeOut: 900_000 });
});

it('does not wait with an account that is left when something else is wanted', async () => {
	memory.leftAccounts.set('left', await registry('left'));
	await want(memory, setup('one')).outcome;
	expect(events).toEqual(['left stops waiting', 'one']);
});

describe('a publish that is superseded', () => {
	it.each([
		['as the later one does: done', undefined],
		['as the later one does: failed', new Error('refused')],
	])('ends %s', async (_how, error) => {
		const one = gate();
		const two = gate();
		const first = want(memory, holding('one', one.opened));
		await quiet();
		const second = want(memory, holding('two', two.opened));
		one.open(new Error('it stopped'));
		await quiet();
		two.open(error);
		const outcomes = await Promise.allSettled([first.outcome, second.outcome]);
		const expected = error
			? { status: 'rejected', reason: error }
			: { status: 'fulfilled', value: undefined };
		expect(outcomes).toEqual([expected, expected]);
	});

	it('ends quietly when the trigger is unpublished', async () => {
		const { open, opened } = gate();
		const publish = want(memory, holding('one', opened));
		await quiet();
		want(memory, setup('nothing', { companies: [] }));
		await publish.outcome;
		open(new Error('it stopped'));
		await memory.runner;
		expect(events.at(-1)).toBe('nothing');
	});
});

describe('what is to be done later', () => {
	it('is not begun before', async () => {
		const began = Date.now();
		await want(memory, setup('later', { companies: [], delay: 150 })).outcome;
		expect(Date.now() - began).toBeGreaterThanOrEqual(145);
		expect(events).toEqual(['later']);
	});

	it('is not done at all when something else is wanted first, which does not wait for it', async () => {
		want(memory, setup('later', { companies: [], delay: 600_000 }));
		await quiet();
		const began = Date.now();
		await want(memory, setup('now')).outcome;
		expect(Date.now() - began).toBeLessThan(5000);
		await memory.runner;
		expect(events).toEqual(['later stops waiting', 'now']);
	});
});

describe('what fails', () => {
	const failing = (name: string, changes: Partial<GoalSetup>) =>
		setup(name, {
			carryOut: async () => {
				throw new Error(`${name} failed`);
			},
			...changes,
		});

	it('says why at once, and is followed by what is wanted then', async () => {
		const onFailure = (reason: unknown) =>
			setup(`after ${String(reason)}`, { companies: [], delay: 50 });
		await expect(want(memory, failing('one', { onFailure })).outcome).rejects.toThrow('one failed');
		expect(events).toEqual([]);
		await memory.runner;
		expect(events).toEqual(['after Error: one failed']);
	});

	it('is not followed by that where something else is wanted meanwhile', async () => {
		const onFailure = () => setup('after', { companies: [], delay: 50 });
		await want(memory, failing('one', { onFailure })).outcome.catch(() => undefined);
		await want(memory, setup('two')).outcome;
		await memory.runner;
		expect(events.filter((event) => !event.includes('stops'))).toEqual(['two']);
	});

	it('is not followed by that when it was superseded before it failed', async () => {
		const { open, opened } = gate();
		const onFailure = jest.fn();
		want(memory, holding('one', opened, { onFailure }));
		await quiet();
		const two = gate();
		want(memory, holding('two', two.opened));
		open(new Error('too late'));
		await quiet();
		two.open();
		await memory.runner;
		expect(onFailure).not.toHaveBeenCalled();
	});

	it('is also what has no usable credential', async () => {
		const carryOut = async () => void events.push('carried out');
		const unusable = Promise.reject<Registry>(new Error('no credential'));
		const goal = want(memory, setup('one', { registry: unusable, carryOut }));
		await expect(goal.outcome).rejects.toThrow('no credential');
		await memory.runner;
		expect(events).toEqual([]);
	});

	it('troubles nobody where nobody listens', async () => {
		want(memory, failing('one', {}));
		await memory.runner;
		expect(memory.runner).toBeUndefined();
	});
});
