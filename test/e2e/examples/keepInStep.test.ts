// The example keep-portfolio-in-step, from its import to the changed webhooks at the service.
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { call } from '../../simulator/client';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { jsonOf } from './importedExample';
import {
	ALL_SCOPES,
	createTable,
	failureOf,
	importKeeper,
	n8nApiCredential,
	publishPortfolio,
	run,
	WAIT_SECONDS,
	type Portfolio,
	type Table,
} from './portfolio';
import { waitUntilPaused } from '../reliability/watchers';

jest.setTimeout(E2E_TIMEOUT_MS);

let surroundings: Surroundings;
let tables = 0;

beforeAll(async () => {
	surroundings = await startSurroundings();
});

afterAll(async () => await surroundings?.stop());

afterEach(() => surroundings.simulator.clearFaults());

interface Kept {
	portfolio: Portfolio;
	table: Table;
	keeper: WorkflowRecord;
	/** What its last node puts out. */
	summary(): Promise<unknown>;
}

/** A published portfolio, a table, and the example between them. */
async function keep(
	numbers: string[],
	rows: Array<string | null>,
	{
		options = {},
		column,
		...key
	}: { options?: object; column?: string; scopes?: string[]; apiKey?: string } = {},
): Promise<Kept> {
	const portfolio = await publishPortfolio(surroundings, numbers, options);
	const table = await createTable(surroundings, `Portfolio ${++tables}`, rows, column);
	const n8nApi = await n8nApiCredential(surroundings, key);
	const { workflow, credential: registry } = portfolio;
	const choices = { workflowId: workflow.id, registry, n8nApi, table, waitSeconds: WAIT_SECONDS };
	const keeper = await importKeeper(surroundings, 'keep-portfolio-in-step', choices);
	surroundings.simulator.clearRequests();
	const summary = async () => jsonOf(await run(surroundings, keeper), 'Summary')[0];
	return { portfolio, table, keeper, summary };
}

/** Pauses the company's webhook at the service, behind the trigger's back. */
async function pause({ portfolio }: Kept, company: string): Promise<void> {
	const [{ id }] = portfolio.webhooks().filter(({ company_number }) => company_number === company);
	const [token, body] = [portfolio.account.apiKey, { is_active: false }];
	await call(surroundings.simulator, 'PATCH', `/v1/webhooks/${id}`, { body, token });
}

const failing = async ({ keeper }: Kept) => failureOf(await run(surroundings, keeper));
const requests = () =>
	surroundings.simulator.requests.map(({ method, path }) => `${method} ${path}`);

describe('keep-portfolio-in-step', () => {
	it('brings the table to the service: what is new is watched, what is gone is paused', async () => {
		const kept = await keep(
			['00445790', 'NI012345', '01487520'],
			['445790', ' sc 1234', 'SC001234', null, 'to follow', '1487520', '123456789'],
		);

		expect(await kept.summary()).toEqual({
			added: ['SC001234'],
			removed: ['NI012345'],
			unchanged: 2,
			not_company_numbers: ['to follow', '123456789'],
			not_watched: [],
		});
		expect(kept.portfolio.watched()).toEqual(['00445790', '01487520', 'SC001234']);
		expect(kept.portfolio.webhooks()).toHaveLength(4);
		expect(await kept.portfolio.publishedNumbers()).toEqual(['00445790', 'SC001234', '01487520']);
	});

	it('publishes nothing while table and portfolio agree, whatever the order', async () => {
		const { portfolio, summary } = await keep(['00445790', 'NI012345'], ['ni012345', '445790']);
		const { versionId } = await surroundings.client.workflow(portfolio.workflow.id);

		expect(await summary()).toEqual({
			added: [],
			removed: [],
			unchanged: 2,
			not_company_numbers: [],
			not_watched: [],
		});
		expect(requests()).toEqual(['GET /v1/webhooks']);
		const after = await surroundings.client.workflow(portfolio.workflow.id);
		expect(after.versionId).toBe(versionId);
	});

	it.each([
		['has no row', [], 'company_number'],
		['has only rows without a number', [null, 'to follow'], 'company_number'],
		['has the numbers in another column', ['SC123456'], 'number'],
	])('stops when the table %s, and the watch list stays', async (_what, rows, column) => {
		const kept = await keep(['00445790', 'NI012345'], rows, { column });

		expect(await failing(kept)).toMatch(
			/holds no company number in a column company_number, so nothing was changed/,
		);
		expect(requests()).toEqual([]);
		expect(kept.portfolio.watched()).toEqual(['00445790', 'NI012345']);
		expect(await kept.portfolio.publishedNumbers()).toEqual(['00445790', 'NI012345']);
	});

	it('fails when the table is gone, and the watch list stays', async () => {
		const kept = await keep(['00445790'], ['NI012345']);
		await kept.table.remove();

		expect(await failing(kept)).toMatch(/table.*Portfolio \d+/is);
		expect(requests()).toEqual([]);
		expect(kept.portfolio.watched()).toEqual(['00445790']);
	});

	it('fails when the n8n API key is refused, and the watch list stays', async () => {
		const kept = await keep(['00445790'], ['NI012345'], { apiKey: 'not-a-key' });

		expect(await failing(kept)).toMatch(/Authorization failed/);
		expect(requests()).toEqual([]);
		expect(kept.portfolio.watched()).toEqual(['00445790']);
	});

	it('says that the key may not publish, and a run with one that may publishes the list that was only saved', async () => {
		const scopes = ALL_SCOPES.filter((scope) => scope !== 'activate');
		const kept = await keep(['00445790'], ['NI012345'], { scopes });

		expect(await failing(kept)).toMatch(/forbidden/i);
		expect(requests()).toEqual([]);
		expect(kept.portfolio.watched()).toEqual(['00445790']);
		expect(await kept.portfolio.publishedNumbers()).toEqual(['00445790']);

		const { client } = surroundings;
		const { id, name } = await n8nApiCredential(surroundings);
		const nodes = kept.keeper.nodes.map((node) =>
			node.credentials?.n8nApi ? { ...node, credentials: { n8nApi: { id, name } } } : node,
		);
		await client.updateWorkflow(kept.keeper.id, { nodes });
		expect(await kept.summary()).toMatchObject({ added: ['NI012345'], removed: ['00445790'] });
		expect(kept.portfolio.watched()).toEqual(['NI012345']);
	});

	it('leaves alone a portfolio that has changes which are not published', async () => {
		const kept = await keep(['00445790'], ['NI012345']);
		const { client } = surroundings;
		const nodes = kept.portfolio.workflow.nodes.filter(({ name }) => name !== 'Write Alert');
		const connections = structuredClone(kept.portfolio.workflow.connections);
		delete connections['Event with Company'];
		await client.updateWorkflow(kept.portfolio.workflow.id, { nodes, connections });

		expect(await failing(kept)).toMatch(/has changes that are saved and not published/);
		expect(kept.portfolio.watched()).toEqual(['00445790']);
	});

	it('does not publish a portfolio that somebody has unpublished', async () => {
		const kept = await keep(['00445790'], ['NI012345']);
		await surroundings.client.waitUntilUnpublished(kept.portfolio.workflow.id);

		expect(await failing(kept)).toMatch(/is not published, so nothing was changed/);
		await waitUntilPaused(kept.portfolio.webhooks);
		expect(kept.portfolio.watched()).toEqual([]);
	});

	it('fails with the companies that are not watched when publishing fails, and the next run repairs it', async () => {
		const { simulator } = surroundings;
		const kept = await keep(['00445790', 'NI012345'], ['00445790', 'SC001234']);
		const created = { method: 'POST', path: /webhooks/, times: Infinity };
		simulator.fault({ ...created, action: { status: 500 } });

		const failure = await failing(kept);

		expect(failure).toMatch(/of 2 companies are not watched at the service: .*SC001234/);
		expect(failure).toMatch(/Unpublish "Watch a portfolio from a spreadsheet" .* publish it again/);

		simulator.clearFaults();
		expect(await kept.summary()).toMatchObject({ added: [], unchanged: 2, not_watched: [] });
		expect(kept.portfolio.watched()).toEqual(['00445790', 'SC001234']);
	});

	it('fails when a company that stays is paused at the service', async () => {
		const kept = await keep(['00445790', 'NI012345'], ['00445790', 'NI012345']);
		await pause(kept, 'NI012345');

		expect(await failing(kept)).toMatch(
			/1 of 2 companies are not watched at the service: NI012345\./,
		);
		expect(kept.portfolio.watched()).toEqual(['00445790']);
	});

	it('lists the companies that are not watched when the trigger may leave some out', async () => {
		const options = { refusedCompanies: 'leaveOut' };
		const kept = await keep(['00445790', 'NI012345'], ['00445790', 'NI012345'], { options });
		await pause(kept, 'NI012345');

		expect(await kept.summary()).toMatchObject({ unchanged: 2, not_watched: ['NI012345'] });

		await pause(kept, '00445790');
		expect(await failing(kept)).toMatch(/2 of 2 companies are not watched/);
	});

	it('ends with one webhook per company when two runs meet', async () => {
		const { client } = surroundings;
		const { portfolio, keeper } = await keep(['00445790'], ['445790', 'SC001234', 'NI012345']);

		const runs = [1, 2].map(async () => await client.runWorkflow(keeper.id, 'Every Day'));
		for (const id of await Promise.all(runs)) {
			const execution = await client.waitForExecution(id);
			expect(jsonOf(execution, 'Summary')).toMatchObject([{ not_watched: [] }]);
		}

		expect(portfolio.watched()).toEqual(['00445790', 'NI012345', 'SC001234']);
		expect(portfolio.webhooks()).toHaveLength(3);
	});

	it('runs by itself once it is published', async () => {
		const { client } = surroundings;
		const { portfolio, keeper } = await keep(['00445790'], ['SC001234']);
		const rule = { interval: [{ field: 'seconds', secondsInterval: 2 }] };
		const nodes = keeper.nodes.map((node) =>
			node.name === 'Every Day' ? { ...node, parameters: { rule } } : node,
		);
		await client.updateWorkflow(keeper.id, { nodes });
		await client.waitUntilPublished(keeper.id);

		const execution = await client.waitForNextExecution(keeper.id);
		await client.waitUntilUnpublished(keeper.id);

		expect(execution.mode).toBe('trigger');
		expect(jsonOf(execution, 'Summary')).toMatchObject([{ added: ['SC001234'] }]);
		expect(portfolio.watched()).toEqual(['SC001234']);
	});

	it('keeps everything else of the portfolio: its other parameters, nodes, settings and what its trigger remembers', async () => {
		const { client } = surroundings;
		const { portfolio, summary } = await keep(['00445790'], ['445790', 'SC001234']);
		const { id } = portfolio.workflow;
		const before = await client.workflow(id);

		await summary();

		const after = await client.workflow(id);
		const others = ({ nodes }: WorkflowRecord) =>
			nodes.map((node) => ({ ...node, parameters: { ...node.parameters, companyNumbers: '' } }));
		expect(others(after)).toEqual(others(before));
		expect(after).toMatchObject({
			name: before.name,
			connections: before.connections,
			settings: before.settings,
		});
		expect(JSON.stringify(after.staticData)).toContain(portfolio.webhooks()[0].id);
	});

	it('loses nothing when n8n is killed after publishing', async () => {
		const { client, host } = surroundings;
		const { portfolio, keeper, summary } = await keep(['00445790'], ['445790', 'SC001234']);
		await client.runWorkflow(keeper.id, 'Every Day');
		await waitFor('the new company', () => portfolio.watched().length === 2);
		await client.waitForPublication(portfolio.workflow.id);

		await host.kill();
		await host.restart();

		expect(await summary()).toMatchObject({ added: [], unchanged: 2, not_watched: [] });
		expect(portfolio.webhooks()).toHaveLength(2);
	});
});
