// The example repair-subscriptions: what others have changed at the service is put right.
// Takes long because most tests publish twice and one fails as often as n8n tries.
import type { Credential, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { call } from '../../simulator/client';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { jsonOf, smtpCredential } from './importedExample';
import { startMailServer } from './mailServer';
import {
	ALL_SCOPES,
	failureOf,
	importKeeper,
	n8nApiCredential,
	publishPortfolio,
	run,
	untilForgotten,
	WAIT_SECONDS,
	type Portfolio,
} from './portfolio';
import { waitUntilPaused } from '../reliability/watchers';

jest.setTimeout(E2E_TIMEOUT_MS);

const COMPANIES = ['00445790', '01487520', 'NI012345', 'SC001234'];

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings({ isWhole: true });
});

afterAll(async () => await surroundings?.stop());

afterEach(() => surroundings.simulator.clearFaults());

interface Repaired {
	portfolio: Portfolio;
	repair: WorkflowRecord;
	/** Changes a webhook at the service, behind the trigger's back. */
	change(company: string, changes: object): Promise<void>;
}

async function setUp(scopes?: string[], smtp?: Credential): Promise<Repaired> {
	const portfolio = await publishPortfolio(surroundings, COMPANIES);
	const n8nApi = await n8nApiCredential(surroundings, { scopes });
	const { workflow, credential: registry } = portfolio;
	const choices = { workflowId: workflow.id, registry, n8nApi, smtp, waitSeconds: WAIT_SECONDS };
	const repair = await importKeeper(surroundings, 'repair-subscriptions', choices);
	const idOf = (company: string) =>
		portfolio.webhooks().find(({ company_number }) => company_number === company)?.id;
	const change = async (company: string, body: object) => {
		const token = portfolio.account.apiKey;
		await call(surroundings.simulator, 'PATCH', `/v1/webhooks/${idOf(company)}`, { body, token });
	};
	return { portfolio, repair, change };
}

describe('repair-subscriptions', () => {
	it('brings into line what was paused, changed or removed at the service, and leaves the rest as it is', async () => {
		const { portfolio, repair, change } = await setUp();
		const before = portfolio.webhooks();
		await change('00445790', { is_active: false });
		await change('01487520', { events: ['psc.added'] });
		surroundings.simulator.forgetWebhook(before[2].id);

		const summary = jsonOf(await run(surroundings, repair), 'Summary');

		expect(summary).toMatchObject([{ watched: 4, not_watched: [] }]);
		expect(portfolio.watched()).toEqual(COMPANIES);
		const after = portfolio.webhooks();
		expect(after.slice(0, 3)).toEqual([before[0], before[1], before[3]]);
		expect(after).toHaveLength(4);
		expect(after[3]).toMatchObject({ company_number: before[2].company_number });
	});

	it('mails how many are watched, counts numbers without zeros, and n8n keeps no execution', async () => {
		const { client, simulator } = surroundings;
		const mailServer = await startMailServer();
		const smtp = await smtpCredential(surroundings, mailServer);
		const { repair } = await setUp(ALL_SCOPES, smtp);
		simulator.differences = { withoutZeros: true };

		const id = await client.runWorkflow(repair.id, 'Every Week');
		const [{ subject, text }] = await mailServer.next(1, 0);

		simulator.differences = {};
		await mailServer.close();
		expect(subject).toBe('Watch a portfolio from a spreadsheet: 4 companies are watched');
		expect(text).toContain('was checked at the service and put right where that was needed');
		await untilForgotten(surroundings, id);
	});

	it('publishes the version that was published, not what has been saved since', async () => {
		const { portfolio, repair, change } = await setUp();
		const { client } = surroundings;
		const { id, nodes } = portfolio.workflow;
		const numbers = await portfolio.publishedNumbers();
		await client.updateWorkflow(id, {
			nodes: nodes.map((node) => ({ ...node, notes: 'Not finished' })),
		});
		await change('SC001234', { is_active: false });

		jsonOf(await run(surroundings, repair), 'Summary');

		expect(portfolio.watched()).toEqual(COMPANIES);
		expect(await portfolio.publishedNumbers()).toEqual(numbers);
		expect((await client.workflow(id)).nodes[0].notes).toBe('Not finished');
	});

	it('fails and says so when publishing fails, and the next run goes on', async () => {
		const { portfolio, repair, change } = await setUp();
		const { simulator } = surroundings;
		await change('00445790', { is_active: false });
		const resumed = ({ body }: { body: unknown }) =>
			(body as { is_active?: boolean } | undefined)?.is_active !== false;
		const action = { status: 500 };
		simulator.fault({ method: 'PATCH', path: /webhooks/, when: resumed, times: Infinity, action });

		const failure = failureOf(await run(surroundings, repair));

		expect(failure).toMatch(/of 4 companies are not watched at the service: .*00445790/);
		expect(failure).toMatch(/publish it again: .* The next run of this one tries again/);

		simulator.clearFaults();
		expect(jsonOf(await run(surroundings, repair), 'Summary')).toMatchObject([{ watched: 4 }]);
		expect(portfolio.watched()).toEqual(COMPANIES);
	});

	it('unpublishes nothing with a key that may not publish', async () => {
		const { portfolio, repair } = await setUp(ALL_SCOPES.filter((scope) => scope !== 'activate'));
		surroundings.simulator.clearRequests();

		expect(failureOf(await run(surroundings, repair))).toMatch(/forbidden/i);

		expect(surroundings.simulator.requests).toEqual([]);
		expect(portfolio.watched()).toEqual(COMPANIES);
		expect((await surroundings.client.workflow(portfolio.workflow.id)).active).toBe(true);
	});

	it('says that a workflow is not published, and does not publish it', async () => {
		const { portfolio, repair } = await setUp();
		await surroundings.client.waitUntilUnpublished(portfolio.workflow.id);

		expect(failureOf(await run(surroundings, repair))).toMatch(
			/"Watch a portfolio from a spreadsheet" is not published, so there was nothing to repair/,
		);
		await waitUntilPaused(portfolio.webhooks);
		expect(portfolio.watched()).toEqual([]);
	});
});
