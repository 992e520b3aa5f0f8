// What becomes of the list in force when another list is read: no company leaves it by accident.
import { map } from 'lodash';

import { readListText } from '../../../nodes/CompanyRegistry/lists/readList';
import { changeList } from '../../../nodes/CompanyRegistry/trigger/lifecycle/listChange';
import {
	rowsInForce,
	readCompanies,
	toListInForce,
} from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { companyNumbers } from '../../support/savedWorkflow';

const TEN = companyNumbers(10);
const OTHERS = companyNumbers(20).slice(10);
const nameOf = (company: string) => `Client ${company} Ltd`;
/** A line of the table. */
type Line = string | readonly [number: string, name: string];

function read(lines: Line[]) {
	const cells = lines.map((one) => (typeof one === 'string' ? [one, nameOf(one)] : one));
	const text = [['Company number', 'Client'], ...cells].map((row) => row.join('\t')).join('\n');
	return readCompanies(readListText(text), 'numbers');
}

/** As it is stored. */
const stored = (rows: ReturnType<typeof rowsInForce>) => rowsInForce(toListInForce(rows).list);

function change(
	before: ReturnType<typeof rowsInForce>,
	lines: Line[],
	{ allowsLargeRemovals = false, without = [] as string[] } = {},
) {
	const now = read(lines);
	const hasWebhook = (company: string) => !without.includes(company);
	const { rows, waiting, changedNumbers } = changeList({
		before,
		now,
		hasWebhook,
		allowsLargeRemovals,
	});
	const marked = rows.filter(({ isOnHold }) => isOnHold);
	return {
		rows: stored(rows),
		companies: map(rows, 'number').sort(),
		marked: map(marked, 'number'),
		waiting: Object.fromEntries(waiting.map(({ company, why }) => [company, why])),
		changedNumbers,
	};
}

const inForce = (lines: Line[] = TEN) => stored(read(lines).rows);
const waitAs = (why: string, companies: string[]) =>
	Object.fromEntries(companies.map((company) => [company, why]));

describe('a large removal', () => {
	it.each<[string, string[], string[], Parameters<typeof change>[2], boolean]>([
		['with half of the companies', TEN, TEN.slice(5), {}, false],
		['with fewer than half', TEN, TEN.slice(6), {}, true],
		['with as many others', TEN, OTHERS, {}, true],
		['with fewer than half of four', TEN.slice(0, 4), TEN.slice(0, 1), {}, true],
		['with fewer than half of three', TEN.slice(0, 3), TEN.slice(0, 1), {}, false],
		['where large removals are allowed', TEN, OTHERS, { allowsLargeRemovals: true }, false],
		[
			'where those that left have no webhook',
			TEN,
			TEN.slice(7),
			{ without: TEN.slice(0, 7) },
			false,
		],
	])('%s', (_what, before, now, options, isOnHold) => {
		const { companies, waiting, marked } = change(inForce(before), now, options);
		const gone = before.filter((one) => !now.includes(one));
		expect(companies).toEqual(isOnHold ? [...new Set([...before, ...now])].sort() : now);
		expect(waiting).toEqual(isOnHold ? waitAs('large', gone) : {});
		expect(marked).toEqual(isOnHold ? now.filter((one) => !before.includes(one)) : []);
	});

	it('counts against the rows without a mark, however often a wrong list is read', () => {
		let { rows } = change(inForce(), OTHERS);
		for (let nth = 0; nth < 3; nth++) {
			const again = change(rows, OTHERS);
			expect(again.waiting).toEqual(waitAs('large', TEN));
			expect(again.marked).toEqual(OTHERS);
			({ rows } = again);
		}
		// The next wrong list replaces the marked rows, and the right one ends all of this.
		const third = companyNumbers(25).slice(20);
		const wrong = change(rows, third);
		expect([wrong.companies, wrong.marked]).toEqual([[...TEN, ...third], third]);
		const right = change(wrong.rows, TEN);
		expect([right.companies, right.waiting, right.marked]).toEqual([TEN, {}, []]);
	});

	it('unmarks all once a list is applied as a whole', () => {
		const { rows } = change(inForce(), OTHERS);
		const merged = change(rows, [...TEN.slice(5), ...OTHERS]);
		expect([merged.waiting, merged.marked]).toEqual([{}, []]);
		expect(change(merged.rows, TEN).waiting).toEqual(waitAs('large', OTHERS));
	});

	it('keeps the row of a company that waits under the headings of both lists', () => {
		const columns = 'CRN\tEmail\n10000020\tjo@example.com';
		const now = readCompanies(readListText(columns), 'numbers');
		const all = { before: inForce(), now, hasWebhook: () => true, allowsLargeRemovals: false };
		const rows = stored(changeList(all).rows);
		const [waits] = rows.filter(({ number }) => number === TEN[0]);
		expect(waits).toMatchObject({
			name: nameOf(TEN[0]),
			headings: ['CRN', 'Email', 'Company number', 'Client'],
			cells: ['', '', TEN[0], nameOf(TEN[0])],
		});
	});
});

describe('a row that looks mistyped', () => {
	const [ONE, TWO] = TEN;
	const REST = TEN.slice(2);
	const SOLE_TRADER = ['sole trader', 'Jane Doe'] as const;

	it.each<[string, Line[], string[]]>([
		['holds the company of its name', [...REST, ['1000000X', nameOf(ONE)]], [ONE]],
		['holds it with an error of a spreadsheet', [...REST, ['#REF!', nameOf(ONE)]], [ONE]],
		[
			'holds it in any spelling of its name',
			[...REST, ['1000000X', 'CLIENT 10000001 LTD.']],
			[ONE],
		],
		['holds no one where its name is not known', [...REST, ['1000000X', 'Other Ltd']], []],
		['holds all that left where it has no name', [...REST, ['1000000X', '']], [ONE, TWO]],
		['holds no company that is on the list', [...TEN, ['1000000X', nameOf(ONE)]], []],
		['is none without a digit', [...REST, SOLE_TRADER], []],
	])('%s', (_what, now, held) => {
		const { companies, waiting } = change(inForce(), now);
		expect(waiting).toEqual(waitAs('row', held));
		const read = now.filter((one): one is string => typeof one === 'string');
		expect(companies).toEqual([...held, ...read].sort());
	});

	it('is no reason to keep anyone where most have left and may leave', () => {
		const now = [...TEN.slice(6), ['1000000X', nameOf(ONE)] as const];
		const { waiting } = change(inForce(), now, { allowsLargeRemovals: true });
		expect(waiting).toEqual(waitAs('row', [ONE]));
	});

	it('lets its company go once it is corrected or removed', () => {
		const { rows } = change(inForce(), [...REST, OTHERS[0], ['1000000X', nameOf(ONE)]]);
		expect(change(rows, [...REST, OTHERS[0]])).toMatchObject({
			companies: [...REST, OTHERS[0]],
			waiting: {},
			marked: [],
		});
	});
});

describe('a changed number', () => {
	const [ONE, ...REST] = TEN;
	const name = nameOf(ONE);

	it.each<[string, Line[], Line[], boolean]>([
		['is said of a name that has another one', TEN, [...REST, ['20000001', name]], true],
		['is said in any spelling', TEN, [...REST, ['20000001', 'Client 10000001 Limited']], true],
		['is none where the earlier one stays', TEN, [...TEN, ['20000001', name]], false],
		[
			'is none of a name that occurs twice now',
			TEN,
			[...REST, ['20000001', name], ['20000002', name]],
			false,
		],
		[
			'is none of a name that occurred twice',
			[...TEN, ['10000099', name]],
			[...REST, ['20000001', name]],
			false,
		],
		['is none without a name', [...REST, [ONE, '']], [...REST, ['20000001', '']], false],
	])('%s', (_what, before, now, isSaid) => {
		const { companies, changedNumbers, waiting } = change(inForce(before), now);
		expect(changedNumbers).toMatchObject(isSaid ? [{ before: ONE, now: '20000001' }] : []);
		// It is applied at once.
		expect([waiting, companies.includes('20000001')]).toEqual([{}, true]);
	});
});
