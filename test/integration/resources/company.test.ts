// The operations of companies and of the account: their requests and output.
import { runAction, runShown } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

const search = { resource: 'company', operation: 'search' };
const getByPath = { resource: 'company', operation: 'getByPath' };

describe('Search', () => {
	it('returns one item for each company and sends the limit', async () => {
		const output = await runAction(simulator, { ...search, query: ' tessellate ', limit: 7 });
		const found = [
			['99000001', 'TESSELLATE STORES PLC', 'active'],
			['99000002', 'TESSELLATE TRADING SERVICES LIMITED', 'dissolved'],
		];
		expect(output).toEqual(
			found.map(([company_number, company_name, company_status]) => ({
				json: { company_number, company_name, company_status },
				pairedItem: { item: 0 },
			})),
		);
		expect(simulator.requests).toMatchObject([
			{ method: 'GET', path: '/v1/search', query: { q: 'tessellate', items_per_page: '7' } },
		]);
	});

	it('leaves out rows without a company number', async () => {
		const items = [
			{ company_number: 445790, company_name: 7, company_status: 'active', more: { any: 1 } },
			{ company_number: null, company_name: 'No number' },
			{ company_number: '99000002', company_name: null, company_status: { code: 'active' } },
		];
		simulator.fault({ path: /search/, action: { status: 200, body: { data: { items } } } });
		const { rows } = await runShown(simulator, { ...search, query: 'x' });
		expect(rows).toEqual([
			{ ...(items[0] as object), company_number: '00445790', company_name: '7' },
			{ company_number: '99000002', company_name: null, company_status: null },
		]);
	});

	// The service does not keep to the limit.
	it.each([
		[2, 2, true],
		[3, 2, true],
		[2, 3, false],
	])('of %d companies with a limit of %d hints at more: %s', async (count, limit, isHinted) => {
		const items = Array.from({ length: count }, (_, index) => ({
			company_number: 99000001 + index,
		}));
		simulator.fault({ action: { status: 200, body: { data: { items } } } });
		const { rows, hints } = await runShown(simulator, { ...search, query: 'x', limit });
		expect(rows).toHaveLength(2);
		expect(hints).toEqual(isHinted ? [expect.stringContaining("its 'Limit'")] : []);
	});
});

describe('Get by Path', () => {
	// The service's paths are not documented; this one is made up.
	const path = /^\/v1\/some-path\/00445790/;

	it.each<[string, unknown, unknown[]]>([
		['each entry', [{ a: 1 }, 'text', null], [{ a: 1 }, { data: 'text' }, { data: null }]],
		['a record with a list', { items: [{ a: 1 }] }, [{ items: [{ a: 1 }] }]],
		['a value', 7, [{ data: 7 }]],
	])('returns an item for %s', async (_what, data, expected) => {
		simulator.fault({ path, action: { status: 200, body: { data } } });
		const recordPath = `GET ${simulator.url}/v1/some-path/{company_number}?page=2`;
		const parameters = { ...getByPath, companyNumber: '445790', recordPath };
		expect((await runShown(simulator, parameters)).rows).toEqual(expected);
		expect(simulator.requests).toMatchObject([{ method: 'GET', query: { page: '2' } }]);
	});
});

describe('the account', () => {
	it.each([
		['getUsage', '/v1/usage', { items: [{ a: null }] }, { items: [{ a: null }] }],
		['getKeys', '/v1/keys', [{ a: 1 }, { b: 2 }], { data: [{ a: 1 }, { b: 2 }] }],
	])('%s returns the payload of %s as received: %j', async (operation, path, data, json) => {
		simulator.fault({ action: { status: 200, body: { data } } });
		const parameters = { resource: 'account', operation, authentication: 'apiKey' };
		const output = await runAction(simulator, parameters);
		expect(output).toEqual([{ json, pairedItem: { item: 0 } }]);
		expect(simulator.requests).toMatchObject([{ method: 'GET', path, status: 200 }]);
	});
});
