// What deleted triggers leave in a workflow's static data goes once nobody can need it.
import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/memory/identity';
import { forgetLeftBehind } from '../../../nodes/CompanyRegistry/trigger/memory/leftBehind';
import {
	readState,
	storedTriggers,
	writeState,
	type TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/savedState';
import { memoryOf } from '../../../nodes/CompanyRegistry/trigger/memory/triggers';
import type { KnownWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/webhookLines';

const own: TriggerIdentity = { workflow: 'w1', node: 'own', kind: 'production' };
const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;
let count = 0;

beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterEach(() => jest.restoreAllMocks());

/** Another trigger, of which this process remembers nothing. */
function another(changes: Partial<TriggerIdentity> = {}): TriggerIdentity {
	return { workflow: 'w1', node: `n${count++}`, kind: 'production', ...changes };
}

function webhook(status: KnownWebhook['status'], n = 1): KnownWebhook {
	const reference = String(n).padStart(22, 'r');
	return { reference, company: '00445790', id: `wh_${n}`, secret: `whsec_${n}`, status };
}

function state(changes: Partial<TriggerState> = {}): TriggerState {
	return {
		published: false,
		url: 'https://n8n.example.com/webhook/1',
		account: 'account',
		events: ['filing.new'],
		formerEvents: [],
		runId: 'run',
		leftOut: ['00000006'],
		webhooks: [webhook('paused')],
		setAside: {},
		writtenAt: NOW - 90 * DAY,
		...changes,
	};
}

/** What is left of it after another trigger's publish. */
function left(of: TriggerIdentity, before: TriggerState): TriggerState | undefined {
	const staticData: IDataObject = {};
	writeState(staticData, own, state({ published: true }));
	writeState(staticData, of, before);
	forgetLeftBehind(staticData, own);
	expect(storedTriggers(staticData)).toContainEqual(own);
	return readState(staticData, of);
}

it('goes after 90 days when all is paused, not before', () => {
	expect(left(another(), state())).toBeUndefined();
	expect(left(another({ kind: 'test' }), state())).toBeUndefined();
	expect(left(another(), state({ webhooks: [] }))).toBeUndefined();
	const younger = state({ writtenAt: NOW - 90 * DAY + 1 });
	expect(left(another(), younger)).toEqual(younger);
});

it('stays while the trigger is published', () => {
	const published = state({ published: true });
	expect(left(another(), published)).toEqual(published);
});

it('keeps what could still be active, of every account, and nothing else', () => {
	const before = state({
		webhooks: [webhook('paused', 1), webhook('watched', 2), webhook('unconfirmed', 3)],
		setAside: {
			all: [webhook('watched', 4), webhook('paused', 5)],
			none: [webhook('paused', 6)],
		},
	});
	expect(left(another(), before)).toEqual({
		...before,
		leftOut: [],
		webhooks: [webhook('watched', 2), webhook('unconfirmed', 3)],
		setAside: { all: [webhook('watched', 4)] },
	});
	const onlySetAside = state({ setAside: { other: [webhook('watched', 4)] } });
	expect(left(another(), onlySetAside)?.setAside).toEqual(onlySetAside.setAside);
});

it('that an older version stored without its time is counted from now on', () => {
	const of = another();
	const staticData: IDataObject = {};
	writeState(staticData, of, state());
	const stored = staticData.companyRegistryTrigger as Record<string, { writtenAt?: number }>;
	delete stored[of.node].writtenAt;
	forgetLeftBehind(staticData, own);
	expect(readState(staticData, of)).toEqual(state({ writtenAt: NOW }));
});

it('of the trigger itself is left alone, its test included', () => {
	for (const kind of ['production', 'test'] as const) {
		const staticData: IDataObject = {};
		writeState(staticData, { ...own, kind }, state());
		const before = structuredClone(staticData);
		forgetLeftBehind(staticData, own);
		expect(staticData).toEqual(before);
	}
});

it('of the workflow that this one is a copy of goes at once', () => {
	const original = another({ workflow: 'original' });
	const published = state({ published: true, webhooks: [webhook('watched')] });
	expect(left(original, published)).toBeUndefined();
});

it('written by a newer version is left alone', () => {
	const newer = { version: 2, workflow: 'w1' };
	const staticData: IDataObject = { companyRegistryTrigger: { n1: newer } };
	forgetLeftBehind(staticData, own);
	expect(staticData.companyRegistryTrigger).toEqual({ n1: newer });
});

describe('what this process knows better', () => {
	/** A trigger whose webhook was paused after n8n had saved. */
	function pausedSince(): [TriggerIdentity, TriggerState] {
		const of = another();
		const stored = state({ webhooks: [webhook('watched')] });
		const memory = memoryOf(of);
		memory.load(stored);
		for (const remembered of memory.current) memory.note({ ...remembered, status: 'paused' });
		return [of, stored];
	}

	it('is stored with it, and the days go on', () => {
		const [of, stored] = pausedSince();
		const younger = { ...stored, writtenAt: NOW - DAY };
		expect(left(of, younger)).toEqual({ ...younger, webhooks: [webhook('paused')] });
	});

	it('lets it go', () => {
		expect(left(...pausedSince())).toBeUndefined();
	});

	it('counts for nothing once another process has stored something', () => {
		const [of, stored] = pausedSince();
		expect(left(of, { ...stored, runId: 'another' })?.webhooks).toEqual(stored.webhooks);
	});

	it('waits for what is under way', () => {
		const [of, stored] = pausedSince();
		memoryOf(of).runner = Promise.resolve();
		expect(left(of, stored)).toEqual(stored);
	});
});
