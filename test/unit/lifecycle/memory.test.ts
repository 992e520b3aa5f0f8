// The stored state comes back as it was written, finds one subscription, stays small, and loses no secret.
import { randomBytes } from 'node:crypto';

import { map, max, sum } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Facts } from '../../../nodes/CompanyRegistry/trigger/records/facts';
import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/lifecycle/identity';
import {
	memoryOf,
	TriggerMemory,
	writeAll,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/memory';
import { findStored } from '../../../nodes/CompanyRegistry/trigger/lifecycle/storedLines';
import { readState } from '../../../nodes/CompanyRegistry/trigger/lifecycle/storedState';
import type {
	Subscription,
	Target,
} from '../../../nodes/CompanyRegistry/trigger/records/subscription';

const identity: TriggerIdentity = { workflow: 'w1', node: 'n1' };
const FACTS: Partial<Facts> = {
	phase: 'published',
	account: 'account 1',
};
const TARGET: Target = {
	url: 'https://n8n.example.com/webhook/1/webhook',
	events: ['filing.new', 'psc.added'],
};

function subscription(n: number, changes: Partial<Subscription> = {}): Subscription {
	return {
		reference: String(n).padStart(22, 'A'),
		company: String(n).padStart(8, '0'),
		id: `wh_${n}`,
		secret: `whsec_${n}`,
		state: 'active',
		target: TARGET,
		isAnnounced: true,
		...changes,
	};
}

function memoryWith(all: Subscription[], facts: Partial<Facts> = {}, of = identity): TriggerMemory {
	const memory = new TriggerMemory(of);
	memory.updateFacts({ ...FACTS, ...facts });
	for (const one of all) memory.byReference.set(one.reference, { ...one });
	return memory;
}

/** As n8n stores and loads it. */
function stored(...memories: TriggerMemory[]): IDataObject {
	const staticData: IDataObject = {};
	for (const memory of memories) memory.write(staticData);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}

/** What a new process reads. */
function loaded(data: IDataObject, of = identity): TriggerMemory {
	const memory = new TriggerMemory(of);
	memory.load(readState(data, of));
	return memory;
}

function found(data: IDataObject, reference: string) {
	const read = readState(data, identity);
	return read && findStored(read, reference);
}

const many = [...Array(1200).keys()].map((n) => subscription(n));

/** What the service may have in an id or a secret, because it promises no form of them. */
const ODD = [
	' ',
	'%',
	'|',
	'%20',
	'\n',
	'\r\n',
	'\t',
	'\u2028',
	'a b\nc%d',
	'+-!?',
	'é💼',
	'__proto__',
];

describe('the stored state', () => {
	it('comes back as it was written', () => {
		const state: Array<Subscription['state']> = ['active', 'paused', 'unsure'];
		const all = state.map((one, n) => subscription(n, { state: one }));
		const OLD = { url: 'https://old.example.com/webhook/1/webhook', events: ['filing.new'] };
		all.push(
			subscription(3, { target: OLD, isAnnounced: false }),
			subscription(4, { gap: { from: 5, to: 6, cause: 'changed' } }),
			subscription(7, { state: 'paused', target: OLD, gap: { cause: 'n8n' }, isAnnounced: false }),
		);
		const facts: Partial<Facts> = {
			usedAddressAnswer: 'move',
			parametersDigest: 'digest',
			reportedAt: { 'unwatched abc': 1 },
			unreported: { unreachable: [{ id: 'wh_9', company: '00000009' }] },
			failingSince: { list: 4 },
			takenDownAt: 2,
			healthyAt: 3,
			list: { digest: 'd', blocks: ['Company number\n1'] },
		};
		const written = memoryWith(all, facts);
		const read = loaded(stored(written));
		expect(read.subscriptions).toEqual(all);
		expect(read.facts).toEqual({ ...FACTS, ...facts });
		expect(read.stored.revision).toBe(written.stored.revision);
	});

	it.each(ODD)('keeps a secret and an id that hold %j', (odd) => {
		const all = [subscription(1, { id: `a${odd}`, secret: `${odd}s` }), ...many.slice(2)];
		const data = stored(memoryWith(all));
		expect(loaded(data).subscriptions).toEqual(all);
		for (const one of all) expect(found(data, one.reference)).toEqual(one);
	});

	it('keeps nodes and workflows apart', () => {
		const alone = stored(memoryWith([subscription(1)]));
		for (const node of ['n2', '__proto__', 'constructor']) {
			expect(readState(alone, { ...identity, node })).toBeUndefined();
		}
		expect(readState(alone, { ...identity, workflow: 'copy' })).toBeUndefined();
		const second = { ...identity, node: 'n2' };
		const both = stored(memoryWith([subscription(1)]), memoryWith([subscription(2)], {}, second));
		expect(loaded(both).subscriptions).toEqual([subscription(1)]);
		expect(loaded(both, second).subscriptions).toEqual([subscription(2)]);
		// A copied workflow drops the state of the original as it stores its own.
		memoryWith([subscription(3)], {}, { workflow: 'copy', node: 'n3' }).write(both);
		expect(JSON.stringify(both)).not.toContain('whsec_1');
	});
});

describe('two processes, or a state that was saved late', () => {
	it('a higher revision is taken over, and a lower one is ignored', () => {
		const first = memoryWith([subscription(1)]);
		const older = stored(first);
		first.updateFacts({ account: 'account 2' });
		const newer = stored(first);
		const other = loaded(older);
		other.load(readState(newer, identity));
		expect(other.facts.account).toBe('account 2');
		other.load(readState(older, identity));
		expect(other.facts.account).toBe('account 2');
	});

	it('a secret that came after another process had taken over is kept', () => {
		const memory = memoryWith([]);
		const other = loaded(stored(memory));
		const known = subscription(1);
		memory.byReference.set(known.reference, known);
		other.updateFacts({ account: 'account 2' });
		memory.load(readState(stored(other), identity));
		expect(memory.subscriptions).toEqual([subscription(1, { state: 'unsure' })]);
	});

	it('the revision rises although the clock was set back', () => {
		const memory = memoryWith([]);
		const revision = Date.now() + 3_600_000;
		memory.stored = { ...memory.stored, revision };
		stored(memory);
		expect(memory.stored.revision).toBe(revision + 1);
	});

	it('a subscription that only memory has stays, and has to be confirmed', () => {
		const memory = memoryWith([subscription(1), subscription(2)]);
		memory.load(readState(stored(memoryWith([subscription(1)])), identity));
		expect(memory.subscriptions).toEqual([subscription(1), subscription(2, { state: 'unsure' })]);
	});
});

it('writing one trigger does not overwrite a newer state of another, from another process', () => {
	const [first, second] = ['n4', 'n5'].map((node) => memoryOf({ workflow: 'w4', node }));
	const data = stored(second);
	const newer = loaded(data, second.identity);
	newer.byReference.set(subscription(1).reference, subscription(1));
	newer.write(data);
	second.updateFacts(FACTS);
	writeAll(data, first);
	expect(loaded(data, second.identity).subscriptions).toEqual([subscription(1)]);
});

describe('a reference', () => {
	const [known] = many;

	it.each([0, 499, 500, 1199])('finds webhook %i of 1200', (n) => {
		expect(found(stored(memoryWith(many)), many[n].reference)).toEqual(many[n]);
	});

	it('finds the line that it begins, whatever the others hold', () => {
		const decoys = [1, 2, 3].map((n) => subscription(n));
		decoys[0].secret = known.reference;
		decoys[1].id = known.reference;
		decoys[2].company = known.reference;
		expect(found(stored(memoryWith([...decoys, known])), known.reference)).toEqual(known);
		expect(found(stored(memoryWith(decoys)), known.reference)).toBeUndefined();
	});

	it.each([
		['empty', ''],
		['cut off', known.reference.slice(0, -1)],
		['longer', `${known.reference}0`],
		['behind the beginning of a line', `|${known.reference.slice(1)}`],
		['a pattern', '.'.repeat(22)],
	])('finds nothing when it is %s', (_case, reference) => {
		expect(found(stored(memoryWith(many)), reference)).toBeUndefined();
	});
});

// n8n parses, wraps and writes all of it for each delivery.
it('two thousand companies add at most 195 KB, in a few short strings', () => {
	const portfolio = [...Array(2000).keys()].map((n) =>
		subscription(10_000_000 + n, {
			reference: randomBytes(16).toString('base64url'),
			id: `wh_${randomBytes(8).toString('hex')}`,
			secret: `whsec_${randomBytes(24).toString('base64')}`,
		}),
	);
	const data = stored(memoryWith(portfolio));
	expect(JSON.stringify(data).length).toBeLessThan(195_000);
	const lengths = map(readState(data, identity)!.blocks, 'length');
	expect(lengths).toHaveLength(4);
	expect(max(lengths)).toBeLessThan(128 * 1024);
	expect(sum(lengths)).toBeGreaterThan(0.99 * JSON.stringify(data).length - 5000);
});
