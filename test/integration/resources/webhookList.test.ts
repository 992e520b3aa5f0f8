// The service has one list of webhooks and no route for a single one: it is read once for a whole run.
import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

import { startSimulator, type Simulator } from '../../simulator';
import { createWebhook } from '../../simulator/client';
import { byId, runAction } from '../../support/actionNode';

let simulator: Simulator;
let ids: string[];

const COUNT = 30;

beforeEach(async () => {
	simulator = await startSimulator();
	ids = [];
	for (let number = 0; number < COUNT; number++) {
		ids.push((await createWebhook(simulator)).id);
	}
	simulator.clearRequests();
});
afterEach(async () => {
	await simulator.close();
});

const run = async (
	operation: string,
	parameters: INodeParameters,
	items: IDataObject[] = ids.map((id) => ({ id })),
	onError?: OnError,
) =>
	await runAction(
		simulator,
		{ resource: 'webhook', operation, webhookId: byId('={{ $json.id }}'), ...parameters },
		{ items, onError },
	);
const adding = (name: string) => ({
	updateFields: { additionalEvents: name, eventsMode: 'add' },
});
const reads = () => simulator.requests.filter(({ method }) => method === 'GET').length;

it('Get finds each of many webhooks in one list', async () => {
	const output = await run('get', {});
	expect(output.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual(
		ids.map((id, item) => [id, { item }]),
	);
	expect(simulator.requests).toHaveLength(1);
});

it('Get Many filters one list for each item, which gets objects of its own', async () => {
	const output = await run('getAll', { filters: { status: '={{ $json.status }}' }, limit: 1 }, [
		{ status: 'active' },
		{ status: 'paused' },
		{ status: '' },
	]);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
	expect(output[0].json).toEqual(output[1].json);
	expect(output[0].json).not.toBe(output[1].json);
	expect(simulator.requests).toHaveLength(1);
});

it('Update reads it once to add an event to each of many webhooks', async () => {
	await run('update', adding('psc.added'));
	expect(reads()).toBe(1);
	expect(simulator.webhooks().map(({ events }) => events)).toEqual(
		ids.map(() => ['filing.new', 'psc.added']),
	);
});

it.each([undefined, 200, 204] as const)(
	'Update keeps it in step with what the run itself changes (updates answered %s)',
	async (emptyUpdates) => {
		simulator.differences = { emptyUpdates };
		const names = ['one.a', 'two.b', 'three.c'];
		await run(
			'update',
			adding('={{ $json.name }}'),
			names.map((name) => ({ id: ids[0], name })),
		);
		expect(reads()).toBe(1);
		expect(simulator.webhooks()[0].events).toEqual(['filing.new', ...names]);
	},
);

it('is read again after an update whose outcome is not known', async () => {
	simulator.fault({ method: 'PATCH', times: 3, action: 'dropAfter' });
	await run(
		'update',
		adding('={{ $json.name }}'),
		['one.a', 'two.b'].map((name) => ({ id: ids[0], name })),
		'continueRegularOutput',
	);
	expect(reads()).toBe(2);
	expect(simulator.webhooks()[0].events).toEqual(['filing.new', 'one.a', 'two.b']);
});

it('that cannot be read fails every item that waits for it, by one request for ten', async () => {
	simulator.fault({ method: 'GET', times: Infinity, action: { status: 403 } });
	const output = await run('update', adding('psc.added'), undefined, 'continueRegularOutput');
	expect(output).toHaveLength(COUNT);
	output.forEach(({ json, pairedItem }, item) => {
		expect(pairedItem).toEqual({ item });
		expect(json).toMatchObject({ details: { httpCode: '403', item } });
	});
	expect(simulator.requests).toHaveLength(COUNT / 10);
});
