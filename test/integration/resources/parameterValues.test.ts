// Values that come from expressions, which n8n hands over unchecked.
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSimulator, type Simulator } from '../../simulator';
import { createWebhook } from '../../simulator/client';
import { byId, failureOf, runAction } from '../../support/actionNode';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
});

/** One run over one item whose `value` the parameters may use. */
const run = async (operation: string, value: unknown, parameters: INodeParameters) => {
	const resource = operation === 'search' ? 'company' : 'webhook';
	const items = [{ value } as IDataObject];
	return await runAction(simulator, { resource, operation, ...parameters }, { items });
};
const VALUE = '={{ $json.value }}';

async function webhook(): Promise<string> {
	const { id } = await createWebhook(simulator);
	simulator.clearRequests();
	return id;
}

const update = async (value: unknown, updateFields: INodeParameters) =>
	await run('update', value, { webhookId: byId(await webhook()), updateFields });
const getMany = async (value: unknown, parameters: INodeParameters) =>
	await run('getAll', value, parameters);

describe('what is plain is understood', () => {
	it.each(['add', 'Add', ' ADD '])('Events Mode %j adds', async (value) => {
		await update(value, { events: ['psc.added'], eventsMode: VALUE });
		expect(simulator.webhooks()[0].events).toEqual(['filing.new', 'psc.added']);
	});

	it.each<[unknown, boolean]>([
		['false', false],
		['False ', false],
		[0, false],
		['true', true],
		['TRUE', true],
		[1, true],
	])('Active %j is sent as %j', async (value, is_active) => {
		await update(value, { isActive: VALUE });
		expect(simulator.requests[0].body).toEqual({ is_active });
	});

	it.each<[unknown, number]>([
		['Active', 1],
		['PAUSED', 0],
		['', 1],
	])('Status %j finds %j of one active webhook', async (value, found) => {
		await webhook();
		await expect(getMany(value, { filters: { status: VALUE } })).resolves.toHaveLength(found);
	});

	it.each(['1', 1, ' 1 '])('Limit %j is one', async (value) => {
		await createWebhook(simulator);
		await createWebhook(simulator);
		await expect(getMany(value, { limit: VALUE })).resolves.toHaveLength(1);
		await expect(run('search', value, { query: 'tessellate', limit: VALUE })).resolves.toHaveLength(
			1,
		);
	});

	it.each<[unknown, number]>([
		['true', 2],
		['false', 1],
	])('Return All %j returns %j of two', async (value, count) => {
		await createWebhook(simulator);
		await createWebhook(simulator);
		await expect(getMany(value, { returnAll: VALUE, limit: 1 })).resolves.toHaveLength(count);
	});

	it.each(['Filing.New, PSC Added', ['FILING.NEW', 'psc added'], 'filing.new psc.added'])(
		'Events %j are two that the service documents',
		async (value) => {
			await update(value, { events: VALUE });
			expect(simulator.webhooks()[0].events).toEqual(['filing.new', 'psc.added']);
		},
	);
});

describe('all else is refused before any request', () => {
	it.each<[unknown, INodeParameters, string, string]>([
		[
			'plus',
			{ events: ['psc.added'], eventsMode: VALUE },
			`'Events Mode' cannot be "plus"`,
			'add, remove or replace',
		],
		[
			undefined,
			{ events: ['psc.added'], eventsMode: VALUE },
			"'Events Mode' is empty",
			'add, remove or replace',
		],
		['no', { isActive: VALUE }, `'Active' cannot be "no"`, 'true or false'],
		['', { isActive: VALUE }, "'Active' is empty", 'true or false'],
		[undefined, { isActive: VALUE }, "'Active' is empty", 'true or false'],
		[2, { isActive: VALUE }, "'Active' cannot be 2", 'true or false'],
		[5, { events: VALUE }, "'Events' cannot be 5", 'filing.new'],
		[
			[{ name: 'a' }],
			{ additionalEvents: VALUE },
			`'Additional Events' cannot be [{"name":"a"}]`,
			'filing.new',
		],
		[{ a: 1 }, { url: VALUE }, `'Delivery URL' cannot be {"a":1}`, 'text'],
		[
			undefined,
			{ url: VALUE, isActive: false },
			"'Delivery URL' is not an https address",
			'https://',
		],
	])('Update with %j', async (value, fields, message, possible) => {
		const error = await failureOf(update(value, fields));
		expect(error.message).toBe(message);
		expect(error.description).toContain(possible);
		expect(error.context.itemIndex).toBe(0);
		expect(simulator.requests).toEqual([]);
	});

	it.each<[string, unknown, INodeParameters, string, string]>([
		[
			'getAll',
			'stopped',
			{ filters: { status: VALUE } },
			`'Status' cannot be "stopped"`,
			'active or',
		],
		['getAll', { a: 1 }, { filters: { event: VALUE } }, `'Event' cannot be {"a":1}`, 'text'],
		['getAll', '', { limit: VALUE }, "'Limit' is empty", 'whole number'],
		['getAll', undefined, { limit: VALUE }, "'Limit' is empty", 'whole number'],
		['getAll', 'many', { limit: VALUE }, `'Limit' cannot be "many"`, 'whole number'],
		['getAll', 0, { limit: VALUE }, "'Limit' cannot be 0", 'whole number'],
		['getAll', -1, { limit: VALUE }, "'Limit' cannot be -1", 'whole number'],
		['getAll', 2.5, { limit: VALUE }, "'Limit' cannot be 2.5", 'whole number'],
		['getAll', [5], { limit: VALUE }, "'Limit' cannot be [5]", 'whole number'],
		['getAll', true, { limit: VALUE }, "'Limit' cannot be true", 'whole number'],
		['getAll', 'some', { returnAll: VALUE }, `'Return All' cannot be "some"`, 'true or false'],
		['get', { a: 1 }, { webhookId: byId(VALUE) }, `'Webhook' cannot be {"a":1}`, 'text'],
		['search', '', { query: 'x', limit: VALUE }, "'Limit' is empty", 'whole number'],
		['search', { a: 1 }, { query: VALUE }, `'Search Text' cannot be {"a":1}`, 'text'],
		[
			'search',
			['a'],
			{ query: 'x', options: { companyStatus: VALUE } },
			`'Company Status' cannot be ["a"]`,
			'text',
		],
	])('%s with %j', async (operation, value, parameters, message, possible) => {
		const error = await failureOf(run(operation, value, parameters));
		expect(error.message).toBe(message);
		expect(error.description).toContain(possible);
		expect(simulator.requests).toEqual([]);
	});
});
