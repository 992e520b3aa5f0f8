// What a process remembers of a trigger, beside what is stored of it.
import type { Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import type { Phase } from '../../../nodes/CompanyRegistry/trigger/memory/phase';
import {
	parseLines,
	toLine,
	type Status,
	type TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/state';
import type { Subscription } from '../../../nodes/CompanyRegistry/trigger/memory/subscription';
import { TriggerMemory } from '../../../nodes/CompanyRegistry/trigger/memory/trigger';

const ADDRESS = 'https://n8n.example.com/webhook';
const URL = `${ADDRESS}/1/webhook`;
const EVENTS = ['filing.new'];

const bare = (id: string) => ({ reference: id, company: `C${id}`, id, secret: `secret of ${id}` });
const confirmed = { url: `${URL}?ref=a`, events: EVENTS };

function stored(
	subscriptions: Array<[string, Status]>,
	changes: Partial<TriggerState> = {},
): TriggerState {
	const lines = subscriptions.map(([id, status]) => toLine({ ...bare(id), status })).join('');
	return {
		writtenAt: 1000,
		phase: { name: 'published' },
		key: 'key',
		url: URL,
		events: EVENTS,
		groups: [{ account: 'account', address: ADDRESS, lines }],
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
		['watched', 'interrupted', confirmed],
		// While n8n had taken the trigger down it may have been paused.
		['watched', 'pausing', undefined],
		['watched', 'idle', undefined],
		['active', 'published', { ...confirmed, events: [] }],
		['active', 'pausing', undefined],
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
		state.groups.push({ account: 'before', address: ADDRESS, lines: '' });
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
		['another address', { ...confirmed, url: 'https://old.example.com?ref=a' }, 'unknown'],
		['that it is paused', 'paused', 'paused'],
	])('of a wanted one of which the service has confirmed %s: %s', (_what, answer, status) => {
		const memory = loaded(stored([['a', 'watched']]));
		memory.keep({ ...bare('a'), confirmed: answer });
		expect(parseLines(memory.toState().groups[0].lines)).toEqual([{ ...bare('a'), status }]);
	});

	it('of one that is not wanted and still active is not known until it is paused', () => {
		const memory = loaded(stored([['a', 'watched']]));
		memory.companies = new Set();
		expect(parseLines(memory.toState().groups[0].lines)).toEqual([
			{ ...bare('a'), status: 'unknown' },
		]);
	});
});

describe('a memory and what is stored', () => {
	it.each([
		['at the same moment', 1000, undefined],
		['later', 1001, confirmed],
	])('written %s: the later counts', (_when, writtenAt, expected) => {
		const memory = loaded(stored([['a', 'unknown']]));
		expect(memory.overrules(undefined)).toBe(true);
		expect(memory.overrules(stored([], { writtenAt }))).toBe(expected === undefined);
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
