// The example keep-portfolio-in-step, from its import to the changed webhooks at the service.
// Takes long because most tests publish twice, and n8n starts anew.
import _ from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { call } from '../../simulator/client';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { jsonOf, smtpCredential } from './importedExample';
import { startMailServer, type MailServer } from './mailServer';
import {
	ALL_SCOPES,
	createTable,
	failureOf,
	importKeeper,
	n8nApiCredential,
	publishPortfolio,
	run,
	untilForgotten,
	WAIT_SECONDS,
	type Portfolio,
	type Row,
	type Table,
} from './portfolio';
import { waitUntilPaused } from '../reliability/watchers';

jest.setTimeout(E2E_TIMEOUT_MS);

let surroundings: Surroundings;
let tables = 0;

beforeAll(async () => {
	surroundings = await startSurroundings({ isWhole: true });
});

afterAll(async () => await surroundings?.stop());

afterEach(() => {
	surroundings.simulator.clearFaults();
	surroundings.simulator.differences = {};
});

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
	rows: Row[],
	{
		options,
		column,
		...key
	}: { options?: INodeParameters; column?: string; scopes?: string[]; apiKey?: string } = {},
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

const company = (company_number: string, company_name: string | null = null) => ({
	company_number,
	company_name,
});

describe('keep-portfolio-in-step', () => {
	it('brings the table to the service: what is new is watched, what is gone is paused, and all else of the portfolio stays', async () => {
		const { client } = surroundings;
		const kept = await keep(
			['00445790', 'NI012345', '01487520'],
			['445790', ' sc 1234', 'SC001234', null, '="01487520"'],
		);
		const { id } = kept.portfolio.workflow;
		const before = await client.workflow(id);

		expect(await kept.summary()).toEqual({
			added: [company('SC001234')],
			removed: [company('NI012345')],
			renamed: [],
			unchanged: 2,
			not_watched: [],
		});
		expect(kept.portfolio.watched()).toEqual(['00445790', '01487520', 'SC001234']);
		expect(kept.portfolio.webhooks()).toHaveLength(4);
		expect(await kept.portfolio.publishedNumbers()).toEqual(['00445790', 'SC001234', '01487520']);
		const after = await client.workflow(id);
		const others = ({ nodes }: WorkflowRecord) =>
			nodes.map((node) => ({ ...node, parameters: { ...node.parameters, companyNumbers: '' } }));
		expect(others(after)).toEqual(others(before));
		expect(after).toMatchObject(_.pick(before, ['name', 'connections', 'settings']));
		expect(JSON.stringify(after.staticData)).toContain(kept.portfolio.webhooks()[0].id);
	});

	it('takes nobody out while a row cannot be read, adds who is new, and names the rows', async () => {
		const rows: Row[] = [
			['445790', 'Stores'],
			['1.23457E+07', 'Bakers'],
			[null, 'To come'],
			['SC001234', 'New'],
		];
		const kept = await keep(['00445790', 'NI012345', '01487520'], rows);

		const failure = await failing(kept);

		expect(failure).toMatch(
			/^2 rows of the table have no company number that can be read: "1\.23457E\+07" "Bakers", "To come"\. /,
		);
		expect(failure).toMatch(/no company is removed from "Watch a portfolio .*"\. Added: SC001234\.$/);
		expect(kept.portfolio.watched()).toEqual(['00445790', '01487520', 'NI012345', 'SC001234']);
		surroundings.simulator.clearRequests();
		expect(await failing(kept)).toMatch(/None was added\.$/);
		expect(requests()).toEqual(['GET /v1/webhooks']);

		await kept.table.clear();
		await kept.table.append([['445790', 'Stores'], ['SC001234', 'New']]);
		expect(await kept.summary()).toMatchObject({ removed: [{}, {}] });
		expect(kept.portfolio.watched()).toEqual(['00445790', 'SC001234']);
	});

	it('takes names along from a table with other headings, and publishes a new name', async () => {
		const rows: Row[] = [
			['99000001', 'Tessellate Stores plc'],
			['445790', ' Two\twords '],
			['SC001234', ''],
		];
		const kept = await keep(['99000001'], rows, { column: 'anything' });

		await kept.summary();

		expect(await kept.portfolio.publishedNumbers()).toEqual([
			'Company number\tName',
			'99000001\tTessellate Stores plc',
			'00445790\tTwo words',
			'SC001234\t',
		]);
		expect(kept.portfolio.watched()).toEqual(['00445790', '99000001', 'SC001234']);
		await kept.table.append([['sc1234', 'Named at last']]);
		expect(await kept.summary()).toMatchObject({
			renamed: [company('SC001234', 'Named at last')],
			unchanged: 2,
		});
		expect(await kept.summary()).toMatchObject({ renamed: [], unchanged: 3 });
	});

	it('publishes nothing while table and portfolio agree, whatever the order', async () => {
		const { portfolio, summary } = await keep(['00445790', 'NI012345'], ['ni012345', '445790']);
		const { versionId } = await surroundings.client.workflow(portfolio.workflow.id);

		surroundings.simulator.differences = { withoutZeros: true };
		expect(await summary()).toEqual({
			added: [],
			removed: [],
			renamed: [],
			unchanged: 2,
			not_watched: [],
		});
		expect(requests()).toEqual(['GET /v1/webhooks']);
		const after = await surroundings.client.workflow(portfolio.workflow.id);
		expect(after.versionId).toBe(versionId);
	});

	it('stops when the table has no number, no row, or is gone, and the watch list stays', async () => {
		const kept = await keep(['00445790', 'NI012345'], [null, 'to follow']);
		const unreadable = /no column with company numbers that can be read, so nothing was changed/;

		expect(await failing(kept)).toMatch(unreadable);
		await kept.table.clear();
		expect(await failing(kept)).toMatch(unreadable);
		await kept.table.remove();
		expect(await failing(kept)).toMatch(/Data table .* could not be found/);

		expect(requests()).toEqual([]);
		expect(kept.portfolio.watched()).toEqual(['00445790', 'NI012345']);
		expect(await kept.portfolio.publishedNumbers()).toEqual(['00445790', 'NI012345']);
	});

	it('says that the n8n API key is refused, or may not publish, and a run with one that may publishes the list that was only saved', async () => {
		const kept = await keep(['00445790'], ['NI012345'], { apiKey: 'not-a-key' });
		const { client } = surroundings;
		const useKey = async (key: { scopes?: string[] }) => {
			const { id, name } = await n8nApiCredential(surroundings, key);
			const nodes = kept.keeper.nodes.map((node) =>
				node.credentials?.n8nApi ? { ...node, credentials: { n8nApi: { id, name } } } : node,
			);
			await client.updateWorkflow(kept.keeper.id, { nodes });
		};

		expect(await failing(kept)).toMatch(/Authorization failed/);
		await useKey({ scopes: ALL_SCOPES.filter((scope) => scope !== 'activate') });
		expect(await failing(kept)).toMatch(/forbidden/i);
		expect(requests()).toEqual([]);
		expect(kept.portfolio.watched()).toEqual(['00445790']);
		expect(await kept.portfolio.publishedNumbers()).toEqual(['00445790']);

		await useKey({});
		expect(await kept.summary()).toMatchObject({
			added: [company('NI012345')],
			removed: [company('00445790')],
		});
		expect(kept.portfolio.watched()).toEqual(['NI012345']);
	});

	it('leaves alone a portfolio that has changes which are not published', async () => {
		const kept = await keep(['00445790'], ['NI012345']);
		const { client } = surroundings;
		const nodes = kept.portfolio.workflow.nodes.filter(({ name }) => name !== 'Send Email');
		await client.updateWorkflow(kept.portfolio.workflow.id, { nodes, connections: {} });

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
		expect(jsonOf(execution, 'Summary')).toMatchObject([{ added: [company('SC001234')] }]);
		expect(portfolio.watched()).toEqual(['SC001234']);
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

describe('keep-portfolio-in-step as it is imported', () => {
	let mailServer: MailServer;

	beforeAll(async () => {
		mailServer = await startMailServer();
	});

	afterAll(async () => await mailServer?.close());

	it('mails what it has changed, nothing where nothing is to be changed, and each failure, and no execution is kept', async () => {
		const { client } = surroundings;
		await client.login();
		const portfolio = await publishPortfolio(surroundings, ['00445790', 'NI012345']);
		const rows: Row[] = [['445790', ''], ['99000001', 'Tessellate Stores plc']];
		const table = await createTable(surroundings, 'As imported', rows);
		const keeper = await importKeeper(surroundings, 'keep-portfolio-in-step', {
			workflowId: portfolio.workflow.id,
			registry: portfolio.credential,
			n8nApi: await n8nApiCredential(surroundings),
			smtp: await smtpCredential(surroundings, mailServer),
			table,
			waitSeconds: WAIT_SECONDS,
		});

		const id = await client.runWorkflow(keeper.id, 'Every Day');
		await mailServer.next(1, 0);
		await untilForgotten(surroundings, id);

		expect(mailServer.mails).toMatchObject([
			{ subject: 'Watch a portfolio from a spreadsheet: 1 added, 1 removed', html: '' },
		]);
		expect(mailServer.mails[0].text.replace(/\r/g, '').trim().split('\n')).toEqual([
			'"Watch a portfolio from a spreadsheet" was brought into step with your table.',
			'',
			'Watched from now on:',
			'- 99000001 Tessellate Stores plc',
			'',
			'No longer watched:',
			'- NI012345',
			'',
			'Unchanged: 1',
		]);

		await untilForgotten(surroundings, await client.runWorkflow(keeper.id, 'Every Day'));
		expect(mailServer.mails).toHaveLength(1);

		await table.append([['to follow', 'Glen Orrin Ltd']]);
		const rule = { interval: [{ field: 'seconds', secondsInterval: 2 }] };
		const nodes = keeper.nodes.map((node) =>
			node.name === 'Every Day' ? { ...node, parameters: { rule } } : node,
		);
		await client.updateWorkflow(keeper.id, { nodes });
		await client.waitUntilPublished(keeper.id);
		await mailServer.next(1, 1);
		await client.waitUntilUnpublished(keeper.id);

		const [, failure] = mailServer.mails;
		expect(failure.subject).toBe('Keep a portfolio in step with a table: a run has failed');
		expect(failure.text).toMatch(/One row of the table .* be read: "to follow" "Glen Orrin Ltd"/);
		expect(failure.text).not.toContain('whsec_');
		await waitFor('the executions to be forgotten', async () => {
			return (await client.executions(keeper.id)).length === 0;
		});
		expect(portfolio.watched()).toEqual(['00445790', '99000001']);
	});
});
