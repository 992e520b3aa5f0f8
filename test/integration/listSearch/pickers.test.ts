// The pickers for companies and webhooks.
import { map } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { searchCompanies, searchWebhooks } from '../../../nodes/CompanyRegistry/listSearch';
import { actionSetup, failureOf } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { loadOptionsContext } from '../../support/contexts';

const simulator = serviceForEachTest();

const picker = (parameters: INodeParameters = {}) =>
	loadOptionsContext(actionSetup(simulator, parameters));

describe('searchCompanies', () => {
	it('lists matching companies with the number as value', async () => {
		await expect(searchCompanies.call(picker(), ' tessellate ')).resolves.toEqual({
			results: [
				{ name: 'TESSELLATE STORES PLC · 99000001 · active', value: '99000001' },
				{ name: 'TESSELLATE TRADING SERVICES LIMITED · 99000002 · dissolved', value: '99000002' },
			],
		});
		expect(simulator.requests).toMatchObject([
			{ query: { q: 'tessellate', items_per_page: '20' } },
		]);
	});

	it.each([undefined, '  '])('sends no request for an empty filter: %j', async (filter) => {
		await expect(searchCompanies.call(picker(), filter)).resolves.toEqual({ results: [] });
		expect(simulator.requests).toEqual([]);
	});

	it('uses the session credential if chosen', async () => {
		simulator.apiKey = 'wrong';
		const { results } = await searchCompanies.call(picker({ authentication: 'session' }), 'euler');
		expect(results).toHaveLength(1);
	});
});

describe('searchWebhooks', () => {
	const row = (id: string, company_number: string, is_active = true) => ({
		id,
		company_number,
		events: ['filing.new'],
		is_active,
	});
	const LISTED = [row('wh_1', '445790'), row('wh_2', 'SC123456', false), row('wh_3', '99718281')];
	const LABELS = [
		'00445790 · filing.new · wh_1',
		'SC123456 · filing.new · paused · wh_2',
		'99718281 · filing.new · wh_3',
	];
	const list = (data: object[], times = 1) =>
		simulator.fault({ path: /webhooks/, times, action: { status: 200, body: { data } } });

	it.each([
		[undefined, LABELS],
		...['sc123', 'PAUSED', ' filing.new · paused '].map((filter) => [filter, [LABELS[1]]]),
		['00445790', [LABELS[0]]],
	] as Array<[string | undefined, string[]]>)(
		'with the filter %j lists %j',
		async (filter, labels) => {
			list(LISTED);
			const { results } = await searchWebhooks.call(picker(), filter);
			expect(map(results, 'name')).toEqual(labels);
			expect(map(results, 'value')).toEqual(labels.map((label) => label.slice(-4)));
			expect(map(simulator.requests, 'path')).toEqual(['/v1/webhooks']);
		},
	);

	it('offers at most 500 webhooks, and finds the others', async () => {
		list(
			Array.from({ length: 501 }, (_, index) => row(`wh_${index}`, '00445790')),
			2,
		);
		const { results } = await searchWebhooks.call(picker());
		expect(results).toHaveLength(500);
		const found = await searchWebhooks.call(picker(), 'wh_500');
		expect(map(found.results, 'value')).toEqual(['wh_500']);
	});
});

it('a failed search has its cause, without the token that the service repeats', async () => {
	const body = { error: 'no', message: `No account for '${simulator.apiKey}'`, status: 401 };
	simulator.fault({ times: Infinity, action: { status: 401, body } });
	const { name, description } = await failureOf(searchWebhooks.call(picker()));
	expect(name).toBe('NodeApiError');
	expect(description).toContain(`The service said: "No account for '…'" (no).`);
});
