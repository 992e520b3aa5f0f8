// The stand-in answers as the service does, as far as its documentation shows.
import { type Simulator, startSimulator } from '../../simulator';
import { call, createWebhook } from '../../simulator/client';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});

afterEach(() => simulator.close());

const wanted = {
	url: 'https://n8n.example/hook',
	company_number: 'SL00911A',
	events: ['filing.new', 'psc.added'],
};

describe('authentication', () => {
	const errorObject = {
		error: 'unauthorized',
		message: expect.stringMatching(/Bearer/),
		status: 401,
	};
	const dataRoutes = [
		['GET', '/v1/search?q=plc'],
		['GET', '/v1/webhooks'],
		['POST', '/v1/webhooks'],
		['PATCH', '/v1/webhooks/wh_unknown'],
	] as const;

	it.each([...dataRoutes, ['GET', '/v1/usage'], ['GET', '/v1/keys']] as const)(
		'answers %s %s with the 401 error object without a token and with a wrong one',
		async (method, path) => {
			for (const token of [null, 'wrong']) {
				expect(await call(simulator, method, path, { token })).toMatchObject({
					status: 401,
					body: errorObject,
				});
			}
		},
	);

	it.each(dataRoutes)('lets both kinds of token through to %s %s', async (method, path) => {
		for (const token of [simulator.apiKey, simulator.sessionToken]) {
			expect((await call(simulator, method, path, { token })).status).not.toBe(401);
		}
	});

	it.each(['/v1/usage', '/v1/keys'])(
		'serves %s to a session and not to an API key',
		async (path) => {
			const asSession = await call(simulator, 'GET', path, { token: simulator.sessionToken });
			expect(asSession).toMatchObject({ status: 200, body: { data: expect.any(Object) } });
			expect(await call(simulator, 'GET', path)).toMatchObject({ status: 401, body: errorObject });
		},
	);

	it('has a session token in the form of a JWT', () => {
		const [header = ''] = simulator.sessionToken.split('.');
		expect(simulator.sessionToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
		expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
			alg: 'HS256',
			typ: 'JWT',
		});
	});
});

describe('search', () => {
	it('finds companies by a part of the name, in data.items', async () => {
		const { body } = await call(simulator, 'GET', '/v1/search?q=tessellate');
		expect(body).toEqual({
			data: {
				items: [
					{
						company_number: '99000001',
						company_name: 'TESSELLATE STORES PLC',
						company_status: 'active',
					},
					{
						company_number: '99000002',
						company_name: 'TESSELLATE TRADING SERVICES LIMITED',
						company_status: 'dissolved',
					},
				],
			},
		});
	});

	it('finds a company by its number', async () => {
		const { body } = await call(simulator, 'GET', '/v1/search?q=ip990cus');
		expect(body).toMatchObject({ data: { items: [{ company_number: 'IP990CUS' }] } });
	});

	it('returns no more than items_per_page', async () => {
		const { body } = await call(simulator, 'GET', '/v1/search?q=limited&items_per_page=3');
		expect(body).toEqual({ data: { items: Array(3).fill(expect.any(Object)) } });
	});

	it('refuses a search without text', async () => {
		expect((await call(simulator, 'GET', '/v1/search')).status).toBe(400);
	});
});

describe('webhooks', () => {
	it('creates an active webhook and shows the secret, but not the url', async () => {
		const { body } = await call(simulator, 'POST', '/v1/webhooks', { body: wanted });
		expect(body).toEqual({
			data: {
				id: expect.stringMatching(/^wh_[A-Za-z0-9]{16}$/),
				company_number: 'SL00911A',
				events: ['filing.new', 'psc.added'],
				is_active: true,
				secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
			},
		});
		expect(simulator.webhooks()).toMatchObject([{ ...wanted, account: simulator.apiKey }]);
	});

	it('lists neither secret nor url, in order of creation', async () => {
		const first = await createWebhook(simulator, undefined, 'SC123456');
		const second = await createWebhook(simulator, undefined, 'R0000521');
		const { body } = await call(simulator, 'GET', '/v1/webhooks');
		expect(body).toEqual({
			data: [first, second].map(({ id, company_number }) => ({
				id,
				company_number,
				events: ['filing.new'],
				is_active: true,
			})),
		});
	});

	it('pauses and resumes, showing no secret', async () => {
		const { id } = await createWebhook(simulator);
		for (const is_active of [false, true]) {
			const { body } = await call(simulator, 'PATCH', `/v1/webhooks/${id}`, {
				body: { is_active },
			});
			expect(body).toEqual({
				data: { id, company_number: '00445790', events: ['filing.new'], is_active },
			});
			expect(simulator.webhooks()[0]?.is_active).toBe(is_active);
		}
	});

	it('replaces the whole event array and leaves the rest as it was', async () => {
		const before = await createWebhook(simulator);
		await call(simulator, 'PATCH', `/v1/webhooks/${before.id}`, { body: { is_active: false } });
		await call(simulator, 'PATCH', `/v1/webhooks/${before.id}`, {
			body: { events: ['psc.added'] },
		});
		expect(simulator.webhooks()).toEqual([{ ...before, is_active: false, events: ['psc.added'] }]);
	});

	it('changes the url and never the company', async () => {
		const before = await createWebhook(simulator);
		const body = { url: 'https://n8n.example/other', company_number: 'SC654321' };
		await call(simulator, 'PATCH', `/v1/webhooks/${before.id}`, { body });
		expect(simulator.webhooks()).toEqual([{ ...before, url: 'https://n8n.example/other' }]);
	});

	it.each([
		['a url that is not https', { url: 'http://n8n.example/hook' }],
		['no url', { url: undefined }],
		['a company number of another form', { company_number: '445790' }],
		['no events', { events: [] }],
	])('refuses to create with %s', async (_, change) => {
		const { status, body } = await call(simulator, 'POST', '/v1/webhooks', {
			body: { ...wanted, ...change },
		});
		expect({ status, body }).toMatchObject({
			status: 400,
			body: { error: 'invalid_request', status: 400 },
		});
		expect(simulator.webhooks()).toEqual([]);
	});

	it('refuses a malformed body', async () => {
		const { status } = await call(simulator, 'POST', '/v1/webhooks', { body: 'not an object' });
		expect(status).toBe(400);
	});

	it('answers 404 for an unknown and for a forgotten id', async () => {
		const { id } = await createWebhook(simulator);
		simulator.forgetWebhook(id);
		for (const unknown of [id, 'wh_unknown']) {
			const { status } = await call(simulator, 'PATCH', `/v1/webhooks/${unknown}`, {
				body: { is_active: true },
			});
			expect(status).toBe(404);
		}
		expect((await call(simulator, 'GET', '/v1/webhooks')).body).toEqual({ data: [] });
	});

	it('keeps accounts apart', async () => {
		const { id } = await createWebhook(simulator);
		const { apiKey: token } = simulator.addAccount();
		expect((await call(simulator, 'GET', '/v1/webhooks', { token })).body).toEqual({ data: [] });
		expect((await call(simulator, 'PATCH', `/v1/webhooks/${id}`, { token, body: {} })).status).toBe(
			404,
		);
		expect(simulator.webhooks(token)).toEqual([]);
	});

	it('has no route to read or delete one webhook', async () => {
		const { id } = await createWebhook(simulator);
		for (const method of ['GET', 'DELETE']) {
			expect((await call(simulator, method, `/v1/webhooks/${id}`)).status).toBe(404);
		}
	});
});

it('cuts the list short where asked', async () => {
	const short = await startSimulator({ listMaximum: 1 });
	const { id } = await createWebhook(short);
	await createWebhook(short);
	expect((await call(short, 'GET', '/v1/webhooks')).body).toMatchObject({ data: [{ id }] });
	await short.close();
});

it('records every request with its answer, the refused ones too', async () => {
	await call(simulator, 'GET', '/v1/search?q=fox&items_per_page=2', { token: null });
	await call(simulator, 'POST', '/v1/webhooks', { body: wanted });
	expect(simulator.requests).toEqual([
		{
			method: 'GET',
			path: '/v1/search',
			query: { q: 'fox', items_per_page: '2' },
			body: undefined,
			status: 401,
			at: expect.any(Number),
		},
		{
			method: 'POST',
			path: '/v1/webhooks',
			query: {},
			body: wanted,
			status: 201,
			at: expect.any(Number),
		},
	]);
	simulator.clearRequests();
	expect(simulator.requests).toEqual([]);
});
