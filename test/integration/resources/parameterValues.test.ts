// Valid and invalid values of parameters. n8n does not check the values of expressions.
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { createWebhook } from '../../simulator/client';
import { byId, byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

/** Runs the operation for one item with a `value` that expressions can use. */
const run = async (operation: string, value: unknown, parameters: INodeParameters) => {
	const resource = /search|ByPath/.test(operation) ? 'company' : 'webhook';
	const items = [{ value } as IDataObject];
	return await runAction(simulator, { resource, operation, ...parameters }, { items });
};
const VALUE = '={{ $json.value }}';

async function update(value: unknown, updateFields: INodeParameters) {
	const { id } = await createWebhook(simulator);
	simulator.clearRequests();
	return await run('update', value, { webhookId: byId(id), updateFields });
}

describe('a valid value', () => {
	const bothEvents = ['filing.new, PSC.Added', ['FILING.NEW', 'psc.added']];
	it.each(bothEvents)('of Events: %j', async (value) => {
		await update(value, { events: VALUE });
		expect(simulator.webhooks()[0].events).toEqual(['filing.new', 'psc.added']);
	});

	it.each<[unknown, INodeParameters, number]>([
		[' PAUSED ', { filters: { status: VALUE } }, 0],
		[' 1 ', { limit: VALUE }, 1],
		['true', { returnAll: VALUE, limit: 1 }, 2],
		['False ', { returnAll: VALUE, limit: 1 }, 1],
	])('%j in %j of Get Many returns %j of two active webhooks', async (value, parameters, found) => {
		await createWebhook(simulator);
		await createWebhook(simulator);
		await expect(run('getAll', value, parameters)).resolves.toHaveLength(found);
	});
});

type Case = [string, unknown, object, string, string];
const NO_NUMBER = "'Company Number' is empty";
const NOT_A_NUMBER = '"x" is not a company number';
const NO_ADDRESS = "'Delivery URL' is not an https address";
const NO_CHANGE = "'Update Fields' has nothing to change";
const NO_EVENT = 'A webhook needs at least one event';
const NO_EVENTS = { events: VALUE, additionalEvents: ' , ' };
const NOT_OF_COMPANY = 'it does not contain the company number';
const BY_PATH = { companyNumber: '00445790', recordPath: VALUE };
const CREATE = { companyNumber: '00445790', url: 'https://example.com/events' };

it.each<Case>([
	['update', 'plus', { eventsMode: VALUE }, `'Events Mode' cannot be "plus"`, 'add, remove'],
	['getAll', 2, { returnAll: VALUE }, "'Return All' cannot be 2", 'true or false'],
	['update', 5, { events: VALUE }, "'Events' cannot be 5", 'filing.new'],
	['update', [1], { additionalEvents: VALUE }, "'Additional Events' cannot be [1]", 'filing.new'],
	['update', { a: 1 }, { url: VALUE }, `'Delivery URL' cannot be {"a":1}`, 'text'],
	['update', '', {}, NO_CHANGE, 'at least one field'],
	['update', '', { eventsMode: 'add' }, NO_CHANGE, 'at least one field'],
	['update', [], { events: VALUE }, NO_EVENT, "'Pause'"],
	...['', 'http://example.com', 'https://exa mple.com'].map(
		(url): Case => ['create', url, { ...CREATE, url: VALUE }, NO_ADDRESS, 'https://'],
	),
	['create', [], { ...CREATE, ...NO_EVENTS }, "'Events' is empty", 'at least one event'],
	['get', ' ', { webhookId: byId(VALUE) }, "'Webhook' is empty", 'Choose'],
	...['..', 'a/b', 'a\\b', 'a\u0000b'].map((id): Case => {
		const message = `'Webhook' cannot be "${id}"`;
		return ['pause', id, { webhookId: byId(VALUE) }, message, "'Get Many'"];
	}),
	['getAll', 'no', { filters: { status: VALUE } }, `'Status' cannot be "no"`, 'active'],
	['getAll', 'x', { filters: { companyNumber: VALUE } }, NOT_A_NUMBER, '8 characters'],
	// Without the filter, a following Pause would pause every webhook.
	...[undefined, ' '].flatMap((nothing): Case[] => [
		['getAll', nothing, { filters: { event: VALUE } }, "'Event' is empty", 'remove'],
		['getAll', nothing, { filters: { status: VALUE } }, "'Status' is empty", 'remove'],
		['getAll', nothing, { filters: { companyNumber: byNumber(VALUE) } }, NO_NUMBER, '8 characters'],
	]),
	['getAll', 2.5, { limit: VALUE }, "'Limit' cannot be 2.5", 'whole number'],
	// test/unit/resources/recordPath.test.ts has the other paths.
	['getByPath', '/v1/x/00000006', BY_PATH, `'Record Path' cannot be used: ${NOT_OF_COMPANY}`, '{c'],
	['search', -1, { query: 'x', limit: VALUE }, "'Limit' cannot be -1", 'whole number'],
	['search', '  ', { query: VALUE }, "'Search Text' is empty", 'Enter'],
])('%s refuses %j in %j before any request', async (...row) => {
	const [operation, value, fields, message, possible] = row;
	const parameters =
		operation === 'update' ? { webhookId: byId('wh_1'), updateFields: fields } : fields;
	const error = await failureOf(run(operation, value, parameters as INodeParameters));
	expect(error.message).toBe(message);
	expect(error.description).toContain(possible);
	expect(error.context.itemIndex).toBe(0);
	expect(simulator.requests).toEqual([]);
});
