// Which companies stay watched although a changed list no longer has them: no watch ends by accident.
import {
	digestOfCompanies,
	emptyDesired,
	withList,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/desired';
import type { Facts } from '../../../nodes/CompanyRegistry/trigger/records/facts';
import { latestNumber } from '../../../nodes/CompanyRegistry/trigger/lifecycle/kept';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { companyNumbers } from '../../support/savedWorkflow';

const FIVE = companyNumbers(5);
const [ONE, TWO] = FIVE;
const KEPT = { reason: 'shrunk', name: 'Kite Ltd', email: null, columns: null } as const;

interface Change {
	before?: string[];
	now: string[];
	/** Clients by number, of both lists, and of the previous one where they differ. */
	names?: Record<string, string>;
	namesBefore?: Record<string, string>;
	/** Numbers with the names of rows that repeat them. */
	unclearNames?: Array<[company: string, name: string]>;
	/** Whether each row that cannot be read looks like a mistyped number. */
	unread?: boolean[];
	unwatchable?: 'stop' | 'skip';
	keptBefore?: Facts['kept'];
	/** Companies that the service has refused: there is no webhook. */
	refused?: string[];
	/** The companies of the list whose removals were reported; a person publishes the list again. */
	reported?: string[];
}

/** The desired state after a list was changed. */
function changed({ before = FIVE, now, names = {}, unread = [], keptBefore, ...more }: Change) {
	const { unwatchable = 'stop', reported, namesBefore = names } = more;
	const { unclearNames = [], refused = [] } = more;
	const nameOf = (company: string, all = names) => all[company] ?? `Client ${company}`;
	const rows = before.map((company) => `${company}\t${nameOf(company, namesBefore)}`);
	const text = ['Company number\tClient', ...rows].join('\n');
	const facts: Facts = {
		status: 'published',
		account: '',
		list: { digest: text, text, acceptedAt: 1 },
		kept: keptBefore,
		removalsReported: reported && digestOfCompanies(reported),
	};

	const read = {
		...emptyDesired(''),
		companies: now,
		names: new Map(now.map((company) => [company, nameOf(company)])),
		unclearNames,
		unreadable: unread.map((looksMistyped) => ({ words: 'row 2 ("x")', looksMistyped })),
	};
	const options = optionsSchema.parse({ unwatchable });
	const reasons = new Map(refused.map((company) => [company, new Error('Refused')]));
	const previous = { facts, known: [], refused: reasons };
	return withList({ ...emptyDesired(''), options }, read, previous, reported !== undefined);
}

/** The companies that are kept, with their reasons. */
const reasonsIn = ({ kept }: ReturnType<typeof changed>) =>
	Object.fromEntries([...kept].map(([company, { reason }]) => [company, reason]));

it.each<[string, Change, string[]]>([
	['a row is skipped', { now: FIVE.slice(1), unwatchable: 'skip', unread: [false] }, []],
	[
		'a row is skipped, but another one looks like a mistyped number',
		{ now: FIVE.slice(1), unwatchable: 'skip', unread: [false, true] },
		[ONE],
	],
	['half of four are left', { before: FIVE.slice(0, 4), now: FIVE.slice(0, 2) }, []],
	['one of four is left', { before: FIVE.slice(0, 4), now: [ONE] }, FIVE.slice(1, 4)],
	['one of three is left', { before: FIVE.slice(0, 3), now: [ONE] }, []],
])('where %s, companies that left the list stay watched accordingly', (_when, change, kept) => {
	const desired = changed(change);
	expect(desired.companies).toEqual([...change.now, ...kept]);
	expect(Object.keys(reasonsIn(desired))).toEqual(kept);
});

it('a person confirms a list whatever its order', () => {
	const now = FIVE.slice(3);
	const keptBefore = { [ONE]: KEPT, [TWO]: KEPT };
	const desired = changed({ before: now, now, keptBefore, reported: [...now].reverse() });
	expect(desired.companies).toEqual(now);
});

describe('where the name of a company has another number', () => {
	const WRONG = '10000091';
	const names = { [ONE]: 'Acme Ltd', [WRONG]: 'ACME LIMITED' };
	const slipped = [...FIVE.slice(1), WRONG];
	const OTHER = '20000001';
	const twice = { ...names, [OTHER]: 'Acme Ltd' };
	const second = { [TWO]: 'Acme Ltd' };

	it.each<[string, Change, string[]]>([
		['both are watched', { now: slipped, names }, [ONE]],
		['not where the old number is still listed', { now: [...FIVE, WRONG], names }, []],
		['not where the name occurs twice now', { now: [...slipped, OTHER], names: twice }, []],
		['not where it occurred twice before', { now: slipped, names: { ...names, ...second } }, []],
		['not where the name is another', { now: slipped, names: { [ONE]: 'Acme Ltd' } }, []],
	])('%s', (_when, change, kept) => {
		const expected = Object.fromEntries(kept.map((company) => [company, 'renumbered']));
		expect(reasonsIn(changed(change))).toEqual(expected);
	});

	const keptBefore = { [ONE]: { ...KEPT, reason: 'renumbered', newNumber: WRONG } as const };

	it('the wrong one is not kept once the old number is back and much of the list is gone', () => {
		const shrunk = changed({ before: slipped, now: [ONE], names, keptBefore });
		expect(shrunk.companies).not.toContain(WRONG);
		expect(shrunk.corrected).toEqual([WRONG]);
	});

	it('a second slip ends with the first once the old number is back', () => {
		const AGAIN = '10000092';
		const before = [...FIVE.slice(1), AGAIN];
		const allNames = { ...names, [AGAIN]: 'Acme Ltd' };
		const slippedAgain = changed({ before: slipped, now: before, names: allNames, keptBefore });
		expect(slippedAgain.companies).toEqual([...before, ONE, WRONG]);
		expect(latestNumber(slippedAgain.kept, ONE)).toBe(AGAIN);

		const both = { ...keptBefore, [WRONG]: { ...keptBefore[ONE], newNumber: AGAIN } };
		const corrected = changed({ before, now: FIVE, names: allNames, keptBefore: both });
		expect([corrected.companies, corrected.corrected]).toEqual([FIVE, [AGAIN, WRONG]]);
	});

	it('the old number has left the list once the other one has, too', () => {
		const desired = changed({ before: slipped, now: FIVE.slice(1), names, keptBefore });
		expect(desired.companies).toEqual([...FIVE.slice(1), ONE]);
		expect(desired.kept.get(ONE)).toEqual({ ...KEPT, reason: 'shrunk' });
	});

	it('that is a mistyped correction of an unreadable row, both are watched', () => {
		const unreadable = { [ONE]: { ...KEPT, name: 'Acme Ltd', reason: 'unreadable' } as const };
		const desired = changed({ before: FIVE.slice(1), now: slipped, names, keptBefore: unreadable });
		expect(desired.kept.get(ONE)).toMatchObject({ reason: 'renumbered', newNumber: WRONG });
	});

	it('that was copied from another row, the company stays watched', () => {
		const now = FIVE.filter((company) => company !== TWO);
		const unclearNames: Change['unclearNames'] = [
			[ONE, `Client ${ONE}`],
			[ONE, `Client ${TWO}`],
		];
		const desired = changed({ now, unclearNames });
		expect(desired.kept.get(TWO)).toMatchObject({ reason: 'renumbered', newNumber: ONE });
	});

	it('that another client had before, correcting it ends no one silently', () => {
		// The cells have moved up by one row.
		const moved = { [TWO]: `Client ${ONE}` };
		const slip = changed({ now: FIVE.slice(1), names: moved, namesBefore: {} });
		expect(slip.kept.get(ONE)).toMatchObject({ newNumber: TWO, wasWatched: true });

		const now = FIVE.filter((company) => company !== TWO);
		const kept = Object.fromEntries(slip.kept);
		const before = FIVE.slice(1);
		const corrected = changed({ before, now, namesBefore: moved, keptBefore: kept });
		expect(corrected.corrected).toEqual([]);
		expect(corrected.kept.get(TWO)).toMatchObject({ reason: 'renumbered', newNumber: ONE });
	});

	it('that the service has refused is corrected like any other', () => {
		const now = [...FIVE.slice(1), OTHER];
		const change = { before: slipped, now, names: twice, refused: [WRONG] };
		expect(changed(change).companies).toEqual(now);

		const { kept } = changed({ ...change, keptBefore });
		expect([...kept.keys()]).toEqual([ONE]);
		expect(kept.get(ONE)?.reason).toBe('renumbered');
		expect(latestNumber(kept, ONE)).toBe(OTHER);
	});

	it('both stay through a later change of the list', () => {
		const now = [...slipped, OTHER];
		const later = changed({ before: slipped, now, names, keptBefore });
		expect(reasonsIn(later)).toEqual({ [ONE]: 'renumbered' });
	});
});
