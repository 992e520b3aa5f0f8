// The trigger in a real n8n: publish, a delivery, unpublish. Forged ones: reliability/forgeries.test.ts.
import { alertWithoutMail } from '../n8n-host/exampleWorkflows';
import { outputOf } from '../n8n-host/execution';
import type { WorkflowRecord } from '../n8n-host/n8nTypes';
import type { StoredWebhook } from '../simulator';
import { useSurroundings, type Surroundings } from './surroundings';
import { waitUntilPaused } from './reliability/watchers';

const TRIGGER = 'Company Registry Trigger';

const surroundings = useSurroundings();
let workflow: WorkflowRecord;

beforeAll(async () => {
	const { client, credential } = surroundings;
	workflow = await client.createWorkflow(alertWithoutMail(credential, ['00445790']));
	await client.waitUntilPublished(workflow.id);
});

function onlyWebhook(): StoredWebhook {
	const webhooks = surroundings.simulator.webhooks();
	expect(webhooks).toHaveLength(1);
	return webhooks[0];
}

async function deliver(delivery: Parameters<Surroundings['simulator']['deliver']>[1]) {
	const { simulator, ca } = surroundings;
	return await simulator.deliver(onlyWebhook().id, { ca, ...delivery });
}

test('a published workflow is subscribed over https to what is chosen, and a signed delivery starts it with the documented output', async () => {
	const { client } = surroundings;
	expect(onlyWebhook()).toMatchObject({
		company_number: '00445790',
		events: ['filing.new'],
		is_active: true,
		url: expect.stringMatching(/^https:\/\/localhost:\d+\/webhook\//),
	});
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

test('unpublishing pauses the webhook; publishing again resumes that one, with its secret', async () => {
	const { client, simulator } = surroundings;
	const original = onlyWebhook();
	await client.waitUntilUnpublished(workflow.id);
	expect((await deliver({})).status).toBe(404);
	await waitUntilPaused(() => simulator.webhooks());
	expect(onlyWebhook()).toEqual({ ...original, is_active: false });

	simulator.clearRequests();
	await client.waitUntilPublished(workflow.id);
	expect(onlyWebhook()).toEqual(original);
	expect(simulator.requests.filter(({ method }) => method === 'POST')).toEqual([]);
	const before = await client.executions(workflow.id);
	expect((await deliver({})).status).toBe(200);
	await client.waitForNextExecution(workflow.id, before);
	expect(await client.executions(workflow.id)).toHaveLength(2);
});
