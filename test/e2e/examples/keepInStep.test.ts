// The example keep-portfolio-in-step, from its import to the changed webhooks at the service and the mail.
// Takes long because most tests publish twice.
import _ from 'lodash';

import { withParameters } from '../../n8n-host/exampleWorkflows';
import { errorOf } from '../../n8n-host/execution';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { call } from '../../simulator/client';
import { useSurroundings } from '../surroundings';
import { jsonOf, useMailServer } from './importedExample';
import {
	ALL_SCOPES,
	createTable,
	importKeeper,
	n8nApiCredential,
	publishPortfolio,
	withN8nApi,
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
		const [mail] = jsonOf(await run(), 'Work Out');
		return mail && { subject: String(mail.subject), lines: linesOf(String(mail.text)) };
	};
	return { portfolio, table, keeper, run, report };
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

		const { versionId } = await client.workflow(id);
		surroundings.simulator.clearRequests();
		surroundings.simulator.differences = { withoutZeros: true };
		expect(await kept.report()).toBeUndefined();
		expect(requests()).toEqual(['GET /v1/webhooks']);
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
		expect(portfolio.watched()).toEqual(['NI990001', 'SC990001']);
	});

	it('mails each day what the service refuses until that is watched too, and restores what was paused or removed at the service', async () => {
		const { simulator } = surroundings;
		const kept = await keep(['99000001', 'NI990001'], ['99000001', 'SC990001', 'SC990002']);
		const isRefused = ({ body }: { body: unknown }) => _.get(body, 'company_number') === 'SC990001';
		const action = {
			status: 422,
			body: { error: 'unknown', message: 'No such company', status: 422 },
		};
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
		const watched = ['99000001', 'SC990001', 'SC990002'];
		expect(kept.portfolio.watched()).toEqual(watched);

		const [stays, , forgotten, paused] = kept.portfolio.webhooks();
		const body = { is_active: false };
		const token = kept.portfolio.account.apiKey;
		await call(simulator, 'PATCH', `/v1/webhooks/${paused.id}`, { body, token });
		simulator.forgetWebhook(forgotten.id);
		expect(await kept.report()).toBeUndefined();
		expect(kept.portfolio.watched()).toEqual(watched);
		expect(kept.portfolio.webhooks()).toEqual(expect.arrayContaining([stays, paused]));
	});
});

describe('keep-portfolio-in-step as it is imported', () => {
	const mailServer = useMailServer(surroundings);

	it('mails by itself what it has changed, later if the mail server was down, and each failure, and no execution is kept', async () => {
		const { client } = surroundings;
		await client.login();
		const portfolio = await publishPortfolio(surroundings, ['99000001', 'NI990001']);
		const rows: Row[] = [
			['99000001', ''],
			['SC990001', 'Glen Orrin Ltd'],
		];
		const table = await createTable(surroundings, 'As imported', rows);
		const n8nApi = await n8nApiCredential(surroundings);
		const keeper = await importKeeper(surroundings, portfolio, table, n8nApi, mailServer.smtp);
		mailServer.refuse();
		const rule = { interval: [{ field: 'seconds', secondsInterval: 5 }] };
		await client.updateWorkflow(keeper.id, withParameters(keeper, 'Every Day', { rule }));
		await client.waitUntilPublished(keeper.id);
		await waitFor('a failed run', () =>
			mailServer.refused.some((subject) => /has failed/.test(subject)),
		);
		mailServer.accept();
		await waitFor('the report', () =>
			mailServer.mails.some(({ text }) => text.includes('SC990001')),
		);

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
		expect(failure?.text).toMatch(
			/"to follow" is not a company number[^]+Such keys end after 30 days/,
		);
		expect(JSON.stringify(mailServer.mails)).not.toContain('whsec_');
		await client.runWorkflow(keeper.id, 'Every Day');
		await waitFor('the executions to be forgotten', async () => {
			return (await client.executions(keeper.id)).length === 0;
		});
		expect(portfolio.watched()).toEqual(['99000001', 'SC990001']);
	});
});
