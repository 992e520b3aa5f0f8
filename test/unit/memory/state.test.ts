// What is stored of a trigger comes back as it was, one subscription is found in it, and it stays small.
import { randomBytes } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/identity/identity';
import type {
	Subscription,
	TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/state';
import {
	findStored,
	parseLines,
	readState,
	toLine,
	writeState,
} from '../../../nodes/CompanyRegistry/trigger/memory/state';

const identity: TriggerIdentity = { workflow: 'w1', node: 'n1', kind: 'production' };
const ADDRESS = 'https://n8n.example.com/webhook';

function subscription(n: number, changes: Partial<Subscription> = {}): Subscription {
	return {
		reference: String(n).padStart(22, 'A'),
		company: String(n).padStart(8, '0'),
		id: `wh_${n}`,
		secret: `whsec_${n}`,
		status: 'watched',
		...changes,
	};
}

function setOf(account: string, subscriptions: Subscription[], address = ADDRESS) {
	return { account, address, lines: subscriptions.map(toLine).join('') };
}

function state(subscriptions: Subscription[], changes: Partial<TriggerState> = {}): TriggerState {
	return {
		revision: 1_700_000_000_000,
		status: 'published',
		isOpen: false,
		url: `${ADDRESS}/1/webhook`,
		events: ['filing.new', 'psc.added'],
		sets: [setOf('account 1', subscriptions)],
		...changes,
	};
}

/** As n8n stores and loads it. */
function stored(...entries: Array<[TriggerState, TriggerIdentity?]>): IDataObject {
	const staticData: IDataObject = {};
	for (const [entry, of = identity] of entries) writeState(staticData, of, entry);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}

function found(data: IDataObject, reference: string, of = identity) {
	const read = readState(data, of);
	return read && findStored(read, reference);
}

function inFirstSet(data: IDataObject, of = identity) {
	return parseLines(readState(data, of)?.sets[0].lines ?? '');
}

const many = [...Array(500).keys()].map((n) => subscription(n));

describe('the stored state', () => {
	it('comes back as it was written, sets in their order', () => {
		const written = state(
			[1, 2, 3].map((n) => subscription(n)),
			{
				isOpen: true,
				addressChanged: 'move',
				askedAbout: 'cells',
				told: { what: 'gist', at: 1 },
				sets: [
					setOf('account 2', [subscription(4, { status: 'paused' })]),
					setOf('account 1', [
						subscription(1),
						subscription(2, { status: 'unknown' }),
						subscription(3, { status: 'active' }),
					]),
					setOf('account 2', [], 'https://other.example.com/webhook'),
				],
			},
		);
		const data = stored([written]);
		expect(readState(data, identity)).toEqual({ ...written, version: 1, workflow: 'w1' });
	});

	it.each([' ', '%', '%20', '\n', '\r\n', '\t', '\u2028', 'a b\nc%d', '+-!', 'é💼', '__proto__'])(
		'keeps a secret and an id that hold %j',
		(odd) => {
			const all = [subscription(1, { id: `a${odd}`, secret: `${odd}s` }), subscription(65)];
			const data = stored([state(all)]);
			expect(inFirstSet(data)).toEqual(all);
			for (const one of all) expect(found(data, one.reference)).toEqual(one);
		},
	);

	it('keeps nodes, workflows and kinds apart', () => {
		const others: TriggerIdentity[] = [
			{ ...identity, node: 'n2' },
			{ ...identity, kind: 'test' },
			{ ...identity, workflow: 'copy' },
			{ ...identity, node: '__proto__' },
			{ ...identity, node: 'constructor' },
		];
		const alone = stored([state([subscription(1)])]);
		for (const other of others) expect(readState(alone, other)).toBeUndefined();
		const test = { ...identity, kind: 'test' as const };
		const both = stored([state([subscription(1)])], [state([subscription(2)]), test]);
		expect(inFirstSet(both)).toEqual([subscription(1)]);
		expect(inFirstSet(both, test)).toEqual([subscription(2)]);
	});

	it('loses what a copied workflow brought with it as soon as the copy stores its own', () => {
		const data = stored([state([subscription(1)])]);
		writeState(data, { ...identity, workflow: 'copy', node: 'n2' }, state([subscription(2)]));
		expect(JSON.stringify(data)).not.toContain('whsec_1');
		expect(JSON.stringify(data)).toContain('whsec_2');
	});

	it('of a later version is none', () => {
		const data = stored([state([subscription(1)])]);
		Object.assign((data.companyRegistryTrigger as { n1: object }).n1, { version: 2 });
		expect(readState(data, identity)).toBeUndefined();
	});
});

describe('a reference', () => {
	const [known] = many;

	it('finds its own subscription among many, in any set', () => {
		const data = stored([
			state([], {
				sets: [setOf('a', many.slice(0, 200)), setOf('b', many.slice(200))],
			}),
		]);
		for (const one of many) expect(found(data, one.reference)).toEqual(one);
	});

	it('finds the line that it begins, whatever the others hold', () => {
		const decoys = [1, 2, 3].map((n) => subscription(n));
		decoys[0].secret = known.reference;
		decoys[1].id = known.reference;
		decoys[2].company = known.reference;
		expect(found(stored([state([...decoys, known])]), known.reference)).toEqual(known);
		expect(found(stored([state(decoys)]), known.reference)).toBeUndefined();
	});

	it.each([
		['nothing', ''],
		['unknown', 'B'.repeat(22)],
		['cut off', known.reference.slice(0, -1)],
		['cut off at its beginning', known.reference.slice(1)],
		['longer', `${known.reference}0`],
		['in other case', known.reference.toLowerCase()],
		['behind a line break', `\n${known.reference.slice(1)}`],
		['very long', 'A'.repeat(1_000_000)],
		['a pattern', '.'.repeat(22)],
	])('finds nothing when it is %s', (_case, reference) => {
		expect(found(stored([state(many)]), reference)).toBeUndefined();
	});
});

// docs/self-hosting.md: n8n parses, wraps and writes all of it for each delivery.
it('a portfolio of two thousand companies adds 195 KB or less, and five values of n8n to wrap', () => {
	const portfolio = [...Array(2000).keys()].map((n) =>
		subscription(10_000_000 + n, {
			reference: randomBytes(16).toString('base64url'),
			id: `wh_${randomBytes(8).toString('hex')}`,
			secret: `whsec_${randomBytes(24).toString('base64')}`,
		}),
	);
	const data = stored([state(portfolio)]);
	expect(JSON.stringify(data).length).toBeLessThan(195_000);
	const [set] = (data.companyRegistryTrigger as { n1: { sets: object[] } }).n1.sets;
	expect(Object.values(set).map((value) => typeof value)).toEqual(['string', 'string', 'string']);
});
