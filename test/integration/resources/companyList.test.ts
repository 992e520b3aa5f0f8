// Compare with Account, from rows as n8n's nodes give them.
import { map } from 'lodash';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { call, createWebhook } from '../../simulator/client';
import { failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { offeredFields } from '../../support/outputSchemas';

const simulator = serviceForEachTest();

const COMPARE = { resource: 'companyList', operation: 'compare' };

/** The output of one run, with exactly the fields that the editor offers. */
async function compare(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const output = await runAction(simulator, { ...COMPARE, ...parameters }, { items });
	const offered = offeredFields('companyList/compare');
	for (const { json } of output) {
		expect(Object.keys(json).sort()).toEqual([...offered].sort());
	}
	return output;
}
const jsonOf = (output: INodeExecutionData[]) => output.map(({ json }) => json);

const client = (row: number, ref: string | number, name: string, number: string | number) => ({
	row_number: row,
	'Client ref': ref,
	'Client name': name,
	'Company No.': number,
});
const CLIENTS = [
	client(2, 1001, 'Tessellate Stores plc', 99000001),
	client(3, 1002, 'Jo Bloggs', 'sole trader'),
	client(5, 1003, 'Euler Instruments', '99718281'),
	client(6, 1004, '', '99000001'),
	client(7, 'Total', '', 3),
];

it('says of each company whether it is watched, with one request and what needs a look first', async () => {
	for (const number of ['99000001', '99718281', '99141592', '99123456', '99718281']) {
		await createWebhook(simulator, undefined, number);
	}
	const [, paused, , left] = simulator.webhooks();
	for (const { id } of [paused, left]) {
		await call(simulator, 'PATCH', `/v1/webhooks/${id}`, { body: { is_active: false } });
	}
	// One of two is enough.
	const items = [...CLIENTS, { 'Company No.': 99123456 }, { 'Company No.': 'SC990012' }];
	simulator.clearRequests();
	const output = await compare({}, items);
	const [stores, , bakeries, , euler] = simulator.webhooks();
	const states = jsonOf(output).map((line) => Object.values(line).slice(0, 5));
	const filings = ['filing.new'];
	expect(states).toEqual([
		['sole trader', 'Jo Bloggs', 'no company number', [], null],
		['3', null, 'no company number', [], null],
		['SC990012', null, 'not watched', [], null],
		['99123456', null, 'paused', filings, left.id],
		['99141592', null, 'watched but not in the list', filings, bakeries.id],
		['99000001', 'Tessellate Stores plc', 'watched', filings, stores.id],
		['99718281', 'Euler Instruments', 'watched', filings, euler.id],
	]);
	// What belongs to no row must not lead a next step to one.
	const rows = [1, 4, 6, 5, undefined, 0, 2];
	expect(map(output, 'pairedItem')).toEqual(
		rows.map((item) => (item === undefined ? [] : { item })),
	);
	expect(simulator.requests).toMatchObject([{ method: 'GET', path: '/v1/webhooks' }]);
});

it.each<[string, object[], object]>([
	['has more pages', [], { total_results: 7 }],
	['has a row that cannot be read', [{ id: 'wh_3' }], {}],
])('knows no state of what it does not find where the list %s', async (_what, more, beside) => {
	const data = [
		{ id: 'wh_1', company_number: '99000001', events: [], is_active: true },
		{ id: 'wh_2', company_number: '99718281', events: [], is_active: false },
		...more,
	];
	simulator.fault({ action: { status: 200, body: { data, ...beside } } });
	const output = await compare({ source: 'text', text: '99718281,99000001,99123456' });
	expect(jsonOf(output).map(({ company_number, state }) => [company_number, state])).toEqual([
		['99123456', 'not known'],
		['99718281', 'paused'],
		['99000001', 'watched'],
	]);
});

it('reads the text of each item, and a text that all items share only once', async () => {
	const parameters = { source: 'text', text: '={{ $json.text }}' };
	const texts = ['99000001', '99000001', '99718281\n99000001'].map((text) => ({ text }));
	const output = await compare(parameters, texts);
	expect(map(output, 'json.company_number')).toEqual(['99000001', '99718281']);
	expect(map(output, 'pairedItem')).toEqual([{ item: 0 }, { item: 2 }]);
});

it('asks which column holds the numbers, and names the item', async () => {
	const parameters = { source: 'text', text: '={{ $json.text }}' };
	const texts = ['99000001', 'Ref\tPolicy\n99000001\t99000002'].map((text) => ({ text }));
	const { message, context } = await failureOf(compare(parameters, texts));
	expect(message).toBe('The column with company numbers is unclear');
	expect(context.itemIndex).toBe(1);
	expect(simulator.requests).toEqual([]);
});
