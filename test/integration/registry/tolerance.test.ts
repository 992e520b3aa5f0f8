// Answers that the service's documentation leaves open: none of them costs a secret or hides a webhook.
import type { INodeParameters } from 'n8n-workflow';

import { startSimulator, type Simulator } from '../../simulator';
import { createWebhook } from '../../simulator/client';
import { actionSetup, byId, byNumber, failureOf, runAction } from '../../support/actionNode';
import { runNode } from '../../support/contexts';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
});

const run = async (operation: string, parameters: INodeParameters = {}) =>
	(await runAction(simulator, { resource: 'webhook', operation, ...parameters })).map(
		({ json }) => json,
	);
const create = async () =>
	await run('create', { companyNumber: byNumber('00445790'), url: 'https://example.com/events' });
const row = { id: 'wh_1', company_number: '00445790', events: ['filing.new'], is_active: true };

describe('a create', () => {
	it.each<[string, object, object]>([
		['without a state', { data: { id: 'wh_1', secret: 's' } }, { id: 'wh_1', secret: 's' }],
		['with a number as its id', { data: { ...row, id: 7, secret: 's' } }, { id: '7', secret: 's' }],
		['without an envelope', { ...row, secret: 's' }, { ...row, secret: 's' }],
		[
			'with events of another form',
			{ data: { ...row, events: 'all', secret: 's' } },
			{ id: 'wh_1' },
		],
	])('%s keeps its secret', async (_what, body, expected) => {
		simulator.fault({ action: { status: 201, body } });
		expect(await create()).toMatchObject([expected]);
	});

	it.each([{ data: row }, { data: { ...row, secret: '' } }])(
		'without a secret fails, and names the webhook: %j',
		async (body) => {
			simulator.fault({ action: { status: 200, body } });
			const { message } = await failureOf(create());
			expect(message).toContain('wh_1');
			expect(message).toContain('no signing secret');
		},
	);
});

describe('a list', () => {
	it('is read row by row', async () => {
		const body = { data: [{ ...row, company_number: null }, row, { ...row, id: 2 }, 'row'] };
		simulator.fault({ action: { status: 200, body } });
		expect(await run('getAll')).toEqual([row, { ...row, id: '2' }]);
	});
});

describe('an update', () => {
	it.each<[string, unknown]>([
		['that it succeeded', { success: true }],
		['that it succeeded, in an envelope', { data: { success: true } }],
		['a list', []],
		['a text', { data: 'updated' }],
		['another text', 'OK'],
	])('that is answered with nothing but %s is a success', async (_what, body) => {
		const { id } = await createWebhook(simulator);
		simulator.fault({ action: { status: 200, body } });
		expect(await run('pause', { webhookId: byId(id) })).toEqual([{ id, is_active: false }]);
	});
});

describe('a base URL without TLS', () => {
	const searchAt = async (baseUrl: string) => {
		const setup = actionSetup(simulator, { resource: 'company', operation: 'search', query: 'a' });
		const companyRegistryApi = { ...setup.credentials?.companyRegistryApi, baseUrl };
		return await runNode({ ...setup, credentials: { companyRegistryApi } });
	};

	it('is refused before any request', async () => {
		const { port } = new URL(simulator.url);
		const { message } = await failureOf(searchAt(`http://registry.example.com:${port}`));
		expect(message).toContain("The credential's 'Base URL' does not start with https");
	});

	it.each(['127.0.0.1', 'localhost'])('is fine on this machine: %s', async (host) => {
		const { port } = new URL(simulator.url);
		await expect(searchAt(`http://${host}:${port}`)).resolves.not.toEqual([]);
	});
});

// n8n brings zod along, and another version of it one day.
describe.each(['zod/v3', 'zod/v4'])('with %s', (version) => {
	const operations = (id: string): Array<[string, INodeParameters]> => [
		['search', { resource: 'company', query: 'tessellate' }],
		['create', { resource: 'webhook', companyNumber: '00445790', url: 'https://example.com/' }],
		['getAll', { resource: 'webhook' }],
		['pause', { resource: 'webhook', webhookId: byId(id) }],
		['getUsage', { resource: 'account', authentication: 'session' }],
	];

	afterEach(() => jest.dontMock('zod'));

	it('every kind of answer is read', async () => {
		await jest.isolateModulesAsync(async () => {
			jest.doMock('zod', () => jest.requireActual<object>(version));
			const { CompanyRegistry } = await import(
				'../../../nodes/CompanyRegistry/CompanyRegistry.node'
			);
			const { id } = await createWebhook(simulator);
			for (const [operation, parameters] of operations(id)) {
				const setup = actionSetup(simulator, { operation, ...parameters });
				const output = await runNode({ ...setup, nodeType: new CompanyRegistry() });
				expect(output).not.toEqual([]);
			}
		});
	});
});
