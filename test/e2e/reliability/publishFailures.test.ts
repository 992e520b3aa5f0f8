// Publishing and unpublishing while the service has a fault that passes, or one that lasts.
// Takes minutes: n8n tries a publish five times, with pauses of 15 seconds in all, and pausing begins 12 seconds later.
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { freePort } from '../../n8n-host/ports';
import { waitFor } from '../../n8n-host/waitFor';
import type { Fault, FaultAction } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	companyNumbers,
	expectSecretsStored,
	waitUntilPaused,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

jest.setTimeout(600_000);

const COMPANIES = 50;

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings();
});

afterAll(async () => await surroundings?.stop());

afterEach(() => surroundings.simulator.clearFaults());

interface Case {
	workflow: WorkflowRecord;
	companies: string[];
	/** The company whose creation meets the fault. */
	unlucky: string;
}

let cases = 0;

/** A workflow of companies of its own, the one at `position` (1-based) meeting the fault. */
async function prepare(action: FaultAction, position: number, times: number): Promise<Case> {
	const { client, simulator, credential } = surroundings;
	const companies = companyNumbers(COMPANIES, 30_000_000 + 1_000 * cases++);
	const unlucky = companies[position - 1];
	const when: Fault['when'] = ({ body }) =>
		(body as { company_number?: string } | undefined)?.company_number === unlucky;
	simulator.fault({ method: 'POST', when, times, action });
	return {
		workflow: await client.createWorkflow(watcher(credential, companies)),
		companies,
		unlucky,
	};
}

/** One webhook for each company, all active, each with its secret, and the unlucky one delivers. */
async function expectComplete({ workflow, companies, unlucky }: Case): Promise<void> {
	const { client, simulator, ca } = surroundings;
	const webhooks = webhooksOf(simulator, workflow);
	expect(webhooks.map(({ company_number }) => company_number).sort()).toEqual(companies);
	expect(webhooks.filter(({ is_active }) => !is_active)).toEqual([]);
	await expectSecretsStored(client, workflow, webhooks);
	const [{ id }] = webhooks.filter(({ company_number }) => company_number === unlucky);
	expect((await simulator.deliver(id, { ca, ...PERSISTENT })).status).toBe(200);
}

const passing: Array<[FaultAction, number]> = [
	[{ status: 500 }, 1],
	[{ status: 429 }, 1],
	[{ status: 402 }, 25],
	['drop', 25],
	[{ status: 401 }, COMPANIES],
	[{ status: 500 }, COMPANIES],
];

test('a fault at the 1st, 25th or last of 50 companies that passes recovers without user action', async () => {
	const { client, simulator } = surroundings;
	const prepared = await Promise.all(
		passing.map(async ([action, at]) => await prepare(action, at, 1)),
	);
	simulator.clearRequests();

	await Promise.all(
		prepared.map(async ({ workflow }) => await client.waitUntilPublished(workflow.id, PATIENCE)),
	);

	for (const { unlucky } of prepared) {
		const attempts = simulator.requests.filter(({ body }) =>
			JSON.stringify(body ?? '').includes(unlucky),
		);
		expect(attempts.length).toBeGreaterThanOrEqual(2);
	}
	for (const each of prepared) await expectComplete(each);
});

test("a creation whose answer is lost is done again by n8n itself, and n8n's log names the company whose webhook is left over", async () => {
	const { client, simulator, host } = surroundings;
	const { workflow, companies, unlucky } = await prepare('dropAfter', 25, 1);
	await client.waitUntilPublished(workflow.id, PATIENCE);

	const webhooks = webhooksOf(simulator, workflow);
	const numbers = webhooks.map(({ company_number }) => company_number);
	expect(numbers.sort()).toEqual([...companies, unlucky].sort());
	expect(webhooks.filter(({ is_active }) => !is_active)).toEqual([]);
	expect(host.logs()).toContain(`the service may hold a new webhook for ${unlucky} that`);
});

const lasting: Array<[FaultAction, number, RegExp]> = [
	[{ status: 500 }, 1, /could not process the request \(HTTP 500\)/],
	[{ status: 402 }, 25, /plan does not cover this request\. Check the plan/],
	['drop', 25, /connection to the registry service closed before an answer arrived/],
	[{ status: 401 }, COMPANIES, /did not accept the API key\. Check the API key/],
];

test('a fault that lasts is told with company, count, cause and next step; nothing stays active for long, and the next publish goes on', async () => {
	const { client, simulator } = surroundings;
	const prepared = await Promise.all(
		lasting.map(async ([action, at]) => await prepare(action, at, Infinity)),
	);
	await Promise.all(prepared.map(async ({ workflow }) => await client.publish(workflow.id)));

	for (const [index, { workflow, unlucky, companies }] of prepared.entries()) {
		const { status, errorMessage } = await client.waitForPublication(workflow.id, PATIENCE);
		expect(status).toBe('failed');
		expect(errorMessage).toMatch(
			new RegExp(
				`^Nothing is watched: Company ${unlucky} could not be set up \\(\\d+ of ${COMPANIES} succeeded\\)\\. `,
			),
		);
		expect(errorMessage).toMatch(lasting[index][2]);
		expect(errorMessage).toMatch(
			/Correct the cause and publish again: existing webhooks are reused\.$/,
		);

		await waitUntilPaused(() => webhooksOf(simulator, workflow));
		const webhooks = webhooksOf(simulator, workflow);
		expect(new Set(webhooks.map(({ company_number }) => company_number)).size).toBe(
			webhooks.length,
		);
		expect(companies).toEqual(
			expect.arrayContaining(webhooks.map(({ company_number }) => company_number)),
		);
	}

	simulator.clearFaults();
	await Promise.all(
		prepared.map(async ({ workflow }) => await client.waitUntilPublished(workflow.id, PATIENCE)),
	);
	for (const each of prepared) await expectComplete(each);
});

test('publishing again while n8n retries a failed publish by itself ends with one webhook per company', async () => {
	const { client, simulator } = surroundings;
	const prepared = await prepare({ status: 500 }, 25, 3);
	const { workflow, unlucky } = prepared;

	await client.publish(workflow.id);
	await waitFor('the first attempt to fail', () =>
		simulator.requests.some(
			({ body, status }) => status === 500 && JSON.stringify(body).includes(unlucky),
		),
	);
	const changed = withTrigger(workflow, { parameters: { options: { tolerance: 600 } } });
	await client.updateWorkflow(workflow.id, { nodes: changed.nodes });
	await client.publish(workflow.id);

	expect(await client.waitForPublication(workflow.id, PATIENCE)).toMatchObject({
		status: 'published',
	});
	await expectComplete(prepared);
});

test('a first publish while nothing answers at the base URL fails and says so', async () => {
	const { client, simulator } = surroundings;
	const credential = await client.createCredential({
		name: 'Service that is down',
		type: 'companyRegistryApi',
		data: { baseUrl: `http://127.0.0.1:${await freePort()}`, apiKey: simulator.apiKey },
	});
	const { id } = await client.createWorkflow(watcher(credential, companyNumbers(2, 39_000_000)));

	await expect(client.waitUntilPublished(id, PATIENCE)).rejects.toThrow(
		/Nothing is watched: 2 companies could not be set up \(0 of 2 succeeded\)\. 39000000, 39000001: Nothing answers at the Base URL\. Check the 'Base URL'/,
	);
});

test('an unpublish while the service is down succeeds, and pauses once it is back; a publish resumes what there is', async () => {
	const { client, simulator, ca, credential } = surroundings;
	const companies = companyNumbers(3, 39_100_000);
	const workflow = await client.createWorkflow(watcher(credential, companies));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const webhooks = webhooksOf(simulator, workflow);
	simulator.clearRequests();
	simulator.fault({ action: 'drop', times: Infinity });

	await client.waitUntilUnpublished(workflow.id, PATIENCE);

	for (const { id } of webhooks) {
		expect((await simulator.deliver(id, { ca, ...PERSISTENT })).status).toBe(404);
	}
	await waitFor('several tries', () => simulator.requests.length > 10, PATIENCE);
	simulator.clearFaults();
	await waitUntilPaused(() => webhooksOf(simulator, workflow));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	expect(webhooksOf(simulator, workflow)).toEqual(webhooks);
	await expectComplete({ workflow, companies, unlucky: companies[0] });
});
