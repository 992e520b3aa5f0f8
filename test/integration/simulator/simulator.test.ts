// The simulator refuses what the service refuses, as far as its documentation shows. What it does else is seen where
// that is used.
import { call } from '../../simulator/client';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

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

it.each([{ url: 'http://n8n.example/hook' }, { company_number: '445790' }, { events: [] }])(
	'a webhook is not created with %j',
	async (changes) => {
		const body = {
			url: 'https://n8n.example/hook',
			company_number: 'SL00911A',
			events: ['filing.new', 'psc.added'],
			...changes,
		};
		const answer = await call(simulator, 'POST', '/v1/webhooks', { body });
		expect(answer).toMatchObject({ status: 400, body: { status: 400 } });
		expect(simulator.webhooks()).toEqual([]);
	},
);
