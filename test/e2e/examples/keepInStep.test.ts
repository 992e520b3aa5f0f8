// The example keep-portfolio-in-step, from its import to the changed webhooks at the service and the mail.
// Takes long because most tests publish twice, and n8n starts anew.
import _ from 'lodash';

import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { call } from '../../simulator/client';
import { waitUntilPaused } from '../reliability/watchers';
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

jest.setTimeout(E2E_TIMEOUT_MS);

const NAME = 'Watch a portfolio from a spreadsheet';

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
	/** The mail that a run would send; undefined where it would send none. */
	report(): Promise<{ subject: string; lines: string[] } | undefined>;
}

/** A published portfolio, a table, and the example between them, which sends no mail. */
async function keep(
	numbers: string[],
	rows: Row[],
	{ column, ...key }: { column?: string; scopes?: string[]; apiKey?: string } = {},
): Promise<Kept> {
	const portfolio = await publishPortfolio(surroundings, numbers);
	const table = await createTable(surroundings, `Portfolio ${++tables}`, rows, column);
	const n8nApi = await n8nApiCredential(surroundings, key);
	const { workflow, credential: registry } = portfolio;
	const choices = { workflowId: workflow.id, registry, n8nApi, table, waitSeconds: WAIT_SECONDS };
	const keeper = await importKeeper(surroundings, choices);
	surroundings.simulator.clearRequests();
	const report = async () => {
		const [mail] = jsonOf(await run(surroundings, keeper), 'Work Out');
		return mail && { subject: String(mail.subject), lines: linesOf(String(mail.text)) };
	};
	return { portfolio, table, keeper, report };
}

const linesOf = (text: string) => text.split(/\r?\n/).filter(Boolean);

/** Changes the company's webhook at the service, behind the trigger's back. */
async function change({ portfolio }: Kept, company: string, body: object): Promise<void> {
	const [{ id }] = portfolio.webhooks().filter(({ company_number }) => company_number === company);
	const token = portfolio.account.apiKey;
	await call(surroundings.simulator, 'PATCH', `/v1/webhooks/${id}`, { body, token });
}

const failing = async ({ keeper }: Kept) => failureOf(await run(surroundings, keeper));
const requests = () =>
	surroundings.simulator.requests.map(({ method, path }) => `${method} ${path.replace(/wh_.+/, 'id')}`);

describe('keep-portfolio-in-step', () => {
	it('brings the table to the service: what is new is watched, what is gone is paused, and all else of the portfolio stays', async () => {
		const { client } = surroundings;
		const kept = await keep(
			['99000001', 'NI990001', '00445790'],
			[['99000001', ''], [' sc 99001', 'New Ltd'], ['SC099001', ''], ['="00445790"', '']],
		);
		const { id } = kept.portfolio.workflow;
		const before = await client.workflow(id);

		expect(await kept.report()).toEqual({
			subject: `${NAME}: 1 added, 1 removed, 0 not watched`,
			lines: [
				'Added to the list:',
				'- SC099001, New Ltd',
				'Taken out of the list:',
				'- NI990001',
				'Unchanged: 2',
			],
		});

		expect(kept.portfolio.watched()).toEqual(['00445790', '99000001', 'SC099001']);
		expect(kept.portfolio.webhooks()).toHaveLength(4);
		expect(await kept.portfolio.publishedNumbers()).toEqual([
			'Company number\tName',
			'99000001\t',
			'SC099001\tNew Ltd',
			'00445790\t',
		]);
		const after = await client.workflow(id);
		const others = ({ nodes }: WorkflowRecord) =>
			nodes.map((node) => ({ ...node, parameters: { ...node.parameters, companyNumbers: '' } }));
		expect(others(after)).toEqual(others(before));
		expect(after).toMatchObject(_.pick(before, ['name', 'connections', 'settings']));
		expect(JSON.stringify(after.staticData)).toContain(kept.portfolio.webhooks()[0].id);

		await kept.table.append([['99000001', 'Tessellate Stores plc']]);
		expect(await kept.report()).toMatchObject({
			lines: ['New name:', '- 99000001, Tessellate Stores plc', 'Unchanged: 2'],
		});
		expect(await kept.report()).toBeUndefined();
	});

	it('publishes and mails nothing while table, portfolio and account agree, whatever the order', async () => {
		const { portfolio, report } = await keep(['00445790', 'NI990001'], ['ni990001', '445790']);
		const { versionId } = await surroundings.client.workflow(portfolio.workflow.id);
		surroundings.simulator.differences = { withoutZeros: true };

		expect(await report()).toBeUndefined();

		expect(requests()).toEqual(['GET /v1/webhooks']);
		const after = await surroundings.client.workflow(portfolio.workflow.id);
		expect(after.versionId).toBe(versionId);
	});

	it('changes nothing where a row cannot be read, the table is empty or gone, or too many companies are missing', async () => {
		const kept = await keep(['99000001', 'NI990001', 'SC990001'], ['99000001', 'to follow', 'NI990001']);
		const { table, portfolio } = kept;

		expect(await failing(kept)).toMatch(/^Row 3, column "company_number": "to follow" is not a company number/);
		await table.clear();
		expect(await failing(kept)).toMatch(/^The list has no company, so nothing was changed/);
		await table.append(['99000001']);
		expect(await failing(kept)).toMatch(/^2 of 3 watched companies are not in the list any more, so nothing was changed/);
		await table.remove();
		expect(await failing(kept)).toMatch(/Data table .* could not be found/);

		expect(requests()).toEqual([]);
		expect(portfolio.watched()).toEqual(['99000001', 'NI990001', 'SC990001']);
		expect(await portfolio.publishedNumbers()).toHaveLength(3);
	});

	it('says that the n8n API key is refused, or may not publish, and a run with one that may publishes the list that was only saved', async () => {
		const kept = await keep(['99000001', 'NI990001'], ['NI990001', 'SC990001'], { apiKey: 'not-a-key' });
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
		expect(kept.portfolio.watched()).toEqual(['99000001', 'NI990001']);
		expect(await kept.portfolio.publishedNumbers()).toEqual(['99000001', 'NI990001']);

		await useKey({});
		expect(await kept.report()).toMatchObject({ subject: `${NAME}: 1 added, 1 removed, 0 not watched` });
		expect(kept.portfolio.watched()).toEqual(['NI990001', 'SC990001']);
	});

	it('leaves alone a portfolio that has changes which are not published, and one that is not published', async () => {
		const kept = await keep(['99000001'], ['NI990001']);
		const { client } = surroundings;
		const { id, nodes } = kept.portfolio.workflow;
		const withoutMail = nodes.filter(({ name }) => name !== 'Send Email');
		await client.updateWorkflow(id, { nodes: withoutMail, connections: {} });

		expect(await failing(kept)).toMatch(/has changes that are saved and not published, so nothing was changed/);
		expect(kept.portfolio.watched()).toEqual(['99000001']);

		await client.waitUntilUnpublished(id);
		await waitUntilPaused(kept.portfolio.webhooks);
		expect(await failing(kept)).toMatch(/is not published, so nothing was changed/);
		expect(kept.portfolio.watched()).toEqual([]);
	});

	it('mails each day what the service refuses, while the others are watched, until that is watched too', async () => {
		const { simulator } = surroundings;
		const kept = await keep(['99000001', 'NI990001'], ['99000001', 'SC990001', 'SC990002']);
		const isRefused = ({ body }: { body: unknown }) => _.get(body, 'company_number') === 'SC990001';
		const action = { status: 422, body: { error: 'unknown', message: 'No such company', status: 422 } };
		simulator.fault({ method: 'POST', path: /webhooks/, when: isRefused, times: Infinity, action });

		expect(await kept.report()).toMatchObject({
			subject: `${NAME}: 2 added, 1 removed, 1 not watched`,
			lines: expect.arrayContaining(['Not watched at the service:', '- SC990001, not watched']),
		});
		expect(kept.portfolio.watched()).toEqual(['99000001', 'SC990002']);
		expect(await kept.report()).toEqual({
			subject: `${NAME}: 0 added, 0 removed, 1 not watched`,
			lines: ['Not watched at the service:', '- SC990001, not watched', 'Unchanged: 3'],
		});

		simulator.clearFaults();
		expect(await kept.report()).toBeUndefined();
		expect(kept.portfolio.watched()).toEqual(['99000001', 'SC990001', 'SC990002']);
	});

	it('restores what was paused or removed at the service, and leaves the rest as it is', async () => {
		const kept = await keep(['99000001', 'NI990001', 'SC990001'], ['99000001', 'NI990001', 'SC990001']);
		const before = kept.portfolio.webhooks();
		await change(kept, 'NI990001', { is_active: false });
		surroundings.simulator.clearRequests();

		expect(await kept.report()).toBeUndefined();
		expect(kept.portfolio.webhooks()).toEqual(before);
		expect(requests().filter((request) => !request.startsWith('GET'))).toEqual(['PATCH /v1/webhooks/id']);

		surroundings.simulator.forgetWebhook(before[0].id);
		expect(await kept.report()).toBeUndefined();
		expect(kept.portfolio.watched()).toEqual(['99000001', 'NI990001', 'SC990001']);
		expect(kept.portfolio.webhooks().slice(0, 2)).toEqual(before.slice(1));
	});

	it('ends with one webhook per company when two runs meet', async () => {
		const { client } = surroundings;
		const { portfolio, keeper } = await keep(['99000001'], ['99000001', 'SC990001', 'NI990001']);

		const runs = [1, 2].map(async () => await client.runWorkflow(keeper.id, 'Every Day'));
		for (const id of await Promise.all(runs)) jsonOf(await client.waitForExecution(id), 'Work Out');

		expect(portfolio.watched()).toEqual(['99000001', 'NI990001', 'SC990001']);
		expect(portfolio.webhooks()).toHaveLength(3);
	});

	it('loses nothing when n8n is killed after publishing', async () => {
		const { client, host } = surroundings;
		const { portfolio, keeper, report } = await keep(['99000001'], ['99000001', 'SC990001']);
		await client.runWorkflow(keeper.id, 'Every Day');
		await waitFor('the new company', () => portfolio.watched().length === 2);
		await client.waitForPublication(portfolio.workflow.id);

		await host.kill();
		await host.restart();

		expect(await report()).toBeUndefined();
		expect(portfolio.webhooks()).toHaveLength(2);
	});
});

describe('keep-portfolio-in-step as it is imported', () => {
	let mailServer: MailServer;

	beforeAll(async () => {
		mailServer = await startMailServer();
	});

	afterAll(async () => await mailServer?.close());

	it('mails by itself what it has changed, later if the mail server was down, and each failure, and no execution is kept', async () => {
		const { client } = surroundings;
		await client.login();
		const portfolio = await publishPortfolio(surroundings, ['99000001', 'NI990001']);
		const rows: Row[] = [['99000001', ''], ['SC990001', 'Glen Orrin Ltd']];
		const table = await createTable(surroundings, 'As imported', rows);
		const keeper = await importKeeper(surroundings, {
			workflowId: portfolio.workflow.id,
			registry: portfolio.credential,
			n8nApi: await n8nApiCredential(surroundings),
			smtp: await smtpCredential(surroundings, mailServer),
			table,
			waitSeconds: WAIT_SECONDS,
		});
		mailServer.refuse();
		const rule = { interval: [{ field: 'seconds', secondsInterval: 5 }] };
		const nodes = keeper.nodes.map((node) =>
			node.name === 'Every Day' ? { ...node, parameters: { rule } } : node,
		);
		await client.updateWorkflow(keeper.id, { nodes });
		await client.waitUntilPublished(keeper.id);
		await waitFor('a failed run', () => mailServer.refused.some((subject) => /has failed/.test(subject)));
		mailServer.accept();
		await waitFor('the report', () => mailServer.mails.some(({ text }) => text.includes('SC990001')));

		await table.append([['to follow', 'Nobody']]);
		await waitFor('the failure', () => mailServer.mails.some(({ text }) => /Row 4/.test(text)));
		await client.waitUntilUnpublished(keeper.id);

		const reports = mailServer.mails.filter(({ subject }) => /removed/.test(subject));
		expect(linesOf(reports[0].text)).toEqual([
			'Added to the list:',
			'- SC990001, Glen Orrin Ltd',
			'Taken out of the list:',
			'- NI990001',
			'Unchanged: 2',
		]);
		expect(reports).toHaveLength(1);
		const failure = mailServer.mails.find(({ text }) => /Row 4/.test(text));
		expect(failure?.subject).toBe('Keep a portfolio in step with a table: a run has failed');
		expect(failure?.text).toMatch(/"to follow" is not a company number[^]+Such keys end after 30 days/);
		expect(JSON.stringify(mailServer.mails)).not.toContain('whsec_');
		await waitFor('the executions to be forgotten', async () => {
			return (await client.executions(keeper.id)).length === 0;
		});
		expect(portfolio.watched()).toEqual(['99000001', 'SC990001']);
		await untilForgotten(surroundings, await client.runWorkflow(keeper.id, 'Every Day'));
	});
});
