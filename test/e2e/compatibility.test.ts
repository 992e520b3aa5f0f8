// What one user does from installation to unpublishing, in the oldest n8n that is supported.
import { searchAlone, triggerAlone } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import { installationIn, testedInstallation, versionOf } from '../n8n-host/installation';
import type { WorkflowRecord } from '../n8n-host/n8nTypes';
import type { DeliveryRequest, StoredWebhook } from '../simulator';
import { useSurroundings } from './surroundings';
import { newTriggerId, TRIGGER, waitUntilPaused } from './reliability/watchers';

// `npm test` names the oldest n8n where it is installed, and says so loudly where it is not.
const { TEST_N8N, TEST_N8N_OLDER } = process.env;
const isOlder = TEST_N8N_OLDER && !TEST_N8N;
const installation = isOlder ? installationIn(TEST_N8N_OLDER) : testedInstallation;
const version = versionOf(installation);

// The steps of one user, in order: each goes on from the one before.
describe(`n8n ${version}`, () => {
	const surroundings = useSurroundings({ installation });
	let workflow: WorkflowRecord;

	function onlyWebhook(): StoredWebhook {
		const webhooks = surroundings.simulator.webhooks();
		expect(webhooks).toHaveLength(1);
		return webhooks[0];
	}

	async function deliver(delivery: DeliveryRequest) {
		const { simulator, ca } = surroundings;
		return await simulator.deliver(onlyWebhook().id, { ca, ...delivery });
	}

	/** One genuine delivery: what the trigger puts out for it. */
	async function startedBy(payload: object) {
		const { client } = surroundings;
		const before = await client.executions(workflow.id);
		expect(await deliver({ payload })).toMatchObject({ status: 200, body: '' });
		const execution = await client.waitForNextExecution(workflow.id, before);
		expect(errorOf(execution)).toBeUndefined();
		expect(await client.executions(workflow.id)).toHaveLength(before.length + 1);
		return outputOf(execution, TRIGGER).map(({ json }) => json);
	}

	it('tests the credentials', async () => {
		const { client, simulator } = surroundings;
		const tested = async (type: string, token: Record<string, string>) => {
			const data = { baseUrl: simulator.url, ...token };
			const credential = await client.createCredential({ name: 'To test', type, data });
			return await client.testCredential({ ...credential, data });
		};
		const { apiKey, sessionToken } = simulator;
		expect((await tested('companyRegistryApi', { apiKey })).status).toBe('OK');
		expect((await tested('companyRegistrySessionApi', { sessionToken })).status).toBe('OK');
		const message = expect.stringContaining('did not accept the API key');
		const wrong = await tested('companyRegistryApi', { apiKey: 'wrong' });
		expect(wrong).toMatchObject({ status: 'Error', message });
	});

	it('searches companies', async () => {
		const { client, credential } = surroundings;
		const { id } = await client.createWorkflow(searchAlone(credential));
		const execution = await client.runToEnd(id, 'Start');
		expect(errorOf(execution)).toBeUndefined();
		const found = outputOf(execution, 'Search Companies');
		expect(found).toHaveLength(3);
		expect(found[0].json).toMatchObject({ company_number: expect.stringMatching(/^\w{8}$/) });
	});

	it('publishes the trigger over https; a delivery starts the workflow, a forged one is refused and starts nothing', async () => {
		const { client, credential } = surroundings;
		const file = triggerAlone(credential, ['00445790']);
		file.nodes[0].id = newTriggerId();
		workflow = await client.createPublished(file);
		expect(onlyWebhook()).toMatchObject({
			company_number: '00445790',
			events: ['filing.new'],
			is_active: true,
			url: expect.stringMatching(/^https:\/\/localhost:\d+\/webhook\//),
		});
		const payload = { type: 'filing.new', company_number: '00445790', data: { pages: 3 } };
		// test/integration/deliveries/deliveries.test.ts has all fields.
		const item = { subject: 'New Filing: 00445790', webhook_id: onlyWebhook().id, payload };
		expect(await startedBy(payload)).toMatchObject([item]);
		const { status } = await deliver({ event: 'filing.new', secret: 'whsec_Zm9yZ2VyeQ==' });
		expect(status).toBe(401);
		await startedBy({ type: 'filing.new', after: 'the forgery' });
		expect(await client.executions(workflow.id)).toHaveLength(2);
	});

	it('goes on after a restart of n8n while the service is down, with the same webhook', async () => {
		const { client, host, simulator } = surroundings;
		const before = onlyWebhook();
		simulator.fault({ action: 'drop', times: Infinity });
		await host.restart();
		await client.login();
		simulator.clearFaults();
		expect(host.logs()).toContain(`Version: ${version}`);
		expect(onlyWebhook()).toEqual(before);
		expect(await startedBy({ type: 'filing.new', after: 'the restart' })).toHaveLength(1);
	});

	it('pauses the webhook when unpublished, and resumes that one when published again', async () => {
		const { client, simulator } = surroundings;
		const before = onlyWebhook();
		await client.waitUntilUnpublished(workflow.id);
		// Paused or not: that comes twelve seconds later.
		expect((await deliver({ ignoreActive: true })).status).toBe(404);
		await waitUntilPaused(simulator);
		expect(onlyWebhook()).toEqual({ ...before, is_active: false });

		simulator.clearRequests();
		await client.waitUntilPublished(workflow.id);
		expect(onlyWebhook()).toEqual(before);
		expect(simulator.requests.map(({ method }) => method)).not.toContain('POST');
		expect(await startedBy({ type: 'filing.new', after: 'publishing again' })).toHaveLength(1);
	});

	it('stores no copy of the static data, and so of the secrets, with an execution', async () => {
		const { client } = surroundings;
		const { secret } = onlyWebhook();
		const [{ id }] = await client.executions(workflow.id);

		const execution = await client.execution(id);

		expect(JSON.stringify(execution)).not.toContain(secret);
		expect(execution.workflowData.nodes).toHaveLength(workflow.nodes.length);
		expect(JSON.stringify(await client.workflow(workflow.id))).toContain(secret);
	});
});
