// What a process remembers of a trigger, beside what is stored of it.
import type { Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import type { Phase } from '../../../nodes/CompanyRegistry/trigger/memory/phase';
import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/identity/identity';
import type {
	Status,
	StoredSubscription,
	TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/state';
import type { Subscription } from '../../../nodes/CompanyRegistry/trigger/memory/subscription';
import {
	findMemory,
	knownIds,
	memoryOf,
	TriggerMemory,
} from '../../../nodes/CompanyRegistry/trigger/memory/trigger';

const ADDRESS = 'https://n8n.example.com/webhook';
const URL = `${ADDRESS}/1/webhook`;
const EVENTS = ['filing.new'];

let workflows = 0;
const trigger = (): TriggerIdentity => ({
	workflow: `w${++workflows}`,
	node: 'n',
	kind: 'production',
});

const bare = (id: string) => ({ reference: id, company: `C${id}`, id, secret: `secret of ${id}` });
const confirmed = { url: `${URL}?ref=a`, events: EVENTS };

function stored(
	subscriptions: Array<[string, Status]>,
	changes: Partial<TriggerState> = {},
): TriggerState {
	const all: StoredSubscription[] = subscriptions.map(([id, status]) => ({ ...bare(id), status }));
	return {
		writtenAt: 1000,
		phase: { name: 'published' },
		key: 'key',
		url: URL,
		events: EVENTS,
		groups: [{ account: 'account', address: ADDRESS, subscriptions: all }],
		...changes,
	};
}

function loaded(...states: TriggerState[]): TriggerMemory {
	const memory = new TriggerMemory();
	for (const state of states) memory.load(state);
	return memory;
}

const inFirstGroup = ({ current }: TriggerMemory) => [...(current?.subscriptions.values() ?? [])];

describe('what is stored', () => {
	it.each<[Status, Phase['name'], Subscription['confirmed']]>([
		['watched', 'published', confirmed],
		['watched', 'publishing', confirmed],
		['watched', 'settingUpRest', confirmed],
		['watched', 'interrupted', confirmed],
		// While n8n had taken the trigger down it may have been paused.
		['watched', 'pausing', undefined],
		['watched', 'idle', undefined],
		['active', 'published', { ...confirmed, events: [] }],
		['active', 'pausing', undefined],
		['paused', 'published', 'paused'],
		['paused', 'idle', 'paused'],
		['unknown', 'published', undefined],
	])('%s, of a trigger that is %s, is loaded as %j', (status, name, expected) => {
		const memory = loaded(stored([['a', status]], { phase: { name, left: 1 } }));
		expect(inFirstGroup(memory)).toEqual([{ ...bare('a'), confirmed: expected }]);
		const isChosen = status === 'watched' || status === 'active';
		expect([...memory.companies]).toEqual(isChosen ? ['Ca'] : []);
	});

	it('comes back as it was loaded, with a later moment of writing', () => {
		const state = stored(
			[
				['a', 'watched'],
				['b', 'paused'],
				['c', 'unknown'],
				['d', 'active'],
			],
			// The last two are not as wanted.
			{ phase: { name: 'interrupted', left: 2 }, answered: 'copy' },
		);
		state.groups.push({ account: 'before', address: ADDRESS, subscriptions: [] });
		const memory = loaded(state);
		const { writtenAt, ...again } = memory.toState();
		expect(again).toEqual({ ...state, writtenAt: undefined });
		expect(writtenAt).toBe(memory.writtenAt);
		expect(writtenAt).toBeGreaterThan(1000);
	});

	it('is written at a later moment each time, though the clock is set back', () => {
		const memory = loaded(stored([['a', 'watched']], { writtenAt: Date.now() + 1_000_000 }));
		const before = memory.writtenAt;
		expect(memory.toState().writtenAt).toBe(before + 1);
		expect(memory.toState().writtenAt).toBe(before + 2);
	});

	it.each<[string, Subscription['confirmed'], Status]>([
		['all that is wanted', confirmed, 'watched'],
		['nothing', undefined, 'unknown'],
		['other events', { ...confirmed, events: ['psc.added'] }, 'active'],
		['that it is active', { ...confirmed, events: [] }, 'active'],
		['another address', { ...confirmed, url: 'https://old.example.com?ref=a' }, 'unknown'],
		['that it is paused', 'paused', 'paused'],
	])('of a wanted one of which the service has confirmed %s: %s', (_what, answer, status) => {
		const memory = loaded(stored([['a', 'watched']]));
		memory.keep({ ...bare('a'), confirmed: answer });
		expect(memory.toState().groups[0].subscriptions).toEqual([{ ...bare('a'), status }]);
	});

	it('of one that is not wanted and still active is not known until it is paused', () => {
		const memory = loaded(stored([['a', 'watched']]));
		memory.companies = new Set();
		expect(memory.toState().groups[0].subscriptions).toEqual([{ ...bare('a'), status: 'unknown' }]);
	});
});

describe('a memory and what is stored', () => {
	it.each([
		['earlier', 999, undefined],
		['at the same moment', 1000, undefined],
		['later', 1001, confirmed],
	])('written %s: the later counts', (_when, writtenAt, expected) => {
		const memory = loaded(stored([['a', 'unknown']]));
		expect(memory.overrules(undefined)).toBe(true);
		expect(memory.overrules({ writtenAt })).toBe(expected === undefined);
		memory.load(stored([['a', 'watched']], { writtenAt }));
		expect(inFirstGroup(memory)[0].confirmed).toEqual(expected);
	});

	it('keeps the client that worked last for each group, whatever another process has stored', () => {
		const memory = loaded(stored([['a', 'watched']]));
		const registry = { account: 'account' } as Registry;
		if (memory.current) memory.current.registry = registry;
		memory.load(stored([['b', 'watched']], { writtenAt: 2000 }));
		expect(memory.current?.registry).toBe(registry);
	});

	it('forgets no secret that another process has not stored, and knows nothing of its state', () => {
		const memory = loaded(
			stored([['a', 'watched']]),
			stored([['b', 'watched']], { writtenAt: 2000 }),
		);
		expect(memory.find('a')).toEqual({ ...bare('a'), confirmed: undefined });
		expect(memory.find('b')).toEqual({
			...bare('b'),
			confirmed: expect.objectContaining({ events: EVENTS }),
		});
		expect([...memory.companies]).toEqual(['Cb']);
	});
});

describe('groups', () => {
	it('are told apart by account and by address, and the one that is used becomes current with its proven parts', () => {
		const memory = loaded(stored([['a', 'watched']]));
		const [part] = memory.groups;
		expect(memory.groupOf('account', ADDRESS)).toBe(part);
		expect(memory.groupOf('account', 'https://other.example.com')).not.toBe(part);
		const next = memory.groupOf('new key', ADDRESS);
		expect(memory.groups).toHaveLength(3);
		expect(memory.current).toBe(part);
		memory.use(next, [part]);
		// Those that are empty are forgotten.
		expect(memory.groups).toEqual([next]);
		expect(inFirstGroup(memory).map(({ id }) => id)).toEqual(['a']);
	});

	it('of one account tell which ids are held there, by any trigger', () => {
		const held = { x: 'one', y: 'one', z: 'two' };
		for (const [id, account] of Object.entries(held)) {
			memoryOf(trigger()).groupOf(account, ADDRESS).subscriptions.set(id, bare(id));
		}
		expect([...knownIds('one')].sort()).toEqual(['x', 'y']);
	});
});

it('all triggers of a process are remembered each for itself, and test runs apart', () => {
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
