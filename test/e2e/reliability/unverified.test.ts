// What a real n8n shows of deliveries that cannot be verified, in production and in a test.
import type { IWorkflowSettings } from 'n8n-workflow';

import { errorOf, outputOf } from '../../n8n-host/execution';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { DeliveryRequest } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	TRIGGER,
	companyNumbers,
	errorWorkflow,
	testWebhooks,
	waitForExecutions,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

jest.setTimeout(600_000);

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings();
});
afterAll(async () => await surroundings?.stop());

/** In nothing else: no part of a value may be quoted anywhere. */
const VALUE = 'qwertyuiopasdfghjklzxcvb';
/** Signed with the webhook's secret in a way that is not recognised. */
const SCHEME = {
	header: 'X-Foo-Seal',
	prefix: 'v3=',
	content: '{id}:{timestamp}:{body}',
	timestampHeader: 'X-Foo-Sent-At',
	idHeader: 'X-Foo-Call',
};
const UNRECOGNISED: DeliveryRequest = {
	custom: SCHEME,
	deliveryId: VALUE,
	payload: { event: 'filing.new', note: VALUE },
};

/** Delivers once, without further attempts. */
async function deliver(webhookId: string, delivery: DeliveryRequest = {}) {
	const { simulator, ca } = surroundings;
	return await simulator.deliver(webhookId, { ca, ...delivery });
}

async function createWatcher(
	companies: string[],
	settings: IWorkflowSettings = {},
): Promise<WorkflowRecord> {
	const { client, credential } = surroundings;
	const file = watcher(credential, companies);
	return await client.createWorkflow({ ...file, settings: { ...file.settings, ...settings } });
}

test('of deliveries that cannot be verified the first is shown as a failed execution and starts the error workflow; the others get 401', async () => {
	const { client, simulator, host } = surroundings;
	const alarm = await client.createWorkflow(errorWorkflow());
	await client.enableErrorWorkflow(alarm.id, PATIENCE);
	const workflow = await createWatcher(companyNumbers(2, 70_000_000), { errorWorkflow: alarm.id });
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const [one, other] = webhooksOf(simulator, workflow);

	const statuses: number[] = [];
	for (const { id } of [one, one, other]) statuses.push((await deliver(id, UNRECOGNISED)).status);
	expect(statuses).toEqual([500, 401, 401]);

	await waitForExecutions(client, workflow.id, 1);
	const [{ id }] = await client.executions(workflow.id);
	const execution = await client.waitForExecution(id, PATIENCE);
	expect(execution.status).toBe('error');
	expect(outputOf(execution, TRIGGER)).toEqual([]);
	expect(Object.keys(execution.data.resultData.runData)).toEqual([TRIGGER]);
	const text = errorOf(execution);
	expect(text).toContain(`for company ${one.company_number} is genuine, but signed in a way`);
	expect(text).toContain('X-Foo-Seal');
	expect(text).toContain('{id}:{timestamp}:{body}');

	await waitForExecutions(client, alarm.id, 1);
	const heard = JSON.stringify(await client.waitForNextExecution(alarm.id, [], PATIENCE));
	expect(heard).toContain('is genuine, but signed in a way');

	for (const told of [JSON.stringify(execution), heard, host.logs()]) {
		expect(told).not.toContain(VALUE);
		expect(told).not.toContain(one.secret.replace('whsec_', ''));
	}

	expect((await deliver(one.id)).status).toBe(200);
	expect((await deliver(one.id, UNRECOGNISED)).status).toBe(401);
	const [accepted, ...others] = await client.executions(workflow.id);
	expect(await client.waitForExecution(accepted.id, PATIENCE)).toMatchObject({ status: 'success' });
	expect(others.map((execution) => execution.id)).toEqual([id]);
});

test('a delivery whose secret is not known is shown once, and the error says to publish again', async () => {
	const { client, simulator } = surroundings;
	const workflow = await createWatcher(companyNumbers(1, 70_000_100));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const [{ id, url }] = webhooksOf(simulator, workflow);
	const unknown = { url: `${url.split('?')[0]}?ref=${'A'.repeat(22)}` };

	expect((await deliver(id, unknown)).status).toBe(500);
	expect((await deliver(id, unknown)).status).toBe(503);
	const execution = await client.waitForNextExecution(workflow.id, [], PATIENCE);
	expect(execution.status).toBe('error');
	expect(errorOf(execution)).toContain('Unpublish the workflow and publish it again.');
	expect(await client.executions(workflow.id)).toHaveLength(1);
});

test('a test ends with the error, and the next one takes the delivery once the settings are entered', async () => {
	const { client, credential, simulator } = surroundings;
	const options = { testEvent: 'real' };
	const workflow = await client.createWorkflow(
		watcher(credential, companyNumbers(1, 70_000_200), { options }),
	);
	await client.listenForTestEvent(workflow.id, TRIGGER);
	const [{ id }] = testWebhooks(simulator);

	expect((await deliver(id, UNRECOGNISED)).status).toBe(500);
	const execution = await client.waitForNextExecution(workflow.id, [], PATIENCE);
	expect(execution.status).toBe('error');
	expect(errorOf(execution)).toContain('X-Foo-Seal');
	// n8n has ended the test: nobody listens there any more.
	expect((await deliver(id, { ignoreActive: true })).status).toBe(404);

	const parameters = { options: { ...options, signature: { scheme: SCHEME } } };
	await client.updateWorkflow(workflow.id, withTrigger(workflow, { parameters }));
	await client.listenForTestEvent(workflow.id, TRIGGER);
	const known = await client.executions(workflow.id);
	expect((await deliver(testWebhooks(simulator)[0].id, UNRECOGNISED)).status).toBe(200);
	expect(await client.waitForNextExecution(workflow.id, known, PATIENCE)).toMatchObject({
		status: 'success',
	});
});
