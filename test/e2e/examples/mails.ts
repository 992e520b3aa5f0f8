// No mail is lost: what cannot be sent for now is sent again, and what is refused for good fails at once. The other
// examples with mails have the same nodes for it: test/unit/project/examples.test.ts.
import type { INodeParameters } from 'n8n-workflow';

import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import { errorOf } from '../../n8n-host/execution';
import type { Execution } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { TRIGGER } from '../reliability/watchers';
import {
	choice,
	mailServer,
	publishExample,
	surroundings,
	type ImportedExample,
} from './importedExample';
import { NEVER, type Mail } from './mailServer';

const STORES = '99000001';
const COMPANY = 'Tessellate Stores plc';
const FILING = `New Filing: ${COMPANY}`;
const OFFICER = `Officer Appointed: ${COMPANY}`;
const EXAMPLE = 'watch-portfolio';
const CHECK = 'Check Result';
const WAIT = 'Wait 15 Minutes';
const PASTED = `Name\tNumber\tE-mail\nTessellate Stores plc\t${STORES}\tjd@example.com`;
/** n8n keeps a wait of up to 65 seconds in memory only. */
const STORED_WAIT = { amount: 66, unit: 'seconds' };
const SHORT_WAIT = { amount: 1, unit: 'seconds' };

beforeEach(() => {
	mailServer.accept();
	mailServer.mails.splice(0);
});

/** Parameters of the node that decides, which gives up after that many tries instead of a day's. */
function checkWithTries(tries: number): INodeParameters {
	const { nodes } = exampleWorkflow(EXAMPLE);
	const parts = JSON.stringify(nodes.find(({ name }) => name === CHECK)?.parameters).split(
		/(?<="rightValue":)\d+/,
	);
	expect(parts).toHaveLength(2);
	return JSON.parse(parts.join(String(tries)));
}

/** Publishes *Watch a client list*, which mails that it watches. */
async function watchList(
	wait: typeof SHORT_WAIT,
	{ isToRows = false, tries = 96 } = {},
): Promise<ImportedExample> {
	const example = await publishExample(EXAMPLE, {
		smtp: mailServer.smtp,
		filledIn: {
			[TRIGGER]: { companyNumbers: PASTED },
			[WAIT]: wait,
			[CHECK]: checkWithTries(tries),
			'Send to List Addresses': choice('send to the addresses in my list', isToRows),
		},
	});
	const isReport = ({ subject }: Mail) => subject === '1 company is watched';
	await waitFor('the report', () => mailServer.mails.some(isReport));
	mailServer.mails.splice(0);
	return example;
}

/** Delivers these events in one request. Answers the id of the execution that this starts. */
async function deliver({ workflow, webhooks }: ImportedExample, events: string[]): Promise<string> {
	const { client, simulator, ca } = surroundings;
	const before = new Set((await client.executions(workflow.id)).map(({ id }) => id));
	const payload = events.map((event) => ({ event }));
	expect(await simulator.deliver(webhooks()[0].id, { ca, payload })).toMatchObject({ status: 200 });
	return await waitFor('the execution', async () => {
		const executions = await client.executions(workflow.id);
		return executions.find(({ id }) => !before.has(id))?.id;
	});
}

async function untilItWaits(id: string): Promise<void> {
	const { client } = surroundings;
	await waitFor('the wait', async () => (await client.execution(id)).status === 'waiting');
}

/** Mails of events, in order of arrival: a report may come at any time. */
const mailed = () => mailServer.mails.filter(({ subject }) => subject.endsWith(COMPANY));
const subjects = () =>
	mailed()
		.map(({ subject }) => subject)
		.sort();
const recipients = () => mailed().map(({ to }) => to.join());
const runsOf = ({ data }: Execution, name: string) => data.resultData.runData[name]?.length ?? 0;

it('sends two events again after the mail server was down and n8n was restarted', async () => {
	const { client, host } = surroundings;
	const example = await watchList(STORED_WAIT);
	await mailServer.stop();
	const id = await deliver(example, ['filing.new', 'officer.appointed']);
	await untilItWaits(id);

	await host.restart();
	await client.login();
	expect((await client.execution(id)).status).toBe('waiting');
	await mailServer.start();

	const execution = await client.waitForExecution(id);
	expect(errorOf(execution)).toBeUndefined();
	expect(subjects()).toEqual([FILING, OFFICER]);
	expect(recipients()).toEqual(['team@example.com', 'team@example.com']);
	// On a slow machine, it may have been due again before the mail server was back.
	expect(runsOf(execution, 'Send Email')).toBeGreaterThanOrEqual(2);
});

it('sends only the mail again that the mail server refused for now, to the address in its row', async () => {
	const { client } = surroundings;
	const example = await watchList(SHORT_WAIT, { isToRows: true });
	mailServer.refuse(({ subject }) => subject === OFFICER);
	const known = mailServer.refused.length;
	const id = await deliver(example, ['filing.new', 'officer.appointed']);
	await waitFor('two refusals', () => mailServer.refused.length >= known + 2);
	mailServer.accept();

	expect(errorOf(await client.waitForExecution(id))).toBeUndefined();
	expect(subjects()).toEqual([FILING, OFFICER]);
	expect(recipients()).toEqual(['jd@example.com', 'jd@example.com']);
});

it('fails at once when a mail is refused for good, and a retry of the execution sends it', async () => {
	const { client } = surroundings;
	const example = await watchList(STORED_WAIT);
	mailServer.refuse(() => NEVER);
	const id = await deliver(example, ['filing.new']);

	const execution = await client.waitForExecution(id, { timeoutMs: 30_000 });
	expect(execution.status).toBe('error');
	expect(execution.data.resultData.lastNodeExecuted).toBe('Email Office');
	expect(JSON.stringify(execution.data.resultData.error)).toContain('The mailbox is full');
	expect(runsOf(execution, WAIT)).toBe(0);

	mailServer.accept();
	await client.request('POST', `/executions/${id}/retry`, { loadWorkflow: false });
	expect(subjects()).toEqual([FILING]);
	expect(mailed()[0].text).toMatch(/^This email could not be sent at first: .*: 550 /);
});

it('sends late mails first, then tells the office which address in the list was refused for good', async () => {
	const { client } = surroundings;
	const { refused } = mailServer;
	const example = await watchList(SHORT_WAIT, { isToRows: true });
	const known = refused.length;
	mailServer.refuse(({ subject }) => (subject === FILING ? NEVER : true));
	const id = await deliver(example, ['filing.new', 'officer.appointed']);
	await waitFor('two refusals', () => refused.length >= known + 2);
	mailServer.accept();

	expect(errorOf(await client.waitForExecution(id))).toBeUndefined();
	const [late, office, ...others] = mailed();
	expect(others).toEqual([]);
	expect(late).toMatchObject({ subject: OFFICER, to: ['jd@example.com'] });
	expect(office).toMatchObject({ subject: FILING, to: ['team@example.com'] });
	expect(office.text).toMatch(/^This email could not be sent to jd@example.com: .*: 550 /);
});

it('fails after a day of tries', async () => {
	const { client } = surroundings;
	const example = await watchList(SHORT_WAIT, { tries: 2 });
	mailServer.refuse();
	const execution = await client.waitForExecution(await deliver(example, ['filing.new']));

	expect(execution.status).toBe('error');
	expect(execution.data.resultData.lastNodeExecuted).toBe('Email Office');
	expect([runsOf(execution, 'Send Email'), runsOf(execution, WAIT)]).toEqual([3, 2]);
});

it('fails at once in a run by hand', async () => {
	const { client } = surroundings;
	const example = await watchList(STORED_WAIT);
	const event = { event: 'filing.new', webhook_id: 'wh_1', list_email: null, subject: FILING };
	const pinData = { [TRIGGER]: [{ json: { ...event, text: 'Filed' } }] };
	await client.updateWorkflow(example.workflow.id, { pinData });
	mailServer.refuse();

	expect(errorOf(await client.runToEnd(example.workflow.id, TRIGGER))).toMatch(/mailbox is full/);
	mailServer.accept();
	expect(errorOf(await client.runToEnd(example.workflow.id, TRIGGER))).toBeUndefined();
	expect(subjects()).toEqual([FILING]);
});
