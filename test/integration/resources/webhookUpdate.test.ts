// Update Webhook: each kind of change, alone and for many items.
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

describe('Update', () => {
	const update = async (id: string, updateFields: INodeParameters) =>
		await run('update', { webhookId: byId(id), updateFields });

	it('sends only the fields that were added', async () => {
		const id = await created('00445790');
		const output = await update(id, { isActive: false, url: 'https://example.com/other' });
		expect(sent()).toEqual([
			{
				method: 'PATCH',
				path: `/v1/webhooks/${id}`,
				body: { url: 'https://example.com/other', is_active: false },
			},
		]);
		expect(output).toEqual([
			{ json: expect.objectContaining({ id, is_active: false }), pairedItem: { item: 0 } },
		]);
	});

	it('replaces the events without reading them first', async () => {
		const id = await created('00445790');
		await update(id, { events: ['psc.added'], additionalEvents: 'other.event' });
		expect(sent()).toHaveLength(1);
		expect(simulator.webhooks()[0].events).toEqual(['psc.added', 'other.event']);
	});

	it.each([
		['add', ['filing.new', 'officer.appointed', 'psc.added']],
		['remove', ['officer.appointed']],
	])('can %s events, reading them first', async (eventsMode, events) => {
		const id = await created('00445790', ['filing.new', 'officer.appointed']);
		await update(id, { events: ['filing.new', 'psc.added'], eventsMode });
		expect(sent().map(({ method }) => method)).toEqual(['GET', 'PATCH']);
		expect(simulator.webhooks()[0].events).toEqual(events);
	});

	it('loses no event when items change the same webhook', async () => {
		const id = await created('00445790', ['filing.new']);
		const names = ['one.a', 'two.b', 'three.c', 'four.d'];
		await run(
			'update',
			{
				webhookId: byId(id),
				updateFields: { additionalEvents: '={{ $json.name }}', eventsMode: 'add' },
			},
			names.map((name) => ({ name })),
		);
		expect(simulator.webhooks()[0].events).toEqual(['filing.new', ...names]);
	});

	it.each<[INodeParameters]>([
		[{}],
		[{ eventsMode: 'add' }],
		[{ events: [], eventsMode: 'remove' }],
	])('refuses %j, which changes nothing, before any request', async (updateFields) => {
		const id = await created('00445790');
		const error = await failureOf(update(id, updateFields));
		expect(error.message).toBe("'Update Fields' has nothing to change");
		expect(simulator.requests).toEqual([]);
	});

	it.each<[INodeParameters]>([
		[{ events: [] }],
		[{ additionalEvents: ' ' }],
		[{ events: ['filing.new', 'psc.added'], eventsMode: 'remove' }],
	])('refuses %j, which leaves no event, and advises to pause', async (updateFields) => {
		const id = await created('00445790', ['filing.new']);
		const error = await failureOf(update(id, updateFields));
		expect(error.message).toMatch(/needs at least one event/);
		expect(error.description).toContain("'Pause'");
		expect(simulator.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
	});

	it('refuses an address that is not https before any request', async () => {
		const id = await created('00445790');
		const error = await failureOf(update(id, { url: 'http://example.com' }));
		expect(error.message).toBe("'Delivery URL' is not an https address");
		expect(simulator.requests).toEqual([]);
	});

	it('says when the webhook to add to is not there', async () => {
		const error = await failureOf(update('wh_gone', { events: ['psc.added'], eventsMode: 'add' }));
		expect(error.message).toContain('no webhook with the ID "wh_gone"');
		expect(sent().map(({ method }) => method)).toEqual(['GET']);
	});

	it('names the item when the list cannot be read', async () => {
		const id = await created('00445790');
		simulator.fault({ method: 'GET', times: Infinity, action: { status: 403, body: {} } });
		const error = await failureOf(update(id, { events: ['psc.added'], eventsMode: 'add' }));
		expect(error).toMatchObject({ httpCode: '403', context: { itemIndex: 0 } });
	});
});
