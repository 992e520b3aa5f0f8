// The stored state comes back as it was written, finds one subscription, stays small, and loses no secret.
import { randomBytes } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/lifecycle/identity';
import {
	findStored,
	memoryOf,
	readState,
	TriggerMemory,
	writeAll,
	type Facts,
	type Status,
	type Subscription,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/state';

const identity: TriggerIdentity = { workflow: 'w1', node: 'n1' };
const FACTS: Partial<Facts> = {
	status: 'published',
	account: 'account 1',
	url: 'https://n8n.example.com/webhook/1/webhook',
	events: ['filing.new', 'psc.added'],
};

function subscription(n: number, changes: Partial<Subscription> = {}): Subscription {
	return {
		reference: String(n).padStart(22, 'A'),
		company: String(n).padStart(8, '0'),
		id: `wh_${n}`,
		secret: `whsec_${n}`,
		status: 'active',
		...changes,
	};
}

function memoryWith(all: Subscription[], facts: Partial<Facts> = {}, of = identity): TriggerMemory {
	const memory = new TriggerMemory(of);
	memory.updateFacts({ ...FACTS, ...facts });
	for (const one of all) memory.subscriptions.set(one.reference, { ...one });
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

const many = [...Array(500).keys()].map((n) => subscription(n));

describe('the stored state', () => {
	it('comes back as it was written', () => {
		const statuses: Status[] = ['active', 'paused', 'unknown'];
		const all = statuses.map((status, n) => subscription(n, { status }));
		all.push(subscription(3, { status: 'pending', id: '', secret: '' }));
		const facts: Partial<Facts> = {
			addressChanged: 'move',
			reported: { what: 'key', at: 1 },
			takenDownAt: 2,
			list: { digest: 'd', text: 'Company number\n1' },
		};
		const written = memoryWith(all, facts);
		const read = loaded(stored(written));
		expect(read.all).toMatchObject(all);
		// The list may lag behind a create that n8n did not see answered.
		expect(
			read.withStatus('pending').every(({ sentAt = 0 }) => performance.now() - sentAt < 1000),
		).toBe(true);
		expect(read.facts).toEqual({ ...FACTS, ...facts });
		expect(read.stored.revision).toBe(written.stored.revision);
	});

	it.each([' ', '%', '%20', '\n', '\r\n', '\t', '\u2028', 'a b\nc%d', '+-!?', 'é💼', '__proto__'])(
		'keeps a secret and an id that hold %j',
		(odd) => {
			const all = [subscription(1, { id: `a${odd}`, secret: `${odd}s` }), subscription(65)];
			const data = stored(memoryWith(all));
			expect(loaded(data).all).toEqual(all);
			for (const one of all) expect(found(data, one.reference)).toEqual(one);
		},
	);

	it('keeps nodes and workflows apart', () => {
		const alone = stored(memoryWith([subscription(1)]));
		for (const change of [
			{ node: 'n2' },
			{ workflow: 'copy' },
			{ node: '__proto__' },
			{ node: 'constructor' },
		]) {
			expect(readState(alone, { ...identity, ...change })).toBeUndefined();
		}
		const second = { ...identity, node: 'n2' };
		const both = stored(memoryWith([subscription(1)]), memoryWith([subscription(2)], {}, second));
		expect(loaded(both).all).toEqual([subscription(1)]);
		expect(loaded(both, second).all).toEqual([subscription(2)]);
	});

	it('loses the state of the original once a copied workflow stores its own', () => {
		const data = stored(memoryWith([subscription(1)]));
		memoryWith([subscription(2)], {}, { workflow: 'copy', node: 'n2' }).write(data);
		expect(JSON.stringify(data)).not.toContain('whsec_1');
		expect(JSON.stringify(data)).toContain('whsec_2');
	});

	it('of a later version is ignored', () => {
		const data = stored(memoryWith([subscription(1)]));
		Object.assign((data.companyRegistryTrigger as { n1: object }).n1, { version: 2 });
		expect(readState(data, identity)).toBeUndefined();
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
		const memory = memoryWith([subscription(1, { id: '', secret: '', status: 'pending' })]);
		const other = loaded(stored(memory));
		Object.assign(memory.all[0], { id: 'wh_1', secret: 'whsec_1', status: 'active' });
		other.updateFacts({ account: 'account 2' });
		memory.load(readState(stored(other), identity));
		expect(memory.all).toEqual([subscription(1, { status: 'unknown' })]);
	});

	it('the revision rises although the clock was set back', () => {
		const memory = memoryWith([]);
		const revision = Date.now() + 3_600_000;
		memory.stored = { ...memory.stored, revision };
		stored(memory);
		expect(memory.stored.revision).toBe(revision + 1);
	});

	it.each<[Status, Status]>([
		['active', 'unknown'],
		['paused', 'unknown'],
		// Without an id there is nothing to update.
		['pending', 'pending'],
	])('a subscription that only memory has stays: %s becomes %s', (before, after) => {
		const bare = before === 'pending' ? { id: '', secret: '' } : {};
		const memory = memoryWith([subscription(1), subscription(2, { status: before, ...bare })]);
		memory.load(readState(stored(memoryWith([subscription(1)])), identity));
		const loadedAt = before === 'pending' && { sentAt: expect.any(Number) as number };
		const kept = subscription(2, { status: after, ...bare, ...loadedAt });
		expect(memory.all).toEqual([subscription(1), kept]);
	});
});

it('writing one trigger also writes the other triggers of its workflow where the copy is older', () => {
	const [first, second] = ['n1', 'n2'].map((node) => memoryOf({ workflow: 'w2', node }));
	const stranger = memoryOf({ workflow: 'w3', node: 'n3' });
	for (const [n, memory] of [first, second, stranger].entries()) {
		memory.updateFacts(FACTS);
		memory.subscriptions.set(subscription(n).reference, subscription(n));
	}
	stored(second, stranger);
	const data: IDataObject = {};
	writeAll(data, first);
	expect(loaded(data, second.identity).all).toEqual([subscription(1)]);
	expect(JSON.stringify(data)).not.toContain('whsec_2');
	const { revision } = second.stored;
	writeAll(data, first);
	expect(second.stored.revision).toBe(revision);
});

describe('a reference', () => {
	const [known] = many;

	it('finds its own subscription among many', () => {
		const data = stored(memoryWith(many));
		for (const one of many) expect(found(data, one.reference)).toEqual(one);
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
		['unknown', 'B'.repeat(22)],
		['cut off', known.reference.slice(0, -1)],
		['cut off at its beginning', known.reference.slice(1)],
		['longer', `${known.reference}0`],
		['in other case', known.reference.toLowerCase()],
		['behind a line break', `\n${known.reference.slice(1)}`],
		['very long', 'A'.repeat(1_000_000)],
		['a pattern', '.'.repeat(22)],
	])('finds nothing when it is %s', (_case, reference) => {
		expect(found(stored(memoryWith(many)), reference)).toBeUndefined();
	});
});

// docs/scaling.md: n8n parses, wraps and writes all of it for each delivery.
it('two thousand companies add at most 195 KB, in one text', () => {
	const portfolio = [...Array(2000).keys()].map((n) =>
		subscription(10_000_000 + n, {
			reference: randomBytes(16).toString('base64url'),
			id: `wh_${randomBytes(8).toString('hex')}`,
			secret: `whsec_${randomBytes(24).toString('base64')}`,
		}),
	);
	const data = stored(memoryWith(portfolio));
	expect(JSON.stringify(data).length).toBeLessThan(195_000);
	const { lines } = readState(data, identity)!;
	expect(lines.length).toBeGreaterThan(0.99 * JSON.stringify(data).length - 5000);
});
