// The company operations: what they send, and what they put out.
import { byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

const search = { resource: 'company', operation: 'search' };
const getRecord = { resource: 'company', operation: 'getRecord' };

describe('Search', () => {
	it('returns one item per company and asks for as many as the limit', async () => {
		const output = await runAction(simulator, { ...search, query: ' tessellate ', limit: 7 });

		expect(output).toEqual([
			{
				json: {
					company_number: '99000001',
					company_name: 'TESSELLATE STORES PLC',
					company_status: 'active',
				},
				pairedItem: { item: 0 },
			},
			{
				json: {
					company_number: '99000002',
					company_name: 'TESSELLATE TRADING SERVICES LIMITED',
					company_status: 'dissolved',
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(simulator.requests).toMatchObject([
			{ method: 'GET', path: '/v1/search', query: { q: 'tessellate', items_per_page: '7' } },
		]);
	});

	it('keeps to the limit when the service does not', async () => {
		const items = ['00000001', '00000002', '00000003'].map((company_number) => ({
			company_number,
		}));
		simulator.fault({ path: /search/, action: { status: 200, body: { data: { items } } } });
		const output = await runAction(simulator, { ...search, query: 'x', limit: 2 });
		expect(output.map(({ json }) => json.company_number)).toEqual(['00000001', '00000002']);
	});

	it('keeps only the companies of one status', async () => {
		const options = { companyStatus: ' Dissolved' };
		const output = await runAction(simulator, { ...search, query: 'tessellate', options });
		expect(output.map(({ json }) => json.company_number)).toEqual(['99000002']);
	});

	it('searches for every item at the same time and pairs each result with its item', async () => {
		simulator.latencyMs = 500;
		const queries = ['tessellate', 'kestrel', 'no such company', 'euler', 'circle', 'tandem'];
		const output = await runAction(
			simulator,
			{ ...search, query: '={{ $json.query }}' },
			{ items: queries.map((query) => ({ query })) },
		);
		simulator.latencyMs = 0;

		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 0, 1, 3, 4, 5].map((item) => ({ item })),
		);
		// One after the other, each would have arrived after the answer to the one before.
		const arrivals = simulator.requests.map(({ at }) => at);
		expect(arrivals).toHaveLength(queries.length);
		expect(Math.max(...arrivals) - Math.min(...arrivals)).toBeLessThan(500);
	});

	it('refuses an empty text before any request', async () => {
		const error = await failureOf(runAction(simulator, { ...search, query: '  ' }));
		expect(error.message).toBe("'Search Text' is empty");
		expect(error.context.itemIndex).toBe(0);
		expect(simulator.requests).toEqual([]);
	});
});

describe('Get Record', () => {
	// The service's paths are not known; this one is the test's own.
	const path = /^\/v1\/some-path\/00445790/;

	it('fills in the number and unwraps the record', async () => {
		simulator.fault({ path, action: { status: 200, body: { data: { any: { thing: [1] } } } } });
		const output = await runAction(simulator, {
			...getRecord,
			companyNumber: byNumber('445790'),
			recordPath: '/v1/some-path/{company_number}/part?page=2',
		});
		expect(output).toEqual([{ json: { any: { thing: [1] } }, pairedItem: { item: 0 } }]);
		expect(simulator.requests).toMatchObject([
			{ method: 'GET', path: '/v1/some-path/00445790/part', query: { page: '2' } },
		]);
	});

	it('makes an item of each entry of a list', async () => {
		simulator.fault({ path, action: { status: 200, body: { data: [{ a: 1 }, 'text', null] } } });
		const output = await runAction(simulator, {
			...getRecord,
			companyNumber: '00445790',
			recordPath: 'some-path/{company_number}',
		});
		expect(output.map(({ json }) => json)).toEqual([{ a: 1 }, { data: 'text' }, { data: null }]);
	});

	it.each(['/v1/../keys', '/v1/some-path/00000006'])(
		'refuses %s before any request',
		async (recordPath) => {
			const companyNumber = byNumber('00445790');
			const parameters = { ...getRecord, companyNumber, recordPath };
			const error = await failureOf(runAction(simulator, parameters));
			expect(error.message).toMatch(/^'Record Path' cannot be used: /);
			expect(error.description).toContain('{company_number}');
			expect(simulator.requests).toEqual([]);
		},
	);

	it('refuses what is no company number before any request', async () => {
		const companyNumber = byNumber('not a number');
		const error = await failureOf(
			runAction(simulator, { ...getRecord, companyNumber, recordPath: '/v1/x/{company_number}' }),
		);
		expect(error.message).toContain('"not a number" is not a company number');
		expect(error.description).toContain('00445790');
		expect(simulator.requests).toEqual([]);
	});
});
