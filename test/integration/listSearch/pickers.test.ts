// The pickers for companies and webhooks.
import type { INodeParameters } from 'n8n-workflow';

import { searchCompanies, searchWebhooks } from '../../../nodes/CompanyRegistry/listSearch';
import { createWebhook } from '../../simulator/client';
import { actionSetup, byId, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { loadOptionsContext } from '../../support/contexts';

const simulator = serviceForEachTest();

const picker = (parameters: INodeParameters = {}) =>
	loadOptionsContext(actionSetup(simulator, parameters));

const create = async (companyNumber: string) =>
	(await createWebhook(simulator, undefined, companyNumber)).id;
const pause = async (id: string) =>
	await runAction(simulator, { resource: 'webhook', operation: 'pause', webhookId: byId(id) });

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

	it.each([undefined, '', '  '])('sends no request for an empty filter: %j', async (filter) => {
		await expect(searchCompanies.call(picker(), filter)).resolves.toEqual({ results: [] });
		expect(simulator.requests).toEqual([]);
	});

	it('lists companies without a name, completes numbers and omits unreadable rows', async () => {
		const items = [{ company_number: null }, { company_number: 445790, company_status: {} }];
		simulator.fault({ action: { status: 200, body: { data: { items } } } });
		await expect(searchCompanies.call(picker(), 'x')).resolves.toEqual({
			results: [{ name: '00445790', value: '00445790' }],
		});
	});

	it('uses the session credential if chosen', async () => {
		simulator.apiKey = 'wrong';
		const { results } = await searchCompanies.call(picker({ authentication: 'session' }), 'euler');
		expect(results).toHaveLength(1);
	});
});

describe('searchWebhooks', () => {
	it('lists webhooks with company, events and state', async () => {
		const first = await create('00445790');
		const second = await create('SC123456');
		await pause(second);
		await expect(searchWebhooks.call(picker())).resolves.toEqual({
			results: [
				{ name: `00445790 · filing.new · ${first}`, value: first },
				{ name: `SC123456 · filing.new · paused · ${second}`, value: second },
			],
		});
	});

	it.each(['sc123', 'PAUSED', ' filing.new · paused '])(
		'finds a webhook by any part of its label: %j',
		async (filter) => {
			await create('00445790');
			const id = await create('SC123456');
			await pause(id);
			const { results } = await searchWebhooks.call(picker(), filter);
			expect(results.map(({ value }) => value)).toEqual([id]);
		},
	);

	it("finds webhooks by the company's name, and shows the name that the search has", async () => {
		await create('00445790');
		const id = await create('99223344');
		const { results } = await searchWebhooks.call(picker(), ' lantern ');
		const name = `LANTERN SOFTWARE LIMITED · 99223344 · filing.new · ${id}`;
		expect(results).toEqual([{ name, value: id }]);
		expect(simulator.requests.map(({ path }) => path)).toContain('/v1/search');
	});

	it('shows the name that the list has, and searches only for a text', async () => {
		const row = { id: 'wh_1', company_number: '99223344', events: ['filing.new'], is_active: true };
		const data = [
			{ ...row, company_name: 'Lantern' },
			{ ...row, id: 'wh_2', company_name: 7, company_number: '445790' },
		];
		simulator.fault({ action: { status: 200, body: { data } } });
		const { results } = await searchWebhooks.call(picker());
		expect(results.map(({ name }) => name)).toEqual([
			'Lantern · 99223344 · filing.new · wh_1',
			'00445790 · filing.new · wh_2',
		]);
		expect(simulator.requests.map(({ path }) => path)).toEqual(['/v1/webhooks']);
	});

	it('lists webhooks without names where the search fails', async () => {
		const id = await create('99223344');
		simulator.fault({ path: /search/, times: Infinity, action: { status: 403 } });
		const { results } = await searchWebhooks.call(picker(), '99223344');
		expect(results.map(({ name }) => name)).toEqual([`99223344 · filing.new · ${id}`]);
	});

	it('offers at most 500 webhooks, and finds the others', async () => {
		const data = Array.from({ length: 501 }, (_, index) => ({
			id: `wh_${index}`,
			company_number: '00445790',
			events: [],
			is_active: true,
		}));
		simulator.fault({ path: /webhooks/, times: 2, action: { status: 200, body: { data } } });
		const { results } = await searchWebhooks.call(picker());
		expect(results).toHaveLength(500);
		const found = await searchWebhooks.call(picker(), 'wh_500');
		expect(found.results.map(({ value }) => value)).toEqual(['wh_500']);
	});
});

// test/unit/registry/failure.test.ts has the forms of tokens.
it.each([
	['apiKey', '$&(.*)'],
	['session', 'a.b.c'],
])('a token that the service repeats is in no error: %s', async (authentication, token) => {
	Object.assign(simulator, { apiKey: ` ${token} `, sessionToken: ` ${token} ` });
	const body = { error: token, message: `No account for '${token}'`, status: 401 };
	simulator.fault({ times: Infinity, action: { status: 401, body } });
	const parameters = { resource: 'webhook', operation: 'getAll', authentication };
	const context = picker(parameters);
	for (const { name, description } of [
		await failureOf(runAction(simulator, parameters)),
		await failureOf(searchWebhooks.call(context)),
		await failureOf(searchCompanies.call(context, 'euler')),
	]) {
		expect(name).toBe('NodeApiError');
		expect(description).toContain(`The service said: "No account for '…'" (…).`);
	}
});
