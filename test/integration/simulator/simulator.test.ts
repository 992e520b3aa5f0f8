// The stand-in answers as the service does, as far as its documentation shows, and has the faults that a test
// asks for. How it loses answers and delivers is seen where those are used.
import type { Fault } from '../../simulator';
import { call, createWebhook } from '../../simulator/client';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

const wanted = {
	url: 'https://n8n.example/hook',
	company_number: 'SL00911A',
	events: ['filing.new', 'psc.added'],
};
const list = async (token?: string) => await call(simulator, 'GET', '/v1/webhooks', { token });
const create = async (changes = {}) =>
	await call(simulator, 'POST', '/v1/webhooks', { body: { ...wanted, ...changes } });
const patch = async (id: string, body: object, token?: string) =>
	await call(simulator, 'PATCH', `/v1/webhooks/${id}`, { body, token });

describe('a token', () => {
	it.each([
		['GET', '/v1/search?q=plc', 'data'],
		['GET', '/v1/webhooks', 'data'],
		['POST', '/v1/webhooks', 'data'],
		['PATCH', '/v1/webhooks/wh_unknown', 'data'],
		['GET', '/v1/usage', 'account'],
		['GET', '/v1/keys', 'account'],
	])('%s %s belongs to the %s routes', async (method, path, kind) => {
		const refused: boolean[] = [];
		for (const token of [null, 'wrong', simulator.apiKey, simulator.sessionToken]) {
			const { status, body } = await call(simulator, method, path, { token });
			refused.push(status === 401);
			const message = expect.stringMatching(/Bearer/);
			if (status === 401) expect(body).toEqual({ error: 'unauthorized', message, status });
		}
		expect(refused).toEqual([true, true, kind === 'account', false]);
	});
});

describe('a search', () => {
	it.each([
		['q=tessellate', ['99000001', '99000002']],
		['q=ip990cus', ['IP990CUS']],
		['q=tessellate&items_per_page=1', ['99000001']],
	])('%s finds %j', async (query, numbers) => {
		const { body } = await call(simulator, 'GET', `/v1/search?${query}`);
		const items = numbers.map((company_number) => expect.objectContaining({ company_number }));
		expect(body).toEqual({ data: { items } });
	});
});

describe('webhooks', () => {
	it('are created active, and then alone shown with the secret', async () => {
		const { status, body } = await create();
		const [{ id, secret }] = simulator.webhooks();
		const { url, ...shown } = { ...wanted, id, is_active: true };
		expect(body).toEqual({ data: { ...shown, secret: expect.stringMatching(/^whsec_.{32}$/) } });
		expect(simulator.webhooks()).toEqual([{ ...shown, url, secret, account: simulator.apiKey }]);
		expect((await list()).body).toEqual({ data: [shown] });
		expect((await patch(id, {})).body).toEqual({ data: shown });
		expect(status).toBe(201);
	});

	it('are changed in what is sent, events as a whole and the company never', async () => {
		const before = await createWebhook(simulator);
		for (const changes of [{ is_active: false }, { events: ['b'] }, { url: 'https://b.example' }]) {
			await patch(before.id, { ...changes, company_number: 'SC654321' });
		}
		const after = { is_active: false, events: ['b'], url: 'https://b.example' };
		expect(simulator.webhooks()).toEqual([{ ...before, ...after }]);
	});

	it.each([
		{ url: 'http://n8n.example/hook' },
		{ url: undefined },
		{ company_number: '445790' },
		{ events: [] },
	])('are not created with %j', async (changes) => {
		expect(await create(changes)).toMatchObject({ status: 400, body: { status: 400 } });
		expect(simulator.webhooks()).toEqual([]);
	});

	it('are known to their own account alone, until they are forgotten', async () => {
		const { id } = await createWebhook(simulator);
		const other = simulator.addAccount().apiKey;
		expect((await list(other)).body).toEqual({ data: [] });
		expect((await patch(id, {}, other)).status).toBe(404);
		simulator.forgetWebhook(id);
		expect((await patch(id, {})).status).toBe(404);
		expect((await list()).body).toEqual({ data: [] });
	});

	it('have no route to read or delete one', async () => {
		const { id } = await createWebhook(simulator);
		for (const method of ['GET', 'DELETE']) {
			expect((await call(simulator, method, `/v1/webhooks/${id}`)).status).toBe(404);
		}
	});
});

it('every request is recorded with its answer', async () => {
	await call(simulator, 'GET', '/v1/search?q=fox&items_per_page=2', { token: null });
	await create();
	const query = { q: 'fox', items_per_page: '2' };
	expect(simulator.requests).toMatchObject([
		{ method: 'GET', path: '/v1/search', query, body: undefined, status: 401 },
		{ method: 'POST', path: '/v1/webhooks', query: {}, body: wanted, status: 201 },
	]);
});

describe('a fault', () => {
	const action = { status: 500 };
	const isPsc = ({ body }: { body: unknown }) => String(JSON.stringify(body)).includes('psc.added');

	it.each<[string, Fault[], number[]]>([
		['the next request once', [{ action }], [500, 200, 201]],
		['its method', [{ method: 'POST', action }], [200, 200, 500]],
		['its path', [{ path: /search/, times: 9, action }], [200, 200, 201]],
		['what it asks of the body', [{ when: isPsc, action }], [200, 200, 500]],
		['from nth on, so many times', [{ nth: 2, times: 2, action }], [200, 500, 500]],
		['in its turn', [{ action }, { action: { status: 503 } }], [500, 503, 201]],
	])('hits %s, of which nothing is processed', async (_which, faults, answered) => {
		faults.forEach((fault) => simulator.fault(fault));
		await list();
		await list();
		await create();
		expect(simulator.requests.map(({ status }) => status)).toEqual(answered);
		expect(simulator.webhooks()).toHaveLength(answered[2] === 201 ? 1 : 0);
	});
});
