// The simulator answers as the service does, as far as its documentation shows. Its faults, its deliveries and what
// it records are seen where those are used.
import { call, createWebhook } from '../../simulator/client';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

const wanted = {
	url: 'https://n8n.example/hook',
	company_number: 'SL00911A',
	events: ['filing.new', 'psc.added'],
};
const create = async (changes = {}) =>
	await call(simulator, 'POST', '/v1/webhooks', { body: { ...wanted, ...changes } });
const patch = async (id: string, body: object) =>
	await call(simulator, 'PATCH', `/v1/webhooks/${id}`, { body });

it.each([
	['GET', '/v1/search?q=plc', 'data'],
	['GET', '/v1/webhooks', 'data'],
	['POST', '/v1/webhooks', 'data'],
	['PATCH', '/v1/webhooks/wh_unknown', 'data'],
	['GET', '/v1/usage', 'account'],
	['GET', '/v1/keys', 'account'],
])('%s %s takes the tokens of the %s routes', async (method, path, kind) => {
	const refused: boolean[] = [];
	for (const token of [null, 'wrong', simulator.apiKey, simulator.sessionToken]) {
		const { status, body } = await call(simulator, method, path, { token });
		refused.push(status === 401);
		const message = expect.stringMatching(/Bearer/);
		if (status === 401) expect(body).toEqual({ error: 'unauthorized', message, status });
	}
	expect(refused).toEqual([true, true, kind === 'account', false]);
});

describe('webhooks', () => {
	it('are created active, alone then shown with the secret, and changed in what is sent', async () => {
		const { status, body } = await create();
		const [created] = simulator.webhooks();
		const { id, secret } = created;
		const { url, ...shown } = { ...wanted, id, is_active: true };
		expect(status).toBe(201);
		expect(body).toEqual({ data: { ...shown, secret: expect.stringMatching(/^whsec_.{32}$/) } });
		expect(created).toEqual({ ...shown, url, secret, account: simulator.apiKey });
		expect((await call(simulator, 'GET', '/v1/webhooks')).body).toEqual({ data: [shown] });
		const changes = { is_active: false, events: ['b'], url: 'https://b.example' };
		for (const [name, value] of Object.entries(changes)) {
			await patch(id, { [name]: value, company_number: 'SC654321' });
		}
		expect(simulator.webhooks()).toEqual([{ ...created, ...changes }]);
		expect((await patch(id, {})).body).toEqual({
			data: { ...shown, is_active: false, events: ['b'] },
		});
	});

	it.each([{ url: 'http://n8n.example/hook' }, { company_number: '445790' }, { events: [] }])(
		'are not created with %j',
		async (changes) => {
			expect(await create(changes)).toMatchObject({ status: 400, body: { status: 400 } });
			expect(simulator.webhooks()).toEqual([]);
		},
	);

	it('are known to their own account alone, and none can be read or deleted', async () => {
		const { id } = await createWebhook(simulator);
		const path = `/v1/webhooks/${id}`;
		for (const method of ['GET', 'DELETE']) {
			expect((await call(simulator, method, path)).status).toBe(404);
		}
		const token = simulator.addAccount().apiKey;
		expect((await call(simulator, 'GET', '/v1/webhooks', { token })).body).toEqual({ data: [] });
		expect((await call(simulator, 'PATCH', path, { token, body: {} })).status).toBe(404);
	});
});
