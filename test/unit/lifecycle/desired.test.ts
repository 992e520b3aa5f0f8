// What a trigger should have at the service, by its parameters and by what was in force until now.
import type { INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import {
	digestOfCompanies,
	emptyDesired,
	readDesired,
	withList,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/desired';
import { latestNumber } from '../../../nodes/CompanyRegistry/trigger/lifecycle/kept';
import { TriggerMemory } from '../../../nodes/CompanyRegistry/trigger/lifecycle/state';
import type { Facts } from '../../../nodes/CompanyRegistry/trigger/lifecycle/facts';
import type { Known } from '../../../nodes/CompanyRegistry/trigger/lifecycle/subscription';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import type {
	AcceptedList,
	Companies,
} from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { hookContext, testWorkflow } from '../../support/contexts';
import { watching } from '../../support/savedWorkflow';

const trigger = new CompanyRegistryTrigger();

/** What was accepted last: two companies, and one that is kept beside them. */
const KEPT = { reason: 'shrunk', name: 'Kite Ltd', email: null, columns: null } as const;
const FACTS: Facts = {
	status: 'published',
	account: '',
	list: accepted('Company number\tClient\n10000001\tAcme Ltd\n10000002\t'),
	kept: { '10000009': KEPT },
};

function accepted(text: string): AcceptedList {
	return { digest: text, text, acceptedAt: 1 };
}

function read(parameters: INodeParameters, known: Known[] = []) {
	const workflow = testWorkflow({ nodeType: trigger, parameters });
	const memory = new TriggerMemory({ workflow: '', node: '' });
	memory.updateFacts(FACTS);
	for (const one of known) memory.subscriptions.set(one.reference, one);
	return readDesired(hookContext(workflow), memory, false);
}

interface Change {
	before?: string[];
	now: string[];
	/** Clients by number, of both lists. */
	names?: Record<string, string>;
	unreadable?: Companies['unreadable'];
	unwatchable?: 'stop' | 'skip';
	keptBefore?: Facts['kept'];
	/** The companies of the list whose removals were reported. */
	reported?: string[];
	isFresh?: boolean;
}

const FIVE = ['10000001', '10000002', '10000003', '10000004', '10000005'];

/** The desired state after a list was changed. */
function changed({ before = FIVE, now, names = {}, unreadable = [], ...more }: Change) {
	const { unwatchable = 'stop', keptBefore, reported, isFresh = false } = more;
	const rows = before.map((one) => `${one}\t${names[one] ?? `Client ${one}`}\ta@${one}.uk`);
	const list = accepted(['Company number\tClient\tEmail', ...rows].join('\n'));
	const removalsReported = reported && digestOfCompanies(reported);
	const facts: Facts = { ...FACTS, list, kept: keptBefore, removalsReported };

	const options = optionsSchema.parse({ unwatchable });
	const named = new Map(now.map((one) => [one, names[one] ?? `Client ${one}`]));
	const companies = { ...emptyDesired(''), companies: now, names: named, unreadable };
	return withList({ ...emptyDesired(''), options }, companies, facts, isFresh);
}

/** The companies that are kept, with their reasons. */
const reasonsIn = ({ kept }: ReturnType<typeof changed>) =>
	Object.fromEntries([...kept].map(([company, { reason }]) => [company, reason]));

/** Rows of the list: one that looks like a mistyped number, one that does not. */
const row = (looksMistyped: boolean) => ({ row: 2, words: 'row 2 ("x")', looksMistyped });

// A mistyped number must not end the watch of its company.
it.each<[string, 'stop' | 'skip', Array<ReturnType<typeof row>>, string[]]>([
	['all rows can be read', 'stop', [], []],
	['a row cannot be read', 'stop', [row(false)], ['10000001']],
	['such a row is skipped', 'skip', [row(false)], []],
	[
		'such a row is skipped, but looks like a mistyped number',
		'skip',
		[row(false), row(true)],
		['10000001'],
	],
])(
	'where %s (%s), companies that left the list stay watched accordingly',
	(_when, unwatchable, unreadable, kept) => {
		const now = [...FIVE.slice(1), '20000001'];
		const desired = changed({ now, unwatchable, unreadable });
		expect(desired).toMatchObject({ companies: [...now, ...kept], unreadable });
		expect(reasonsIn(desired)).toEqual(Object.fromEntries(kept.map((one) => [one, 'unreadable'])));
	},
);

describe('where most of the last accepted list is gone', () => {
	const others = ['20000001', '20000002', '20000003', '20000004', '20000005'];

	it.each<[string, string[], string[], string[]]>([
		['two of five are left', FIVE, FIVE.slice(3), FIVE.slice(0, 3)],
		['none is, beside as many others', FIVE, others, FIVE],
		['three of five are left', FIVE, FIVE.slice(2), []],
		['half of four are left', FIVE.slice(0, 4), FIVE.slice(0, 2), []],
		['one of four is left', FIVE.slice(0, 4), FIVE.slice(0, 1), FIVE.slice(1, 4)],
		['one of three is left', FIVE.slice(0, 3), FIVE.slice(0, 1), []],
	])('the others stay watched: %s', (_when, before, now, kept) => {
		const desired = changed({ before, now });
		expect(desired.companies).toEqual([...now, ...kept]);
		expect(reasonsIn(desired)).toEqual(Object.fromEntries(kept.map((one) => [one, 'shrunk'])));
	});

	it('they keep their row, and their name is known', () => {
		const { kept, names } = changed({ now: FIVE.slice(4), names: { [FIVE[0]]: 'Acme Ltd' } });
		expect(kept.get(FIVE[0])).toMatchObject({ name: 'Acme Ltd', columns: { Client: 'Acme Ltd' } });
		expect(names.get(FIVE[0])).toBe('Acme Ltd');
	});

	const keptBefore = { [FIVE[0]]: KEPT, [FIVE[1]]: KEPT, [FIVE[2]]: KEPT };
	const rest = FIVE.slice(3);

	it('rows that are added later confirm nothing, and a company that is back is listed again', () => {
		const now = [...rest, FIVE[0], ...others];
		const desired = changed({ before: rest, now, keptBefore });
		expect(desired.companies).toEqual([...now, FIVE[1], FIVE[2]]);
	});

	it('kept companies do not count as those of the list', () => {
		const before = FIVE.slice(1);
		const desired = changed({ before, now: FIVE.slice(3), keptBefore: { [FIVE[0]]: KEPT } });
		expect(Object.keys(reasonsIn(desired))).toEqual([FIVE[0]]);
	});

	it.each<[string, Partial<Change>, boolean]>([
		['by a fresh publish of the reported list', { isFresh: true, reported: rest }, true],
		['whatever its order', { isFresh: true, reported: [...rest].reverse() }, true],
		['not by a change', { reported: rest }, false],
		['not before a report', { isFresh: true }, false],
		['not by a publish of another list', { isFresh: true, reported: FIVE }, false],
	])('a person confirms it: %s', (_how, change, isConfirmed) => {
		const desired = changed({ before: rest, now: rest, keptBefore, ...change });
		expect(desired.companies).toEqual(isConfirmed ? rest : [...rest, ...FIVE.slice(0, 3)]);
	});
});

describe('where the name of a company has another number', () => {
	const WRONG = '10000091';
	const names = { [FIVE[0]]: 'Acme Ltd', [WRONG]: 'ACME LIMITED' };
	const slipped = [...FIVE.slice(1), WRONG];

	it('both are watched', () => {
		const desired = changed({ now: slipped, names });
		expect(desired.companies).toEqual([...slipped, FIVE[0]]);
		const expected = { reason: 'renumbered', newNumber: WRONG, name: 'Acme Ltd' };
		expect(desired.kept.get(FIVE[0])).toMatchObject(expected);
	});

	it.each<[string, Change]>([
		['the old number is still listed', { now: [...FIVE, WRONG], names }],
		[
			'the name occurs twice now',
			{ now: [...slipped, '20000001'], names: { ...names, '20000001': 'Acme Ltd' } },
		],
		[
			'the name occurred twice before',
			{ now: slipped, names: { ...names, [FIVE[1]]: 'Acme Ltd' } },
		],
		['the name is another', { now: slipped, names: { ...names, [WRONG]: 'Other Ltd' } }],
	])('not where %s', (_when, change) => {
		expect(reasonsIn(changed(change))).toEqual({});
	});

	const keptBefore = { [FIVE[0]]: { ...KEPT, reason: 'renumbered', newNumber: WRONG } as const };

	it('the other one is not kept once the old number is back, also where much of the list is gone', () => {
		const corrected = changed({ before: slipped, now: FIVE, names, keptBefore });
		expect([corrected.companies, corrected.corrected]).toEqual([FIVE, [WRONG]]);
		const shrunk = changed({ before: slipped, now: FIVE.slice(0, 1), names, keptBefore });
		expect(shrunk.companies).not.toContain(WRONG);
	});

	const AGAIN = '10000092';
	const twice = {
		...keptBefore,
		[WRONG]: { ...KEPT, reason: 'renumbered', newNumber: AGAIN } as const,
	};

	it('a second slip ends with the first once the old number is back', () => {
		const before = [...FIVE.slice(1), AGAIN];
		const allNames = { ...names, [AGAIN]: 'Acme Ltd' };
		const slippedAgain = changed({ before: slipped, now: before, names: allNames, keptBefore });
		expect(slippedAgain.companies).toEqual([...before, FIVE[0], WRONG]);
		expect(latestNumber(slippedAgain.kept, FIVE[0])).toBe(AGAIN);
		const corrected = changed({ before, now: FIVE, names: allNames, keptBefore: twice });
		expect([corrected.companies, corrected.corrected]).toEqual([FIVE, [AGAIN, WRONG]]);
	});

	it('the old number has left the list once the other one has, too', () => {
		const desired = changed({ before: slipped, now: FIVE.slice(1), names, keptBefore });
		expect(desired.companies).toEqual([...FIVE.slice(1), FIVE[0]]);
		expect(desired.kept.get(FIVE[0])).toEqual({ ...KEPT, reason: 'shrunk' });
	});

	it('both stay until a person confirms', () => {
		const later = changed({ before: slipped, now: [...slipped, '20000001'], names, keptBefore });
		expect(reasonsIn(later)).toEqual({ [FIVE[0]]: 'renumbered' });
		const change = { before: slipped, now: slipped, names, keptBefore };
		const confirmed = changed({ ...change, isFresh: true, reported: slipped });
		expect(confirmed.companies).toEqual(slipped);
	});
});

it('the list, the events and the options are read as entered', () => {
	const table = 'Company number\tClient\n445790\tTesco\nSC123456\tOther';
	const options = { additionalEvents: 'company.dissolved', checkEvery: 'day', unwatchable: 'skip' };
	const desired = read(watching([table], { events: ['filing.new', 'watch.report'], options }));
	expect(desired).toMatchObject({
		// Few companies were accepted before, so only what was kept already stays.
		companies: ['00445790', 'SC123456', '10000009'],
		events: ['filing.new', 'company.dissolved'],
		showsReport: true,
		followsLink: false,
		unreadable: [],
		refusal: '',
		options,
	});
	expect(desired.url).toMatch(/^https:\/\/n8n\.example\.com\/webhook\/.+\/webhook$/);
	// A report names also companies that have left.
	expect(Object.fromEntries(desired.names)).toEqual({
		'10000001': 'Acme Ltd',
		'00445790': 'Tesco',
		SC123456: 'Other',
		'10000009': 'Kite Ltd',
	});
	expect(desired).not.toHaveProperty('problem');
});

it.each<[string, INodeParameters, RegExp]>([
	[
		'an expression',
		watching(['{{ $json.missing.deeper }}'], { companyNumbers: '={{ $json.missing.deeper }}' }),
		/./,
	],
	[
		'a custom scheme that does not sign the body',
		watching(['10000003'], {
			options: { signature: { scheme: { header: 'x', content: '{timestamp}' } } },
		}),
		/custom signature scheme cannot be used/,
	],
])('where %s cannot be used, the previous state stays in force', (_what, parameters, problem) => {
	const target = { url: 'https://old', events: ['psc.added'] };
	const known: Known = {
		reference: 'r',
		company: '10000001',
		id: 'a',
		secret: 's',
		said: 'active',
		target,
	};
	const desired = read(parameters, [known]);
	expect(desired).toMatchObject({
		companies: ['10000001', '10000002', '10000009'],
		events: ['psc.added'],
	});
	expect(desired.kept.get('10000009')).toEqual(KEPT);
	expect(Object.fromEntries(desired.names)).toEqual({
		'10000001': 'Acme Ltd',
		'10000009': 'Kite Ltd',
	});
	expect(desired.problem?.message).toMatch(problem);
});
