// The companies and events in the trigger's parameters.
import { map, max, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { readOptions } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import {
	rowInForce,
	rowsInForce,
	enteredList,
	readCompanies,
	readEvents,
	toListInForce,
} from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { hookContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const service = { url: 'https://registry.example.com', apiKey: 'key' };
const contextOf = (parameters: INodeParameters) =>
	hookContext(watch(service, [], { parameters }).load());
const numbers = (companyNumbers: unknown) =>
	({ companiesFrom: 'numbers', companyNumbers }) as INodeParameters;
const rows = (...companyNumber: unknown[]) =>
	({
		companiesFrom: 'list',
		companies: { company: companyNumber.map((value) => ({ companyNumber: value })) },
	}) as INodeParameters;
const locator = (value: unknown, mode = 'list') => ({ __rl: true, mode, value });

function read(parameters: INodeParameters) {
	const list = enteredList(contextOf(parameters));
	if (!list) throw new Error('The list is behind a link');
	return readCompanies(list, parameters.companiesFrom === 'list' ? 'list' : 'numbers');
}

describe('the companies', () => {
	const NO_NUMBER = /no readable company number in 'Companies'/;
	const TWO = ['00445790', 'SC001234'];

	it.each<[string, INodeParameters, string[]]>([
		['commas, spaces and new lines', numbers('445790, sc001234\n R0000521'), [...TWO, 'R0000521']],
		['repeats in any spelling', numbers('445790 00445790 SC001234 sc001234'), TWO],
		['a list from an expression', numbers([445790, null, ['SC001234', undefined]]), TWO],
		['rows in every mode', rows(locator('00445790'), locator('sc 001234', 'number')), TWO],
	])('are read from %s', (_what, parameters, companies) => {
		const list = read(parameters);
		expect([list.companies, map(list.rows, 'number')]).toEqual([companies, companies]);
		expect(list.unreadable).toEqual([]);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['the picker as it opens, with one empty row', { companiesFrom: 'list' }, NO_NUMBER],
		['no row', rows(), /^No company is chosen\. Add at least one under 'Companies', or/],
		['blanks', numbers(' ,\n '), /^No company is chosen\. Paste .+ into 'Numbers or Table'\.$/],
		['two columns of numbers', numbers('1001001\t445790\n1002\tSC123456'), /column 1 or column 2/],
	])('cannot be read from %s', (_what, parameters, message) => {
		expect(() => read(parameters)).toThrow(message);
	});

	it('have names, and numbers that were completed', () => {
		const text = 'Company no.\tName\n7654321\tKite Ltd\nSC123456\t\n 445,790 \tAcme\n7654321\t';
		const { names, completed } = read(numbers(text));
		expect([...names.values()]).toEqual(['Kite Ltd', 'Acme']);
		expect(completed).toEqual(['7654321 → 07654321, Kite Ltd', '445,790 → 00445790, Acme']);
	});

	it('may have a form that is not known if they were picked, but not if they were typed', () => {
		const picked = rows(locator('DE999123'), locator('SC99012A'), locator('445790', 'number'));
		expect(read(picked).companies).toEqual(['DE999123', 'SC99012A', '00445790']);
		const typed = [locator('DE999123', 'number'), 'SC99012A'];
		expect(() => read(rows(...typed, 445790))).toThrow(
			"set 'Company Source' to 'Search and Pick' and search for the company",
		);
	});

	it('are not read where more rows look mistyped than have a number', () => {
		const rowsOf = (...typed: string[]) =>
			numbers(['Company no.', '445790', '445791', 'n/a', ...typed].join('\n'));
		expect(read(rowsOf('1234567X', '#REF!')).companies).toHaveLength(2);
		expect(() => read(rowsOf('1234567X', '#REF!', '7654321Y'))).toThrow(/4 of 6 rows.*1234567X/);
	});
});

it.each([
	[{ events: ['psc.added'] }, ['psc.added', 'a.b', 'filing.new']],
	[{ events: [] }, ['a.b', 'filing.new']],
])('the events with %j and additional ones are %j', (parameters, expected) => {
	const options = { additionalEvents: 'a.b, filing.new' };
	const context = contextOf({ ...numbers('445790'), ...parameters, options });
	expect(readEvents(context, readOptions(context))).toEqual(expected);
});

describe('the row of a company', () => {
	const accept = (parameters: INodeParameters) => toListInForce(read(parameters).rows).list;
	const list = (name: string) => `Co no\tName\tEmail\n445790\t${name}\tj@x.uk`;
	const columns = { 'Co no': '445790', Name: 'Acme', Email: 'j@x.uk' };
	const none = { isListed: false, name: null, email: null, columns: null };

	it.each<[string, INodeParameters, object]>([
		['a table', numbers(list('Acme')), { isListed: true, name: 'Acme', email: 'j@x.uk', columns }],
		['a list of numbers', numbers('445790, SC123456'), { ...none, isListed: true }],
		['another list', numbers('445791'), none],
	])('is read from %s', (_what, parameters, row) => {
		expect(rowInForce(accept(parameters), '00445790')).toEqual(row);
	});

	// Reading thousands of rows takes longer than the rest of a delivery.
	it('is in a list that is read once, and the list used last is kept longest', () => {
		const once = (text: string) => rowsInForce(accept(numbers(text)))[0];
		const first = once(list('Acme'));
		const second = once(list('Ben'));
		for (let other = 0; other < 99; other++) {
			expect(once(list('Acme'))).toBe(first);
			once(list(`Other ${other}`));
		}
		expect(once(list('Ben'))).not.toBe(second);
	});

	it('is found in a long list, which is stored in short strings', () => {
		const names = range(5000).map((n) => `Café ${n} 💼💼`);
		const table = names.map((name, n) => `${10_000_000 + n}\t${name}`);
		const stored = accept(numbers(['Company number\tName', ...table].join('\n')));
		const loaded = JSON.parse(JSON.stringify(stored)) as typeof stored;
		expect(map(rowsInForce(loaded), 'name')).toEqual(names);
		const bytes = loaded.blocks.map((block) => Buffer.byteLength(block, 'utf16le'));
		expect(max(bytes)).toBeLessThan(128 * 1024);
	});

	const label = (cachedResultName: unknown, value: unknown = '00445790') => ({
		...locator(value),
		cachedResultName,
	});

	it.each<[string, unknown, string | null]>([
		['the label before the number', label('ACME LTD · 00445790 · active'), 'ACME LTD'],
		['a label with the same sign', label('A · B LTD · 00445790 · active'), 'A · B LTD'],
		['a label without a name', label('00445790 · active'), null],
		['the label of another number', label('BEN LTD · SC001234 · active'), null],
		['no label', locator('445790', 'number'), null],
		['an expression', '445790', null],
	])('has the name of a picked company from %s', (_what, companyNumber, name) => {
		const accepted = accept(rows(locator('00000001'), companyNumber));
		expect(rowInForce(accepted, '00445790').name).toBe(name);
	});
});
