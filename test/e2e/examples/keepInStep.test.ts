// The example keep-portfolio-in-step, from its import to the changed webhooks at the service and the mail.
// Takes long because most tests publish twice.
import { randomUUID } from 'node:crypto';

import _ from 'lodash';

import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import { errorOf } from '../../n8n-host/execution';
import type { WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { call } from '../../simulator/client';
import { useSurroundings } from '../surroundings';
import { jsonOf, useMailServer, withSecretsInRuns } from './importedExample';
import {
	ALL_SCOPES,
	createTable,
	importKeeper,
	n8nApiCredential,
	publishPortfolio,
	withN8nApi,
	type Portfolio,
	type Row,
} from './portfolio';

const NAME = 'Watch a portfolio from a spreadsheet';

const surroundings = useSurroundings({ isWhole: true });
let tables = 0;

afterEach(() => {
	surroundings.simulator.clearFaults();
	surroundings.simulator.differences = {};
});

/** A published portfolio, a table, and the example between them, which sends no mail. */
async function keep(numbers: string[], rows: Row[], scopes = ALL_SCOPES) {
	const portfolio = await publishPortfolio(surroundings, numbers);
	const table = await createTable(surroundings, `Portfolio ${++tables}`, rows);
	const n8nApi = await n8nApiCredential(surroundings, scopes);
	const keeper = await importKeeper(surroundings, portfolio, table, n8nApi);
	surroundings.simulator.clearRequests();
	const run = async () => await surroundings.client.runToEnd(keeper.id, 'Every Day');
	/** The mail that a run would send; undefined where it would send none. */
	const report = async () => {
		const [mail] = jsonOf(await run(), 'Send Email');
		return mail && { subject: String(mail.subject), lines: linesOf(String(mail.text)) };
	};
	/** n8n publishes by and by. */
	const untilWatched = async (...companies: string[]) =>
		await waitFor(`${companies.join()} to be watched`, () =>
			_.isEqual(portfolio.watched(), companies),
		);
	return { portfolio, table, keeper, run, report, untilWatched };
}

/** As somebody does at the service. */
async function change(
	{ webhooks, account }: Portfolio,
	companyNumber: string,
	body: object,
): Promise<void> {
	const webhook = webhooks().find(({ company_number }) => company_number === companyNumber);
	const request = { body, token: account.apiKey };
	await call(surroundings.simulator, 'PATCH', `/v1/webhooks/${webhook?.id}`, request);
}

const linesOf = (text: string) => text.split(/\r?\n/).filter(Boolean);

const requests = () =>
	surroundings.simulator.requests.map(
		({ method, path }) => `${method} ${path.replace(/wh_.+/, 'id')}`,
	);

describe('keep-portfolio-in-step', () => {
	it('brings the table to the service: what is new is watched, what is gone is paused, all else of the portfolio stays, and a run without a difference publishes and mails nothing', async () => {
		const { client } = surroundings;
		const kept = await keep(
			['99000001', 'NI990001', '00445790'],
			[
				['99000001', ''],
				[' sc 99001', 'New Ltd'],
				['SC099001', ''],
				['="00445790"', ''],
			],
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

		await kept.untilWatched('00445790', '99000001', 'SC099001');
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

		const { versionId } = await client.workflow(id);
		surroundings.simulator.clearRequests();
		surroundings.simulator.differences = { withoutZeros: true };
		expect(await kept.report()).toBeUndefined();
		expect(_.uniq(requests())).toEqual(['GET /v1/webhooks']);
		expect((await client.workflow(id)).versionId).toBe(versionId);
	});

	it('says that the n8n API key may not publish, and a run with one that may publishes the list that was only saved', async () => {
		const mayNotPublish = ALL_SCOPES.filter((scope) => scope !== 'activate');
		const kept = await keep(['99000001', 'NI990001'], ['NI990001', 'SC990001'], mayNotPublish);
		const { portfolio, keeper, run } = kept;

		expect(errorOf(await run())).toMatch(/forbidden/i);
		expect(portfolio.watched()).toEqual(['99000001', 'NI990001']);
		expect(await portfolio.publishedNumbers()).toEqual(['99000001', 'NI990001']);

		const nodes = withN8nApi(keeper.nodes, await n8nApiCredential(surroundings));
		await surroundings.client.updateWorkflow(keeper.id, { nodes });
		expect(await kept.report()).toMatchObject({
			subject: `${NAME}: 1 added, 1 removed, 0 not watched`,
		});
		await kept.untilWatched('NI990001', 'SC990001');
	});

	it('mails what it finds refused or paused, and which rows have no number, and leaves it to the trigger', async () => {
		const { simulator } = surroundings;
		const rows: Row[] = ['99000001', 'SC990001', 'SC990002', ['sole trader', 'Jo Bloggs']];
		const kept = await keep(['99000001', 'NI990001'], rows);
		const isRefused = ({ body }: { body: unknown }) => _.get(body, 'company_number') === 'SC990001';
		const action = {
			status: 422,
			body: { error: 'unknown', message: 'No such company', status: 422 },
		};
		simulator.fault({ method: 'POST', path: /webhooks/, when: isRefused, times: Infinity, action });
		const leftOut = [
			'Left out, because they have no company number:',
			'- Jo Bloggs, row 5: "sole trader" is not a company number',
		];

		expect(await kept.report()).toMatchObject({
			subject: `${NAME}: 2 added, 1 removed, 0 not watched`,
			lines: [
				...leftOut,
				'Added to the list:',
				'- SC990001',
				'- SC990002',
				'Taken out of the list:',
				'- NI990001',
				'Unchanged: 1',
			],
		});
		await kept.untilWatched('99000001', 'SC990002');

		await change(kept.portfolio, '99000001', { is_active: false });
		await change(kept.portfolio, 'SC990002', { events: ['psc.added'] });
		const { versionId } = await surroundings.client.workflow(kept.portfolio.workflow.id);
		expect(await kept.report()).toEqual({
			subject: `${NAME}: 0 added, 0 removed, 3 not watched`,
			lines: [
				'Found not watched (the trigger of the portfolio sets them up again by itself):',
				'- SC990001, not watched, not seen watched before',
				'- 99000001, paused, not seen watched before',
				'- SC990002, half set up, without filing.new, not seen watched before',
				...leftOut,
				'Unchanged: 3',
			],
		});
		const after = await surroundings.client.workflow(kept.portfolio.workflow.id);
		expect(after.versionId).toBe(versionId);
	});
});

it('its runs would hold signing secrets if n8n stored them', async () => {
	const { keeper, run } = await keep(['99000001'], ['99000001']);
	await run();
	expect(await withSecretsInRuns(surroundings)).toContain(keeper.id);
});

describe('keep-portfolio-in-step as it is imported', () => {
	const mailServer = useMailServer(surroundings);

	/** A portfolio of two companies, a table of others, and the example as a person fills it in. */
	async function imported(settings?: WorkflowFile['settings']) {
		await surroundings.client.login();
		const portfolio = await publishPortfolio(surroundings, ['99000001', 'NI990001']);
		const rows: Row[] = [
			['99000001', ''],
			['SC990001', 'Glen Orrin Ltd'],
		];
		const table = await createTable(surroundings, `As imported ${++tables}`, rows);
		const n8nApi = await n8nApiCredential(surroundings);
		const { smtp } = mailServer;
		const keeper = await importKeeper(surroundings, portfolio, table, n8nApi, smtp, settings);
		return { portfolio, table, keeper };
	}

	// n8n's editor leaves the settings of a file out.
	it.each<[string, WorkflowFile['settings']]>([
		['no settings', { executionOrder: 'v1' }],
		['manual runs kept', { saveManualExecutions: true }],
		['progress kept', { saveExecutionProgress: true }],
		['what failed kept', { saveDataErrorExecution: 'all' }],
	])('reads nothing secret with %s', async (_what, changes = {}) => {
		const { client } = surroundings;
		const { settings } = exampleWorkflow('keep-portfolio-in-step');
		const isBare = Object.keys(changes)[0] === 'executionOrder';
		const { keeper, portfolio } = await imported(isBare ? changes : { ...settings, ...changes });
		const id = await client.runWorkflow(keeper.id, 'Every Day');
		const mayBeStored = isBare || changes.saveManualExecutions === true;
		if (mayBeStored) {
			const error = errorOf(await client.waitForExecution(id));
			expect(error).toMatch(/^No secret was read and nothing was changed.+Save manual executions/);
			// Only what is left to set is named.
			expect(error?.includes('Save failed production executions')).toBe(isBare);
			expect(await client.executions(keeper.id)).toHaveLength(1);
		} else {
			await waitFor('its end', async () => (await client.executions(keeper.id)).length === 0);
		}
		expect(await portfolio.publishedNumbers()).toEqual(['99000001', 'NI990001']);
		expect(await withSecretsInRuns(surroundings)).not.toContain(keeper.id);
	});

	it('mails by itself what it has changed, later if the mail server was down; once what it found paused or unreadable; and each failure; and no execution is kept', async () => {
		const { client, host, simulator } = surroundings;
		const { portfolio, table, keeper } = await imported();
		mailServer.refuse();
		// A call in place of the clock, so that no two runs go on at once, as with one a day: n8n saves what each
		// remembers as a whole.
		const path = randomUUID();
		const called = { type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path };
		const parameters = { path, httpMethod: 'POST', responseMode: 'lastNode' };
		const nodes = keeper.nodes.map((node) =>
			node.name === 'Every Day' ? { ...node, ...called, parameters } : node,
		);
		await client.updateWorkflow(keeper.id, { nodes });
		await client.waitUntilPublished(keeper.id);
		/** To its end. */
		const run = async () => {
			const headers = { connection: 'close' };
			await (await fetch(`${host.url}/webhook/${path}`, { method: 'POST', headers })).text();
		};
		await run();
		await waitFor('a failed run', () =>
			mailServer.refused.some((subject) => /has failed/.test(subject)),
		);
		mailServer.accept();
		await run();
		const mailsWith = (text: string) => mailServer.mails.filter((mail) => mail.text.includes(text));
		await waitFor('the report', () => mailsWith('SC990001').length > 0);
		await waitFor('the new list', () => _.isEqual(portfolio.watched(), ['99000001', 'SC990001']));

		// This one sees it watched.
		await run();
		await change(portfolio, '99000001', { is_active: false });
		await run();
		await run();
		await waitFor('what is paused', () => mailsWith('99000001, paused').length > 0);
		await table.append([['to follow', 'Nobody']]);
		await run();
		await waitFor('what is left out', () => mailsWith('row 4').length > 0);
		simulator.fault({ path: /webhooks/, times: Infinity, action: { status: 403 } });
		await run();
		await waitFor('the failure', () => mailsWith('not allowed').length > 0);
		await client.waitUntilUnpublished(keeper.id);

		const reports = mailServer.mails.filter(({ subject }) => /removed/.test(subject));
		const lines = reports.map(({ text }) =>
			linesOf(text).map((line) => line.replace(/\d+ \w+ \d{4}, \d\d:\d\d/, 'TIME')),
		);
		expect(lines).toEqual([
			[
				'Added to the list:',
				'- SC990001, Glen Orrin Ltd',
				'Taken out of the list:',
				'- NI990001',
				expect.stringMatching(/^Unchanged: [12]$/),
			],
			[
				'Found not watched (the trigger of the portfolio sets them up again by itself):',
				'- 99000001, paused, last seen watched TIME',
				'Unchanged: 2',
			],
			[
				'Left out, because they have no company number:',
				'- Nobody, row 4: "to follow" is not a company number',
				'Unchanged: 2',
			],
		]);
		const [failure] = mailsWith('not allowed');
		expect(failure.subject).toBe('Keep a portfolio in step with a table: a run has failed');
		expect(failure.text).toMatch(/Such keys end after 30 days/);
		expect(JSON.stringify(mailServer.mails)).not.toContain('whsec_');
		simulator.clearFaults();
		await client.updateWorkflow(keeper.id, { nodes: keeper.nodes });
		await client.runWorkflow(keeper.id, 'Every Day');
		await waitFor('the executions to be forgotten', async () => {
			return (await client.executions(keeper.id)).length === 0;
		});
	});
});
