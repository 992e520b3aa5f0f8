// The webhook operations but Update: what they send, and what they put out.
import type { INodeParameters } from 'n8n-workflow';

import { startSimulator, type Simulator } from '../../simulator';
import { byId, byNumber, failureOf, runAction } from '../../support/actionNode';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
});

const url = 'https://example.com/events';

const run = async (
	operation: string,
	parameters: INodeParameters = {},
	items?: Array<Record<string, string>>,
) => await runAction(simulator, { resource: 'webhook', operation, ...parameters }, { items });

async function created(companyNumber: string, events = ['filing.new']): Promise<string> {
	const [{ json }] = await run('create', { companyNumber: byNumber(companyNumber), url, events });
	simulator.clearRequests();
	return String(json.id);
}

const sent = () => simulator.requests.map(({ method, path, body }) => ({ method, path, body }));

describe('Create', () => {
	it('sends the normalised number and all events, and returns the secret', async () => {
		const output = await run('create', {
			companyNumber: byNumber('sc 1234'),
			url: ` ${url} `,
			events: ['filing.new'],
			additionalEvents: 'psc.added, filing.new',
		});
		const [{ id, secret }] = simulator.webhooks();

		expect(sent()).toEqual([
			{
				method: 'POST',
				path: '/v1/webhooks',
				body: { url, company_number: 'SC001234', events: ['filing.new', 'psc.added'] },
			},
		]);
		expect(output).toEqual([
			{
				json: expect.objectContaining({ id, secret, company_number: 'SC001234', is_active: true }),
				pairedItem: { item: 0 },
			},
		]);
	});

	it.each([
		'',
		'http://example.com/events',
		'example.com/events',
		'https://',
		'https:\\\\example.com',
		'https://exa mple.com',
		'ftp://example.com',
	])('refuses the address %j before any request', async (address) => {
		const error = await failureOf(run('create', { companyNumber: '00445790', url: address }));
		expect(error.message).toBe("'Delivery URL' is not an https address");
		expect(error.description).toContain('https://');
		expect(simulator.requests).toEqual([]);
	});

	it('refuses to create without events before any request', async () => {
		const parameters = { companyNumber: '00445790', url, events: [], additionalEvents: ' , ' };
		const error = await failureOf(run('create', parameters));
		expect(error.message).toBe("'Events' is empty");
		expect(simulator.requests).toEqual([]);
	});
});

describe('Get', () => {
	it('picks the webhook out of the list', async () => {
		await created('00000006');
		const id = await created('00445790');
		const output = await run('get', { webhookId: byId(id) });
		expect(output).toEqual([
			{
				json: expect.objectContaining({ id, company_number: '00445790' }),
				pairedItem: { item: 0 },
			},
		]);
		expect(output[0].json).not.toHaveProperty('secret');
		expect(sent()).toEqual([{ method: 'GET', path: '/v1/webhooks', body: undefined }]);
	});

	it('says when the account has no such webhook', async () => {
		const error = await failureOf(run('get', { webhookId: byId('wh_unknown') }));
		expect(error.message).toBe('The account has no webhook with the ID "wh_unknown"');
		expect(error.description).toContain("'Get Many'");
	});

	it.each(['', ' ', '..'])('refuses the ID %j before any request', async (id) => {
		const error = await failureOf(run('get', { webhookId: byId(id) }));
		expect(error.message).toBe("'Webhook' is empty");
		expect(simulator.requests).toEqual([]);
	});
});

describe('Get Many', () => {
	const numbersOf = async (parameters: INodeParameters) =>
		(await run('getAll', parameters)).map(({ json }) => json.company_number);

	beforeEach(async () => {
		await created('00000006', ['filing.new', 'psc.added']);
		const paused = await created('00445790', ['psc.added']);
		await created('SC123456');
		await run('pause', { webhookId: byId(paused) });
		simulator.clearRequests();
	});

	it.each<[INodeParameters, string[]]>([
		[{ returnAll: true }, ['00000006', '00445790', 'SC123456']],
		[{ limit: 2 }, ['00000006', '00445790']],
		[{ filters: { status: 'active' } }, ['00000006', 'SC123456']],
		[{ filters: { status: 'paused' } }, ['00445790']],
		[{ filters: { event: ' psc.added ' } }, ['00000006', '00445790']],
		[{ filters: { event: 'psc.added', status: 'paused' } }, ['00445790']],
		[{ filters: { companyNumber: byNumber('445790') } }, ['00445790']],
		[{ filters: { companyNumber: byNumber('') } }, ['00000006', '00445790', 'SC123456']],
		[{ filters: { companyNumber: '6' } }, ['00000006']],
		[{ filters: { event: 'other.event' } }, []],
		[{ limit: 1, filters: { status: 'active', event: 'filing.new' } }, ['00000006']],
	])('%j gives %j in one request', async (parameters, numbers) => {
		await expect(numbersOf(parameters)).resolves.toEqual(numbers);
		expect(sent()).toEqual([{ method: 'GET', path: '/v1/webhooks', body: undefined }]);
	});

	it('pairs the results with their items', async () => {
		const output = await run('getAll', { filters: { event: '={{ $json.event }}' } }, [
			{ event: 'filing.new' },
			{ event: 'psc.added' },
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 0, 1, 1].map((item) => ({ item })),
		);
	});

	it('refuses a company number that is none before any request', async () => {
		const error = await failureOf(
			run('getAll', { filters: { companyNumber: byNumber('nonsense!') } }),
		);
		expect(error.message).toContain('"nonsense!"');
		expect(simulator.requests).toEqual([]);
	});
});

describe('Pause and Resume', () => {
	it('switch the webhook off and on again', async () => {
		const id = await created('00445790');
		const [paused] = await run('pause', { webhookId: byId(id) });
		expect(paused).toMatchObject({ json: { id, is_active: false }, pairedItem: { item: 0 } });
		const [resumed] = await run('resume', { webhookId: { __rl: true, mode: 'list', value: id } });
		expect(resumed).toMatchObject({ json: { id, is_active: true } });
		expect(sent()).toEqual([
			{ method: 'PATCH', path: `/v1/webhooks/${id}`, body: { is_active: false } },
			{ method: 'PATCH', path: `/v1/webhooks/${id}`, body: { is_active: true } },
		]);
	});

	it('keep an odd ID within its part of the path', async () => {
		await failureOf(run('pause', { webhookId: byId('../keys?x#y') }));
		expect(sent()).toEqual([
			{ method: 'PATCH', path: '/v1/webhooks/..%2Fkeys%3Fx%23y', body: { is_active: false } },
		]);
	});
});
