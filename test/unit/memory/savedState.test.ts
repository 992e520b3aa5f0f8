// What is stored of a trigger comes back as it was, and one webhook is found in it.
import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/memory/identity';
import {
	findByReference,
	findLatestRun,
	readState,
	removeState,
	storedTriggers,
	writeState,
	type TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/savedState';
import type { KnownWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/webhookLines';

const identity: TriggerIdentity = { workflow: 'w1', node: 'n1', kind: 'production' };

/** References begin with each of the 64 characters that a bucket may be named after. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function webhook(n: number, changes: Partial<KnownWebhook> = {}): KnownWebhook {
	return {
		reference: alphabet[n % 64] + String(n).padStart(21, '0'),
		company: String(n).padStart(8, '0'),
		id: `wh_${n}`,
		secret: `whsec_${n}`,
		status: 'watched',
		...changes,
	};
}

function state(webhooks: KnownWebhook[], changes: Partial<TriggerState> = {}): TriggerState {
	return {
		published: true,
		url: 'https://n8n.example.com/webhook/1',
		account: 'account 1',
		events: ['filing.new', 'psc.added'],
		formerEvents: ['officer.appointed'],
		runId: 'run 1',
		webhooks,
		setAside: {},
		leftOut: [],
		writtenAt: 1_700_000_000_000,
		...changes,
	};
}

/** As n8n stores and loads it. */
function stored(...entries: Array<[TriggerState, TriggerIdentity?]>): IDataObject {
	const staticData: IDataObject = {};
	for (const [entry, of = identity] of entries) writeState(staticData, of, entry);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}

const many = [...Array(500).keys()].map((n) => webhook(n));

describe('the stored state', () => {
	it('comes back as it was written', () => {
		const written = state(
			[webhook(1), webhook(2, { status: 'paused' }), webhook(3, { status: 'unconfirmed' })],
			{
				setAside: { 'account 2': [webhook(4)] },
				formerEvents: ['officer.appointed', 'officer.resigned'],
			},
		);
		const read = readState(stored([written]), identity);
		expect({ ...read, webhooks: read?.webhooks.sort(byReference) }).toEqual(written);
	});

	it('comes back with the answer that was carried out', () => {
		const written = state([webhook(1)], { addressAnswer: 'move' });
		expect(readState(stored([written]), identity)).toEqual(written);
	});

	it('is written now unless it says otherwise', () => {
		const now = jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_001);
		const written = stored([state([webhook(1)], { writtenAt: undefined })]);
		now.mockRestore();
		expect(readState(written, identity)?.writtenAt).toBe(1_700_000_000_001);
	});

	it('comes back with what is empty', () => {
		const written = state([], { events: [], formerEvents: [] });
		expect(readState(stored([written]), identity)).toEqual(written);
	});

	it('holds the webhooks of a bucket in the order of their references, so that one is found fast', () => {
		const data = stored([
			state([webhook(129), webhook(1), webhook(193), webhook(65)]),
		]) as BucketData;
		const lines = data.companyRegistryTrigger.n1.accounts['account 1'].B.split('\n');
		expect(lines.map((line) => line.split(' ')[0])).toEqual(
			[webhook(1), webhook(65), webhook(129), webhook(193)].map(({ reference }) => reference),
		);
	});

	it('holds no account without a webhook', () => {
		const written = state([], { setAside: { 'account 2': [], 'account 3': [webhook(1)] } });
		expect(readState(stored([written]), identity)?.setAside).toEqual({
			'account 3': [webhook(1)],
		});
	});

	it.each([' ', '%', '%20', '\n', '\r\n', '\t', '\u2028', 'a b\nc%d', '+-!', 'é💼', '__proto__'])(
		'keeps a secret and an id that hold %j',
		(odd) => {
			const webhooks = [webhook(1, { id: `a${odd}`, secret: `${odd}s` }), webhook(65)];
			const data = stored([state(webhooks)]);
			expect(readState(data, identity)?.webhooks).toEqual(webhooks);
			expect(findByReference(data, identity, webhooks[1].reference)?.webhook).toEqual(webhooks[1]);
			expect(findByReference(data, identity, webhooks[0].reference)?.webhook).toEqual(webhooks[0]);
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
		const data = stored([state([webhook(1)])]);
		for (const other of others) {
			expect(readState(data, other)).toBeUndefined();
			expect(findByReference(data, other, webhook(1).reference)).toBeUndefined();
		}
		const tests = (node: string): TriggerIdentity => ({ ...identity, node, kind: 'test' });
		const two = stored([state([webhook(1)]), tests('n1')], [state([webhook(2)]), tests('n2')]);
		expect(readState(two, tests('n1'))?.webhooks).toEqual([webhook(1)]);
		expect(readState(two, tests('n2'))?.webhooks).toEqual([webhook(2)]);
		const both = stored(
			[state([webhook(1)])],
			[state([webhook(2)]), { ...identity, kind: 'test' }],
		);
		expect(findByReference(both, identity, webhook(1).reference)?.webhook.id).toBe('wh_1');
		expect(findByReference(both, identity, webhook(2).reference)).toBeUndefined();
	});
});

describe('what else is read of the stored state', () => {
	it.each([true, false])(
		'is the run that wrote it, with published: %p, and nothing where there is none',
		(published) => {
			const data = stored([state([webhook(1)], { runId: 'run 7', published })]);
			expect(findLatestRun(data, identity)).toEqual({ runId: 'run 7', published });
			expect(findLatestRun(data, { ...identity, node: 'other' })).toBeUndefined();
			expect(findLatestRun({}, identity)).toBeUndefined();
		},
	);

	it('is which companies were left out, and nothing is stored where none was', () => {
		const leftOut = ['00000006', 'SC000001'];
		const data = stored([state([webhook(1)], { leftOut })]);
		expect(readState(data, identity)?.leftOut).toEqual(leftOut);
		expect(JSON.stringify(stored([state([webhook(1)])]))).not.toContain('leftOut');
	});

	it('is which triggers have one, of every workflow, but not what a newer version wrote', () => {
		const test = { ...identity, kind: 'test' as const };
		const copied = { ...identity, workflow: 'w2', node: 'n2' };
		const data = stored(
			[state([webhook(1)])],
			[state([webhook(2)]), test],
			[state([webhook(3)]), copied],
		);
		const all = data.companyRegistryTrigger as Record<string, unknown>;
		all.newer = { version: 2, workflow: 'w1' };
		expect(storedTriggers(data)).toEqual([identity, test, copied]);
		removeState(data, identity);
		expect(storedTriggers(data)).toEqual([test, copied]);
	});
});

describe('a reference', () => {
	it('finds its own webhook among many', () => {
		const data = stored([state(many)]);
		for (const one of many) {
			const found = findByReference(data, identity, one.reference);
			expect(found).toMatchObject({ webhook: one, isSetAside: false });
			expect(found?.events()).toEqual(['filing.new', 'psc.added']);
			expect(found?.formerEvents()).toEqual(['officer.appointed']);
		}
	});

	it('finds the line that it begins, whatever the others hold', () => {
		const sought = many[0];
		const decoys = [1, 2, 3].map((n) => ({
			...many[n],
			reference: `A${many[n].reference.slice(1)}`,
		}));
		decoys[0].secret = sought.reference;
		decoys[1].id = sought.reference;
		decoys[2].company = sought.reference;
		const data = stored([state([...decoys, sought])]);
		expect(findByReference(data, identity, sought.reference)?.webhook).toEqual(sought);
		expect(findByReference(stored([state(decoys)]), identity, sought.reference)).toBeUndefined();
	});

	it('tells whether the webhook is watched', () => {
		const webhooks = [
			webhook(1),
			webhook(65, { status: 'paused' }),
			webhook(129, { status: 'unconfirmed' }),
		];
		const data = stored([state(webhooks, { published: false })]);
		for (const one of webhooks) {
			expect(findByReference(data, identity, one.reference)).toMatchObject({
				webhook: one,
				isSetAside: false,
			});
		}
	});

	it('finds a webhook of an account used before, which is not watched any more', () => {
		const data = stored([
			state([webhook(3)], { setAside: { older: [webhook(1)], old: [webhook(2)] } }),
		]);
		for (const n of [1, 2]) {
			expect(findByReference(data, identity, webhook(n).reference)).toMatchObject({
				webhook: webhook(n),
				isSetAside: true,
			});
		}
		expect(findByReference(data, identity, webhook(3).reference)).toMatchObject({
			webhook: webhook(3),
			isSetAside: false,
		});
	});

	const [known] = many;
	it.each([
		['nothing', ''],
		['unknown', 'A'.repeat(22)],
		['cut off', known.reference.slice(0, -1)],
		['longer', `${known.reference}0`],
		['with the line that follows it', `${known.reference} +${known.company}`],
		['in other case', known.reference.toLowerCase()],
		['behind a line break', `\n${known.reference.slice(1)}`],
		['the id of the webhook', 'wh_0'],
		['__proto__', '__proto__'],
		['constructor', 'constructor'],
		['hasOwnProperty', 'hasOwnProperty'],
		["__proto__ of a reference's length", '__proto__'.padEnd(22, '_')],
		['very long', 'A'.repeat(1_000_000)],
		['a pattern', '.'.repeat(22)],
	])('finds nothing when it is %s', (_case, reference) => {
		expect(findByReference(stored([state(many)]), identity, reference)).toBeUndefined();
	});

	it('finds nothing where nothing is stored', () => {
		expect(findByReference({}, identity, known.reference)).toBeUndefined();
		expect(findByReference(stored([state([])]), identity, known.reference)).toBeUndefined();
		const foreign = { companyRegistryTrigger: { n1: { version: 2, workflow: 'w1' } } };
		expect(findByReference(foreign, identity, known.reference)).toBeUndefined();
	});

	it('is looked up without reading the other webhooks', () => {
		const data = stored([state(many)]);
		const touched = new Set<string>();
		const buckets = (data as BucketData).companyRegistryTrigger.n1.accounts['account 1'];
		(data as BucketData).companyRegistryTrigger.n1.accounts['account 1'] = new Proxy(buckets, {
			get: (target, name) => {
				touched.add(String(name));
				return target[String(name)];
			},
		});
		findByReference(data, identity, known.reference);
		expect([...touched]).toEqual([known.reference[0]]);
	});
});

type BucketData = {
	companyRegistryTrigger: { n1: { accounts: Record<string, Record<string, string>> } };
};

function byReference(one: KnownWebhook, other: KnownWebhook): number {
	return one.company.localeCompare(other.company);
}
