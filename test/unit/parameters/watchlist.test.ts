// Which companies and events to watch, as read from the trigger's parameters.
import type { INodeParameters } from 'n8n-workflow';

import {
	choosesCompany,
	readWatchlist,
} from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { hookContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const read = (parameters: INodeParameters) =>
	readWatchlist(
		hookContext(
			watch({ url: 'https://registry.example.com', apiKey: 'key' }, [], { parameters }).load(),
		),
	);

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
		['one number', numbers('00445790'), ['00445790']],
		[
			'commas, spaces and new lines',
			numbers('445790, sc1234\n R0000521;12345678\t1'),
			['00445790', 'SC001234', 'R0000521', '12345678', '00000001'],
		],
		[
			'duplicates in any spelling',
			numbers('445790 00445790 SC1234 sc001234'),
			['00445790', 'SC001234'],
		],
		['a number from an expression', numbers(445790), ['00445790']],
		[
			'a list from an expression',
			numbers([445790, 'SC1234', ['1']]),
			['00445790', 'SC001234', '00000001'],
		],
		['a list from an expression, with gaps', numbers([null, 1, [undefined]]), ['00000001']],
		[
			'rows in every mode',
			rows(locator('00445790'), locator('sc 1234', 'number')),
			['00445790', 'SC001234'],
		],
		['a row with a number from an expression', rows(locator(445790, 'number')), ['00445790']],
		['rows that an expression filled', rows('445790', 1), ['00445790', '00000001']],
		['the same company in two rows', rows(locator('445790'), locator('00445790')), ['00445790']],
	])('companies from %s', (_what, parameters, companies) => {
		expect(read(parameters)).toEqual({ companies, events: ['filing.new'] });
	});

	it.each<[string, INodeParameters, string[]]>([
		['chosen ones', { events: ['psc.added', 'filing.new'] }, ['psc.added', 'filing.new']],
		[
			'additional ones',
			{ options: { additionalEvents: 'a.b, c.d' } },
			['filing.new', 'a.b', 'c.d'],
		],
		['additional ones alone', { events: [], options: { additionalEvents: 'a.b' } }, ['a.b']],
		['the same one twice', { options: { additionalEvents: 'filing.new' } }, ['filing.new']],
	])('events from %s', (_what, parameters, events) => {
		expect(read({ ...numbers('1'), ...parameters }).events).toEqual(events);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['the form as it opens, with one empty row', {}, /^Company 1 of 1: 'Company Number' is empty/],
		['no row', rows(), /No company is chosen/],
		['blanks', numbers(' ,\n '), /No company is chosen/],
		['null from an expression', numbers(null), /No company is chosen/],
		['the other list', { ...rows(locator('1')), companiesFrom: 'numbers' }, /No company is chosen/],
		['a collection without rows', { companies: {} }, /No company is chosen/],
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
			numbers('1 acme 3'),
			/^Company 2 of 3: .*"acme" is not a company number.*8 letters and digits/,
		],
		['a number with decimals', numbers(1.5), /^Company 1 of 1: 1\.5 is not/],
		[
			'an empty row among others',
			rows(locator('1'), locator('')),
			/^Company 2 of 2: 'Company Number' is empty/,
		],
		['a row without a value', rows({}), /^Company 1 of 1: /],
		[
			'several that are no numbers, one of them empty',
			rows(locator('1'), locator('acme'), locator('')),
			/^2 of 3 companies are not company numbers: "acme" \(number 2\), \(empty\) \(number 3\)\. /,
		],
		[
			'twenty by name',
			numbers(names(20)),
			/^20 of 20 companies are not company numbers: .*"name-20" \(number 20\)\. /,
		],
		[
			'more than twenty by their count',
			numbers(names(22)),
			/^22 of 22 companies .*"name-20" \(number 20\) and 2 more\. /,
		],
	])('refuses %s', (_what, parameters, message) => {
		expect(() => read(parameters)).toThrow(message);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['without numbers', { companiesFrom: 'numbers', events: ['a.b'] }, /No company is chosen/],
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
		const workflow = watch({ url: 'https://registry.example.com', apiKey: 'key' }, []).load();
		workflow.node.parameters = parameters;
		expect(() => readWatchlist(hookContext(workflow))).toThrow(message);
	});

	it('reads thousands of numbers', () => {
		const many = Array.from({ length: 5000 }, (_, index) => index + 1);
		expect(read(numbers(many.join('\n'))).companies).toHaveLength(5000);
	});
});

describe('choosesCompany', () => {
	it.each<[string, INodeParameters, boolean]>([
		['in any spelling, among others', numbers('1, sc1234'), true],
		['in a row', rows(locator('00000001'), locator('sc 1234')), true],
		['not another one', numbers('1, sc12345'), false],
		['not what is no company number', numbers('acme'), false],
		['not where none is chosen', rows(), false],
	])('finds a company %s', (_what, parameters, isChosen) => {
		const workflow = watch({ url: 'https://registry.example.com', apiKey: 'key' }, [], {
			parameters,
		}).load();
		expect(choosesCompany(hookContext(workflow), 'SC001234')).toBe(isChosen);
	});
});
