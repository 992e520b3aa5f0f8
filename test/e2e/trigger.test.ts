// The trigger in a real n8n: publish, deliveries both genuine and forged, unpublish.
import { alertWithoutMail } from '../n8n-host/exampleWorkflows';
import { outputOf } from '../n8n-host/execution';
import type { WorkflowRecord } from '../n8n-host/n8nTypes';
import type { StoredWebhook } from '../simulator';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from './surroundings';
import { waitUntilPaused } from './reliability/watchers';

jest.setTimeout(E2E_TIMEOUT_MS);

const TRIGGER = 'Company Registry Trigger';

let surroundings: Surroundings;
let workflow: WorkflowRecord;

beforeAll(async () => {
	surroundings = await startSurroundings();
	const { client, credential } = surroundings;
	workflow = await client.createWorkflow(alertWithoutMail(credential, ['00445790']));
	await client.waitUntilPublished(workflow.id);
});

afterAll(async () => await surroundings?.stop());

function onlyWebhook(): StoredWebhook {
	const webhooks = surroundings.simulator.webhooks();
	expect(webhooks).toHaveLength(1);
	return webhooks[0];
}

async function deliver(delivery: Parameters<Surroundings['simulator']['deliver']>[1]) {
	const { simulator, ca } = surroundings;
	return await simulator.deliver(onlyWebhook().id, { ca, ...delivery });
}

/** Delivers one genuine event more and answers how many executions there are then. */
async function executionsAfterGenuineDelivery(): Promise<number> {
	const { client } = surroundings;
	const before = await client.executions(workflow.id);
	expect((await deliver({ event: 'filing.new' })).status).toBe(200);
	await client.waitForNextExecution(workflow.id, before);
	return (await client.executions(workflow.id)).length;
}

test('a published workflow is subscribed over https to the chosen company and events', () => {
	expect(onlyWebhook()).toMatchObject({
		company_number: '00445790',
		events: ['filing.new'],
		is_active: true,
		url: expect.stringMatching(/^https:\/\/localhost:\d+\/webhook\//),
	});
});

test('a signed delivery starts one execution with the documented output', async () => {
	const { client } = surroundings;
	const before = await client.executions(workflow.id);
	const payload = { type: 'filing.new', company_number: '00445790', data: { pages: 3 } };

	const { status, body, deliveryId } = await deliver({ payload });
	const execution = await client.waitForNextExecution(workflow.id, before);

	expect({ status, body }).toEqual({ status: 200, body: '' });
	expect(execution.status).toBe('success');
	expect(outputOf(execution, TRIGGER).map(({ json }) => json)).toEqual([
		{
			event: 'filing.new',
			event_name: 'New Filing',
			company_number: '00445790',
			company_name: null,
			webhook_id: onlyWebhook().id,
			delivery_id: deliveryId,
			received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			payload,
		},
	]);
});

test('no copy of the static data, which holds the secrets, is stored with an execution', async () => {
	const { client } = surroundings;
	const { secret } = onlyWebhook();
	const [{ id }] = await client.executions(workflow.id);

	const { workflowData } = await client.execution(id);

	expect(JSON.stringify(workflowData)).not.toContain(secret);
	expect(workflowData.nodes).toHaveLength(workflow.nodes.length);
	expect(JSON.stringify(await client.workflow(workflow.id))).toContain(secret);
});

test.each([
	['signed with another secret', { secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}` }],
	['sent ten minutes ago', { timestamp: Math.floor(Date.now() / 1000) - 600 }],
	['dated ten minutes ahead', { timestamp: Math.floor(Date.now() / 1000) + 600 }],
	['not signed', { sign: false }],
	[
		'signed in a scheme that is not accepted',
		{
			custom: {
				header: 'X-Checksum',
				algorithm: 'sha512' as const,
				encoding: 'hex' as const,
				prefix: '',
				content: '{body}',
				timestampHeader: '',
				idHeader: '',
				secretEncoding: 'utf8' as const,
			},
		},
	],
])('a delivery %s is refused with 401 and starts nothing', async (_case, forgery) => {
	const before = (await surroundings.client.executions(workflow.id)).length;

	const { status, body } = await deliver({ event: 'filing.new', ...forgery });

	expect(status).toBe(401);
	expect(JSON.parse(body)).toEqual({
		error: expect.any(String),
		message: expect.any(String),
		status: 401,
	});
	expect(await executionsAfterGenuineDelivery()).toBe(before + 1);
});

test('a delivery with an unknown reference is put off with 503 and starts nothing', async () => {
	const before = (await surroundings.client.executions(workflow.id)).length;
	const [address, reference] = onlyWebhook().url.split('?');
	const unknown = reference.replace(/=.*/, `=${'0'.repeat(32)}`);

	const { status, headers } = await deliver({ url: `${address}?${unknown}` });

	expect(status).toBe(503);
	expect(Number(headers['retry-after'])).toBeGreaterThan(0);
	expect(await executionsAfterGenuineDelivery()).toBe(before + 1);
});

test('unpublishing pauses the webhook; publishing again resumes that one, with its secret', async () => {
	const { client, simulator } = surroundings;
	const original = onlyWebhook();

	await client.waitUntilUnpublished(workflow.id);
	await waitUntilPaused(() => simulator.webhooks());
	expect(onlyWebhook()).toEqual({ ...original, is_active: false });

	simulator.clearRequests();
	await client.waitUntilPublished(workflow.id);
	const { id, secret, is_active } = onlyWebhook();
	expect({ id, secret, is_active }).toEqual({
		id: original.id,
		secret: original.secret,
		is_active: true,
	});
	expect(simulator.requests.filter(({ method }) => method === 'POST')).toEqual([]);

	const before = (await client.executions(workflow.id)).length;
	expect(await executionsAfterGenuineDelivery()).toBe(before + 1);
});
