// Which companies and events to watch, as read from the trigger's parameters.
import type { IHookFunctions, INodeParameters } from 'n8n-workflow';

import { readOptions } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import {
	choosesCompany,
	listedCompany,
	readPasted,
	readWatchlist,
} from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { hookContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const service = { url: 'https://registry.example.com', apiKey: 'key' };
const contextOf = (parameters: INodeParameters) =>
	hookContext(watch(service, [], { parameters }).load());
const watchlistOf = (context: IHookFunctions) => readWatchlist(context, readOptions(context));
const read = (parameters: INodeParameters) => watchlistOf(contextOf(parameters));

const numbers = (companyNumbers: unknown) =>
	({ companiesFrom: 'numbers', companyNumbers }) as INodeParameters;
const rows = (...companyNumber: unknown[]) =>
	({
		companies: { company: companyNumber.map((value) => ({ companyNumber: value })) },
	}) as INodeParameters;
const locator = (value: unknown, mode = 'list') => ({ __rl: true, mode, value });

const names = (count: number) => Array.from({ length: count }, (_, index) => `name-${index + 1}`);

describe('readWatchlist', () => {
	it.each<[string, INodeParameters, string[]]>([
		[
			'commas, spaces and new lines',
			numbers('445790, sc123456\n R0000521;12345678\n48839\n48840'),
			['00445790', 'SC123456', 'R0000521', '12345678', '00048839', '00048840'],
		],
		[
			'duplicates in any spelling',
			numbers('445790 00445790 SC001234 sc001234'),
			['00445790', 'SC001234'],
		],
		[
			'a list from an expression',
			numbers([445790, null, 'SC1234', ['445791', undefined]]),
			['00445790', 'SC001234', '00445791'],
		],
		[
			'rows in every mode',
			rows(locator('00445790'), locator('sc 1234', 'number')),
			['00445790', 'SC001234'],
		],
		['rows that an expression filled', rows('445790', 1), ['00445790', '00000001']],
	])('companies from %s', (_what, parameters, companies) => {
		const { events, unreadable, ...watchlist } = read(parameters);
		expect(watchlist.companies).toEqual(companies);
		expect(watchlist.rows).toBe(companies.length + watchlist.repeated);
		expect([events, unreadable]).toEqual([['filing.new'], []]);
	});

	// What spreadsheets make of numbers: a line that is one number is one company.
	it.each<[string, string[]]>([
		['445,790\n1,234,567\n12,345,678', ['00445790', '01234567', '12345678']],
		['6,\n7,\n', ['00000006', '00000007']],
		['445790,1487520', ['00445790', '01487520']],
	])('%j is read as %j', (text, companies) => {
		expect(read(numbers(text)).companies).toEqual(companies);
	});

	it.each(['445, 790', '1,234 567', '1 2 3', '445790,SC123X', '445790 acme'])(
		'%j is refused as a whole, because not every part is a whole number',
		(text) => {
			expect(() => read(numbers(`00445790\n${text}`))).toThrow(
				`Line 2: "${text}" is not a company number`,
			);
		},
	);

	it('events from those chosen and the additional ones', () => {
		const options = { additionalEvents: 'a.b, filing.new' };
		expect(read({ ...numbers('445790'), options }).events).toEqual(['filing.new', 'a.b']);
		expect(read({ ...numbers('445790'), events: [], options }).events).toEqual([
			'a.b',
			'filing.new',
		]);
	});

	it.each<[string, INodeParameters, RegExp]>([
		[
			'the form as it opens, with one empty row',
			{},
			/^Row 1, 'Companies': no company number\. Enter 8 letters/,
		],
		['no row', rows(), /^No company is chosen\. Add at least one under 'Companies', or/],
		['blanks', numbers(' ,\n '), /^No company is chosen\. Paste .+ into 'Company Numbers'\.$/],
		['headings alone', numbers('Company No.\tClient'), /^No company is chosen\. Paste/],
		['null from an expression', numbers(null), /No company is chosen/],
		['the other list', { ...rows(locator('1')), companiesFrom: 'numbers' }, /No company is chosen/],
		[
			'no event',
			{ ...numbers('445790'), events: [] },
			/^No event is chosen\. Choose at least one under 'Trigger On'/,
		],
		[
			'a signature scheme that does not cover the body',
			{
				...numbers('445790'),
				options: { signature: { scheme: { header: 'x-signature', content: '{timestamp}' } } },
			},
			/^The custom signature scheme cannot be used: .+\. Correct it under 'Options' > 'Signature'/,
		],
		[
			'a name',
			numbers('445790\nacme\n445791'),
			/^Line 2: "acme" is not a company number.*8 letters and digits/,
		],
		[
			'what may be a count',
			numbers('1250'),
			/^Line 1: "1250" may be a count or a year\. Write all 8/,
		],
		[
			'a hundred by name and place, and more by their count',
			numbers(['99000001', ...names(102)].join('\n')),
			/^102 of 103 rows .* line 101 \("name-100"\) and 2 more$/,
		],
		[
			'a list of which none can be read, with one of them',
			numbers(names(102).join('\n')),
			/^102 of 102 rows .* optional\. For example line 1 \("name-1"\)$/,
		],
	])('refuses %s', (_what, parameters, message) => {
		expect(() => read(parameters)).toThrow(message);
	});

	it.each<[string, INodeParameters, RegExp]>([
		[
			'with a number in place of rows',
			{ companies: { company: 1 }, events: ['a.b'] },
			/No company is chosen/,
		],
		[
			'with null in a row',
			{ companies: { company: [{ companyNumber: null }] } },
			/^Row 1, 'Companies': no company number\. Enter 8 letters/,
		],
		[
			'without events',
			{ companiesFrom: 'numbers', companyNumbers: '445790' },
			/No event is chosen/,
		],
	])('refuses what n8n has stored %s', (_what, parameters, message) => {
		const workflow = watch(service, []).load();
		workflow.node.parameters = parameters;
		expect(() => watchlistOf(hookContext(workflow))).toThrow(message);
	});
});

// Columns as a spreadsheet copies them, with a tab between two cells.
describe('a pasted table', () => {
	/** Each company with its name. */
	function companiesIn(text: string) {
		const context = contextOf(numbers(text));
		return watchlistOf(context).companies.map((company) => [
			company,
			listedCompany(context, company).name,
		]);
	}
	const BOTH = [
		['00445790', 'Acme Ltd'],
		['SC001234', 'Ben & Co'],
	];

	it.each<[string, string, Array<Array<string | null>>]>([
		['headings', 'Co no\tCOMPANY\n445790\tAcme Ltd\nSC1234\tBen & Co', BOTH],
		['none', '445790\tAcme Ltd\nSC1234\tBen & Co', BOTH],
		['a company twice, first without a name', '445790\t\n00445790\tAcme Ltd', [BOTH[0]]],
	])('with %s', (_what, text, companies) => {
		expect(companiesIn(text)).toEqual(companies);
	});

	it('with two columns of numbers is not published', () => {
		expect(() => read(numbers('1001001\t445790\tAcme Ltd\n1001002\tSC1234\tBen & Co'))).toThrow(
			/^Which column holds the company numbers\? It could be column 1 or column 2\. Write 'Company number' above/,
		);
	});

	it('names all rows that hold no number, and first how to leave them out, where others do', () => {
		const rows = 'Company no.\tName\n445790\tAcme\n\tJo Bloggs\nsole trader\tJane Doe\n2\tTotal';
		const told = [
			'row 4 ("sole trader", Jane Doe)',
			'row 5 ("2" may be a total or a date, Total)',
			'row 3 (empty, Jo Bloggs)',
		];
		expect(() => read(numbers(rows))).toThrow(
			/^3 of 4 rows have no company number that can be read in column "Company no."\. Enter 8 .* 'Options' > 'Unreadable Rows' to 'Leave Out'\. They are: row 4 \(/,
		);
		expect(() => read(numbers(rows))).toThrow(told.join(', '));
		const options = { unreadableRows: 'leaveOut' };
		const { companies, unreadable, ...counts } = read({
			...numbers(`${rows}\n445790\tAcme Ltd`),
			options,
		});
		expect([companies, unreadable.map(({ words }) => words)]).toEqual([['00445790'], told]);
		expect(counts).toMatchObject({ rows: 5, repeated: 1 });
		expect(() => read({ ...numbers('none\nTBC'), options })).toThrow(
			/^2 of 2 rows have no company number that can be read\. (?!.*Leave Out)/,
		);
	});
});

describe('what each delivery reads', () => {
	const list = (name: string) => `Co no\tName\tEmail\n445790\t${name}\tj@x.uk`;

	it('is the row of the company, and nothing for another one, or of what is no table', () => {
		const context = contextOf(numbers(list('Acme')));
		expect(listedCompany(context, '00445790')).toEqual({
			name: 'Acme',
			columns: { 'Co no': '445790', Name: 'Acme', Email: 'j@x.uk' },
		});
		const none = { name: null, columns: null };
		expect(listedCompany(context, '00445791')).toEqual(none);
		expect(listedCompany(contextOf(numbers('445790')), '00445790')).toEqual(none);
	});

	// Reading thousands of rows takes longer than all the rest of a delivery.
	it('is read once, by the same text in another workflow too, and what was asked for last is kept longest', () => {
		const first = readPasted(list('Acme'));
		expect(readPasted(list('Acme'))).toBe(first);
		const [large, larger] = [15, 20].map((millions) => 'x'.repeat(millions * 1_000_000));
		const second = readPasted(large);
		expect(readPasted(list('Acme'))).toBe(first);
		readPasted(larger);
		expect(readPasted(list('Acme'))).toBe(first);
		expect(readPasted(large)).not.toBe(second);
	});
});

describe('the name of a picked company', () => {
	const nameOf = (companyNumber: unknown) =>
		listedCompany(contextOf(rows(locator('00000001'), companyNumber)), '00445790').name;
	const label = (cachedResultName: unknown, value: unknown = '00445790') => ({
		...locator(value),
		cachedResultName,
	});

	it.each<[string, unknown, string | null]>([
		['what stands before the number', label('ACME LTD · 00445790 · active'), 'ACME LTD'],
		['the same without a state', label('ACME LTD · 00445790'), 'ACME LTD'],
		['a name with the same sign', label('A · B LTD · 00445790 · active'), 'A · B LTD'],
		['none where the company has none', label('00445790 · active'), null],
		['none where another number was entered since', label('BEN LTD · SC001234 · active'), null],
		['none where n8n has kept no label', locator('445790', 'number'), null],
		['none where an expression gave the number', '445790', null],
	])('is %s', (_what, companyNumber, name) => {
		expect(nameOf(companyNumber)).toBe(name);
	});
});

describe('choosesCompany', () => {
	it.each<[string, INodeParameters, boolean]>([
		['in any spelling, among others', numbers('445790, sc001234'), true],
		['in a row', rows(locator('00000001'), locator('sc 1234')), true],
		['not another one', numbers('445790, sc012345'), false],
		['not what is no company number', numbers('acme'), false],
	])('finds a company %s', (_what, parameters, isChosen) => {
		expect(choosesCompany(contextOf(parameters), 'SC001234')).toBe(isChosen);
	});
});
