// Which companies and events to watch, as read from the trigger's parameters.
import type { IHookFunctions, INodeParameters } from 'n8n-workflow';

import { readOptions } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import {
	choosesCompany,
	companyNameOf,
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
			numbers('445790, sc1234\n R0000521;12345678\n1'),
			['00445790', 'SC001234', 'R0000521', '12345678', '00000001'],
		],
		[
			'duplicates in any spelling',
			numbers('445790 00445790 SC1234 sc001234'),
			['00445790', 'SC001234'],
		],
		[
			'a list from an expression',
			numbers([445790, null, 'SC1234', ['1', undefined]]),
			['00445790', 'SC001234', '00000001'],
		],
		[
			'rows in every mode',
			rows(locator('00445790'), locator('sc 1234', 'number')),
			['00445790', 'SC001234'],
		],
		['rows that an expression filled', rows('445790', 1), ['00445790', '00000001']],
	])('companies from %s', (_what, parameters, companies) => {
		expect(read(parameters)).toEqual({ companies, events: ['filing.new'], unreadable: [] });
	});

	// What spreadsheets make of numbers: a line that is one number is one company.
	it.each<[string, string[]]>([
		['445,790\n1,234,567\n12,345,678', ['00445790', '01234567', '12345678']],
		['6,\n7,\n', ['00000006', '00000007']],
		['445790,1487520', ['00445790', '01487520']],
	])('%j is read as %j', (text, companies) => {
		expect(read(numbers(text)).companies).toEqual(companies);
	});

	it.each(['445, 790', '1,234 567', '1 2 3', '445,790,1487520'])(
		'%j is refused as a whole, because what comes out of a split is too short',
		(text) => {
			expect(() => read(numbers(`00445790\n${text}`))).toThrow(
				`Company 2 of 2: "${text}" is not a company number`,
			);
		},
	);

	it('events from those chosen and the additional ones', () => {
		const options = { additionalEvents: 'a.b, filing.new' };
		expect(read({ ...numbers('1'), options }).events).toEqual(['filing.new', 'a.b']);
		expect(read({ ...numbers('1'), events: [], options }).events).toEqual(['a.b', 'filing.new']);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['the form as it opens, with one empty row', {}, /^Company 1 of 1: 'Company Number' is empty/],
		['no row', rows(), /No company is chosen/],
		['blanks', numbers(' ,\n '), /No company is chosen/],
		['null from an expression', numbers(null), /No company is chosen/],
		['the other list', { ...rows(locator('1')), companiesFrom: 'numbers' }, /No company is chosen/],
		[
			'no event',
			{ ...numbers('1'), events: [] },
			/^No event is chosen\. Choose at least one under 'Trigger On'/,
		],
		[
			'a signature scheme that does not cover the body',
			{
				...numbers('1'),
				options: { signature: { scheme: { header: 'x-signature', content: '{timestamp}' } } },
			},
			/^The custom signature scheme cannot be used: .+\. Correct it under 'Options' > 'Signature'/,
		],
		[
			'a name',
			numbers('1001 acme 1003'),
			/^Company 2 of 3: .*"acme" is not a company number.*8 letters and digits/,
		],
		[
			'twenty by name and place, and more by their count',
			numbers(names(22)),
			/^22 of 22 companies .*"name-20" \(number 20\) and 2 more\. /,
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
			/^Company 1 of 1: 'Company Number' is empty/,
		],
		['without events', { companiesFrom: 'numbers', companyNumbers: '1' }, /No event is chosen/],
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
			companyNameOf(context, company),
		]);
	}
	const BOTH = [
		['00445790', 'Acme Ltd'],
		['SC001234', 'Ben & Co'],
	];

	it.each<[string, string, Array<Array<string | null>>]>([
		['a heading for the name only', 'Ref\tCOMPANY\n445790\tAcme Ltd\nSC1234\tBen & Co', BOTH],
		['a heading that may mean either', 'Company\tTitle\n445790\tAcme Ltd\nSC1234\tBen & Co', BOTH],
		['a company twice, first without a name', '445790\t\n00445790\tAcme Ltd', [BOTH[0]]],
	])('with %s', (_what, text, companies) => {
		expect(companiesIn(text)).toEqual(companies);
	});

	it('with two columns of numbers is not published', () => {
		expect(() => read(numbers('1001\t445790\tAcme Ltd\n1002\tSC1234\tBen & Co'))).toThrow(
			/^Which column holds the company numbers\? .* Give it the heading 'Company number', or paste number and name only\.$/,
		);
	});

	it('names all rows that hold no number, and how to leave them out, where others do', () => {
		const rows = 'Company no.\tName\n445790\tAcme\n\tJo Bloggs\nsole trader\tJane Doe\n2\tTotal';
		const told = ['row 3 (empty)', 'row 4 ("sole trader")', 'row 5 ("2" may be a total)'];
		expect(() => read(numbers(rows))).toThrow(
			`3 of 4 rows have no company number that can be read in column "Company no.": ${told.join(', ')}. `,
		);
		expect(() => read(numbers(rows))).toThrow(
			/ set 'Options' > 'Unreadable Rows' to 'Leave Out'\.$/,
		);
		expect(() => read(numbers(rows))).not.toThrow(/Jo Bloggs|Jane Doe/);
		const options = { unreadableRows: 'leaveOut' };
		const { companies, unreadable } = read({ ...numbers(rows), options });
		expect([companies, unreadable]).toEqual([['00445790'], told]);
		expect(() => read({ ...numbers('none\nTBC'), options })).toThrow(
			/^2 of 2 companies are not company numbers: "none"(?!.*Leave Out)/,
		);
	});

	// Each delivery asks for a name, and reading thousands of rows takes longer than all the rest of it.
	it('is read once, and again when ten others have been', () => {
		const text = '445790\tAcme Ltd';
		const first = readPasted(text);
		expect(readPasted(text)).toBe(first);
		for (let other = 1; other <= 10; other++) readPasted(`${text} ${other}`);
		const again = readPasted(text);
		expect(again).not.toBe(first);
		expect(again).toEqual(first);
	});
});

describe('the name of a picked company', () => {
	const nameOf = (companyNumber: unknown) =>
		companyNameOf(contextOf(rows(locator('00000001'), companyNumber)), '00445790');
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
		['in any spelling, among others', numbers('1001, sc1234'), true],
		['in a row', rows(locator('00000001'), locator('sc 1234')), true],
		['not another one', numbers('1001, sc12345'), false],
		['not what is no company number', numbers('acme'), false],
	])('finds a company %s', (_what, parameters, isChosen) => {
		expect(choosesCompany(contextOf(parameters), 'SC001234')).toBe(isChosen);
	});
});
