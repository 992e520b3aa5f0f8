// What one user does from installation to unpublishing, in n8n 1.x.
// Takes long because this n8n is started for it alone.
import { alertWithoutMail, exampleWorkflow, withCredential } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import { installationIn } from '../n8n-host/installation';
import type { WorkflowRecord } from '../n8n-host/n8nTypes';
import { waitFor } from '../n8n-host/waitFor';
import type { StoredWebhook } from '../simulator';
import { useSurroundings, type Surroundings } from './surroundings';
import { importExample, smtpCredential } from './examples/importedExample';
import { startMailServer } from './examples/mailServer';
import { waitUntilPaused } from './reliability/watchers';

// `npm test` names it where it is installed, and says so loudly where it is not. Of the pinned release the
// other tests show more than this.
const { TEST_N8N_1X = '' } = process.env;

// The steps of one user, in order: each goes on from the one before.
(TEST_N8N_1X ? describe : describe.skip)('n8n 1.x', () => {
	const installation = installationIn(TEST_N8N_1X);
	const surroundings = useSurroundings({ installation });
	let workflow: WorkflowRecord;

	function onlyWebhook(): StoredWebhook {
		const webhooks = surroundings.simulator.webhooks();
		expect(webhooks).toHaveLength(1);
		return webhooks[0];
	}

	async function deliver(delivery: Parameters<Surroundings['simulator']['deliver']>[1]) {
		const { simulator, ca } = surroundings;
		return await simulator.deliver(onlyWebhook().id, { ca, ...delivery });
	}

	/** One genuine delivery: what the trigger puts out for it. */
	async function startedBy(payload: object) {
		const { client } = surroundings;
		const before = await client.executions(workflow.id);
		const { status } = await deliver({ payload });
		expect(status).toBe(200);
		const execution = await client.waitForNextExecution(workflow.id, before);
		expect(errorOf(execution)).toBeUndefined();
		expect(await client.executions(workflow.id)).toHaveLength(before.length + 1);
		return outputOf(execution, 'Company Registry Trigger').map(({ json }) => json);
	}

	it('runs, and tests the credential', async () => {
		expect(surroundings.host.logs()).toMatch(/^Version: 1\./m);
		const { client, simulator, credential } = surroundings;
		const test = async (apiKey: string) =>
			await client.testCredential({ ...credential, data: { baseUrl: simulator.url, apiKey } });
		expect((await test(simulator.apiKey)).status).toBe('OK');
		expect(await test('wrong')).toMatchObject({
			status: 'Error',
			// n8n's own words for a 401, whatever the credential says.
			message: expect.stringContaining('Authorization failed'),
		});
	});

	it('searches companies', async () => {
		const { client, credential } = surroundings;
		const example = withCredential(exampleWorkflow('search-companies'), credential);
		const { id } = await client.createWorkflow(example);
		const execution = await client.waitForExecution(await client.runWorkflow(id, 'Start'));
		expect(errorOf(execution)).toBeUndefined();
		const found = outputOf(execution, 'Search Companies');
		expect(found).toHaveLength(3);
		expect(found[0].json).toMatchObject({ company_number: expect.stringMatching(/^\w{8}$/) });
	});

	it('publishes the trigger; a delivery starts the workflow, a forged one is refused and starts nothing', async () => {
		const { client, credential } = surroundings;
		workflow = await client.createWorkflow(alertWithoutMail(credential, ['00445790']));
		await client.waitUntilPublished(workflow.id);
		expect(onlyWebhook()).toMatchObject({
			company_number: '00445790',
			events: ['filing.new'],
			is_active: true,
		});
		const payload = { type: 'filing.new', pages: 3 };
		expect(await startedBy(payload)).toEqual([
			expect.objectContaining({ event: 'filing.new', company_number: '00445790', payload }),
		]);
		const { status } = await deliver({ event: 'filing.new', secret: 'whsec_Zm9yZ2VyeQ==' });
		expect(status).toBe(401);
		await startedBy({ type: 'filing.new', after: 'the forgery' });
		expect(await client.executions(workflow.id)).toHaveLength(2);
	});

	// It asks the trigger at each start.
	it('goes on after a restart of n8n while the service is down, with the same webhook', async () => {
		const { client, host, simulator } = surroundings;
		const before = onlyWebhook();
		simulator.clearRequests();
		simulator.fault({ action: 'drop', times: Infinity });
		await host.restart();
		await client.login();
		await waitFor('the warning', () => host.logs().includes('keeps using the stored ones'));
		simulator.clearFaults();
		const requests = simulator.requests.map(({ method, path }) => `${method} ${path}`);
		expect(new Set(requests)).toEqual(new Set(['GET /v1/webhooks']));
		expect(onlyWebhook()).toEqual(before);
		expect(await startedBy({ type: 'filing.new', after: 'the restart' })).toHaveLength(1);
	});

	it('pauses the webhook when unpublished, and resumes that one when published again', async () => {
		const { client, simulator } = surroundings;
		const before = onlyWebhook();
		await client.waitUntilUnpublished(workflow.id);
		await waitUntilPaused(() => simulator.webhooks());
		expect(onlyWebhook()).toEqual({ ...before, is_active: false });

		simulator.clearRequests();
		await client.waitUntilPublished(workflow.id);
		expect(onlyWebhook()).toEqual(before);
		expect(simulator.requests.map(({ method }) => method)).not.toContain('POST');
		expect(await startedBy({ type: 'filing.new', after: 'publishing again' })).toHaveLength(1);
	});

	it('stores a copy of the static data, and so of the secrets, with an execution', async () => {
		const { client } = surroundings;
		const { secret } = onlyWebhook();
		await startedBy({ type: 'filing.new', looked: 'at' });
		const [{ id }] = await client.executions(workflow.id);

		const { workflowData } = await client.execution(id);

		expect(JSON.stringify(workflowData)).toContain(secret);
		expect(workflowData.nodes).toHaveLength(workflow.nodes.length);
		expect(JSON.stringify(await client.workflow(workflow.id))).toContain(secret);
	});

	it('stores no execution, and so no copy of anything, with EXECUTIONS_DATA_SAVE_ON_SUCCESS=none', async () => {
		const { client, host, credential } = surroundings;
		await host.restart({ EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' });
		await client.login();
		const before = await client.executions(workflow.id);

		expect((await deliver({ payload: { type: 'filing.new' } })).status).toBe(200);

		// Executions are numbered: the next one shows that the delivery had one.
		const search = withCredential(exampleWorkflow('search-companies'), credential);
		const { id } = await client.createWorkflow(search);
		const next = await client.runWorkflow(id, 'Start');
		await client.waitForExecution(next);
		expect(Number(next)).toBe(Number(before[0].id) + 2);
		await waitFor('the delivery to be forgotten', async () => {
			return (await client.executions(workflow.id)).length === before.length;
		});
		expect(await client.executions(workflow.id)).toEqual(before);
	});

	it('mails that publishing has failed, where n8n does that at its start', async () => {
		const { client, host } = surroundings;
		const mailServer = await startMailServer();
		try {
			const smtp = await smtpCredential(surroundings, mailServer);
			const errors = await importExample(surroundings, 'mail-when-something-fails', { smtp });
			await client.updateWorkflow(workflow.id, {
				settings: { ...workflow.settings, errorWorkflow: errors.workflow.id },
			});
			await client.waitUntilPublished(workflow.id);
			const moved = 'https://moved.example.com/';
			await host.restart({ WEBHOOK_URL: moved, N8N_WEBHOOK_URL: moved });
			const [{ subject, text }] = await mailServer.next();
			expect(subject).toBe(`${workflow.name}: its trigger does not run`);
			expect(text).toContain(`and this n8n's address is ${moved}webhook`);
			expect(text).toContain('Open the workflow in n8n and publish it again.');
		} finally {
			await mailServer.close();
		}
	});
});
