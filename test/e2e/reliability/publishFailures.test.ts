// Publishing while the service has a fault that passes, or one that lasts.
// Takes long because n8n tries a publish five times, with pauses of 15 seconds in all, and pausing begins 12
// seconds later.
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { Fault, FaultAction } from '../../simulator';
import { useSurroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	companyNumbers,
	expectSecretsStored,
	waitUntilPaused,
	watcher,
	webhooksOf,
} from './watchers';

const COMPANIES = 50;

const surroundings = useSurroundings();

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

test('a fault that passes recovers without user action', async () => {
	const { client, simulator } = surroundings;
	const prepared = [await prepare({ status: 402 }, 25, 1), await prepare('drop', COMPANIES, 1)];
	simulator.clearRequests();

	await Promise.all(
		prepared.map(async ({ workflow }) => await client.waitUntilPublished(workflow.id, PATIENCE)),
	);

	for (const each of prepared) {
		const attempts = simulator.requests.filter(({ body }) =>
			JSON.stringify(body ?? '').includes(each.unlucky),
		);
		expect(attempts.length).toBeGreaterThanOrEqual(2);
		await expectComplete(each);
	}
});

test('a fault that lasts is told with company, count, cause and next step; nothing stays active for long, and the next publish goes on', async () => {
	const { client, simulator } = surroundings;
	const prepared = await prepare({ status: 402 }, 25, Infinity);
	const { workflow, unlucky } = prepared;

	await expect(client.waitUntilPublished(workflow.id, PATIENCE)).rejects.toThrow(
		new RegExp(
			`Nothing is watched: Company ${unlucky} could not be set up \\(\\d+ of ${COMPANIES} succeeded\\)\\. .*plan does not cover this request\\. Check the plan.*Correct the cause and publish again: existing webhooks are reused\\.$`,
		),
	);
	await waitUntilPaused(() => webhooksOf(simulator, workflow));

	simulator.clearFaults();
	await client.waitUntilPublished(workflow.id, PATIENCE);
	await expectComplete(prepared);
});
