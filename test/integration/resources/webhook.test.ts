// The webhook operations: their requests and output.
import { map } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../simulator';
import { createWebhook } from '../../simulator/client';
import { byId, byNumber, failureOf, runAction, runShown } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

const url = 'https://example.com/events';

const run = async (operation: string, parameters: INodeParameters = {}, items?: IDataObject[]) =>
	await runAction(simulator, { resource: 'webhook', operation, ...parameters }, { items });

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
		const body = { url, company_number: 'SC001234', events: ['filing.new', 'psc.added'] };
		expect(sent()).toEqual([
			{ method: 'GET', path: '/v1/webhooks', body: undefined },
			{ method: 'POST', path: '/v1/webhooks', body },
		]);
		const json = { id, secret, company_number: 'SC001234', is_active: true };
		expect(output).toEqual([{ json: expect.objectContaining(json), pairedItem: { item: 0 } }]);
	});

	it("refuses two items with the same company and URL, unless 'Create Another' is chosen", async () => {
		const companyNumber = byNumber('={{ $json.number }}');
		const rows = [{ number: '445790' }, { number: '00445790' }];
		const { message } = await failureOf(run('create', { companyNumber, url }, rows));
		expect(message).toBe('Another item creates a webhook for 00445790 with the same URL');
		expect(simulator.requests).toEqual([]);
		await run('create', { companyNumber, url, options: { alreadyWatched: 'another' } }, rows);
		expect(simulator.methods()).toEqual(['POST', 'POST']);
	});

	// A listed webhook without an address may deliver to the same.
	it.each([
		[{}, false],
		[{ url }, false],
		[{ is_active: false }, true],
		[{ url: 'https://example.com/other' }, true],
	])('beside a listed webhook with %j, creates another: %s', async (other, isCreated) => {
		const id = await created('00445790');
		const data = [{ id, company_number: '00445790', events: [], is_active: true, ...other }];
		simulator.fault({ method: 'GET', action: { status: 200, body: { data } } });
		const creating = run('create', { companyNumber: byNumber('445790'), url });
		if (isCreated) await creating;
		else expect((await failureOf(creating)).message).toContain(`already watches 00445790`);
		expect(simulator.methods()).toEqual(isCreated ? ['GET', 'POST'] : ['GET']);
	});
});

describe('Get', () => {
	it('finds the webhook in the list', async () => {
		await created('00700006');
		const id = await created('00445790');
		const output = await run('get', { webhookId: byId(id) });
		const json = { id, company_number: '00445790', events: ['filing.new'], is_active: true };
		expect(output).toEqual([{ json, pairedItem: { item: 0 } }]);
		expect(sent()).toEqual([{ method: 'GET', path: '/v1/webhooks', body: undefined }]);
	});

	it('fails for an unknown webhook', async () => {
		const error = await failureOf(run('get', { webhookId: byId('wh_gone') }));
		expect(error.message).toBe('The account has no webhook with the ID "wh_gone"');
		expect(error.description).toContain("'Get Many'");
	});
});

describe('Get Many', () => {
	beforeEach(async () => {
		await created('00700006', ['filing.new', 'psc.added']);
		const paused = await created('00445790', ['psc.added']);
		await created('SC123456');
		await run('pause', { webhookId: byId(paused) });
		simulator.clearRequests();
	});

	it.each<[INodeParameters, string[]]>([
		[{ returnAll: true }, ['00700006', '00445790', 'SC123456']],
		[{ limit: 2 }, ['00700006', '00445790']],
		[{ filters: { status: 'active' } }, ['00700006', 'SC123456']],
		[{ filters: { event: 'psc.added', status: 'paused' } }, ['00445790']],
		[{ filters: { companyNumber: byNumber('445790') } }, ['00445790']],
	])('with %j returns %j in one request', async (parameters, numbers) => {
		const output = await run('getAll', parameters);
		expect(output.map(({ json }) => json.company_number)).toEqual(numbers);
		expect(sent()).toEqual([{ method: 'GET', path: '/v1/webhooks', body: undefined }]);
	});
});

describe('Pause and Resume', () => {
	it('change the state of the webhook', async () => {
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

	it('hint that a trigger resumes a webhook that is paused', async () => {
		const webhookId = byId(await created('00445790'));
		const hintsOf = async (operation: string) =>
			(await runShown(simulator, { resource: 'webhook', operation, webhookId })).hints;
		expect(await hintsOf('pause')).toEqual([expect.stringContaining('belongs to a trigger')]);
		expect(await hintsOf('resume')).toEqual([]);
	});

	it('encode the ID in the path', async () => {
		await failureOf(run('pause', { webhookId: byId('keys?x#y') }));
		expect(sent()).toEqual([
			{ method: 'PATCH', path: '/v1/webhooks/keys%3Fx%23y', body: { is_active: false } },
		]);
	});
});

describe('Update', () => {
	const update = async (id: string, updateFields: INodeParameters) =>
		await run('update', { webhookId: byId(id), updateFields });

	it('sends only the added fields', async () => {
		const id = await created('00445790');
		const body = { url: 'https://example.com/other' };
		const output = await update(id, body);
		expect(sent()).toEqual([{ method: 'PATCH', path: `/v1/webhooks/${id}`, body }]);
		expect(output).toEqual([
			{ json: expect.objectContaining({ id, is_active: true }), pairedItem: { item: 0 } },
		]);
	});

	it.each([
		['replace', ['filing.new', 'psc.added'], ['PATCH']],
		['add', ['filing.new', 'officer.appointed', 'psc.added'], ['GET', 'PATCH']],
		['remove', ['officer.appointed'], ['GET', 'PATCH']],
	])('can %s events', async (eventsMode, events, requests) => {
		const id = await created('00445790', ['filing.new', 'officer.appointed']);
		await update(id, { events: ['filing.new'], additionalEvents: 'psc.added', eventsMode });
		expect(simulator.methods()).toEqual(requests);
		expect(simulator.webhooks()[0].events).toEqual(events);
	});

	it('refuses to remove the last event', async () => {
		const id = await created('00445790');
		const error = await failureOf(update(id, { events: ['filing.new'], eventsMode: 'remove' }));
		expect(error.message).toBe('A webhook needs at least one event');
		expect(simulator.methods()).toEqual(['GET']);
	});
});

it('many updates read the list once, and include the earlier ones of the run', async () => {
	const ids: string[] = [];
	while (ids.length < 20) ids.push((await createWebhook(simulator)).id);
	simulator.clearRequests();
	const items = ['one.a', 'two.b'].flatMap((name) => ids.map((id) => ({ id, name })));
	const updateFields = { additionalEvents: '={{ $json.name }}', eventsMode: 'add' };
	await run('update', { webhookId: byId('={{ $json.id }}'), updateFields }, items);
	expect(simulator.methods().filter((method) => method === 'GET')).toHaveLength(1);
	const events = ['filing.new', 'one.a', 'two.b'];
	expect(map(simulator.webhooks(), 'events')).toEqual(ids.map(() => events));
});

// None of them loses a secret, hides a webhook or reveals a key.
describe('of the undocumented answers of the service', () => {
	const row = { id: 'wh_1', company_number: '00445790', events: ['filing.new'], is_active: true };
	const answer = (body: unknown, status = 200) =>
		simulator.fault({ times: Infinity, action: { status, body } });
	const create = async () => {
		const options = { alreadyWatched: 'another' };
		return await run('create', { companyNumber: byNumber('445790'), url, options });
	};

	it.each<[string, object, object]>([
		['without is_active', { id: 'wh_1', secret: 's' }, { id: 'wh_1', secret: 's' }],
		['with a numeric id', { ...row, id: 7, secret: 's' }, { id: '7', secret: 's' }],
		['with events as a text', { ...row, events: 'all', secret: 's' }, { id: 'wh_1' }],
	])('one to Create %s yields the secret', async (_what, data, expected) => {
		answer({ data }, 201);
		expect(map(await create(), 'json')).toMatchObject([expected]);
	});

	it('one to Create without a secret fails', async () => {
		answer({ data: { ...row, secret: '' } });
		const { message } = await failureOf(create());
		expect(message).toBe('The service sent no signing secret for the webhook wh_1');
	});

	it.each<[string, FaultAction]>([
		['without a body', { status: 204, raw: '' }],
		['with success in an envelope', { status: 200, body: { data: { success: true } } }],
	])('one to Pause %s counts as success', async (_what, action) => {
		const { id } = await createWebhook(simulator);
		simulator.fault({ action });
		const [{ json }] = await run('pause', { webhookId: byId(id) });
		expect(json).toEqual({ id, is_active: false });
	});

	it('an error object with status 200 fails Pause', async () => {
		answer({ error: 'unknown', message: 'There is none', status: 404 });
		const error = await failureOf(run('pause', { webhookId: byId('wh_1') }));
		expect(error.description).toContain('There is none');
	});

	it('a list keeps readable rows and unknown fields, and a hint mentions the other rows', async () => {
		answer({ data: [{ ...row, company_number: null }, row, { ...row, id: 2, new: 1 }, 'row'] });
		const parameters = { resource: 'webhook', operation: 'getAll' };
		const { rows, hints } = await runShown(simulator, parameters);
		expect(rows).toEqual([row, { ...row, id: '2', new: 1 }]);
		expect(hints).toEqual([expect.stringContaining('rows that this node cannot read')]);
	});
});
