// No mail is lost: what cannot be sent for now is sent again, and what is refused for good fails at once.
import { setTimeout } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { exampleWorkflow, newNode } from '../../n8n-host/exampleWorkflows';
import { errorOf } from '../../n8n-host/execution';
import type { Execution } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { TRIGGER } from '../reliability/watchers';
import { useSurroundings } from '../surroundings';
import {
	choice,
	deliverTo,
	publishExample,
	useMailServer,
	type ImportedExample,
} from './importedExample';
import { findTable } from './dataTables';
import { NEVER, type Mail } from './mailServer';

const STORES = '99000001';
const COMPANY = 'Tessellate Stores plc';
const FILING = `New Filing: ${COMPANY}`;
const OFFICER = `Officer Appointed: ${COMPANY}`;
const CHECK = 'Check Result';
const WAIT = 'Wait 15 Minutes';
const PASTED = `Name\tNumber\tE-mail\nTessellate Stores plc\t${STORES}\tjd@example.com`;
/** n8n keeps a wait of up to 65 seconds in memory only. */
const STORED_WAIT = { amount: 66, unit: 'seconds' };
const SHORT_WAIT = { amount: 1, unit: 'seconds' };

const surroundings = useSurroundings({ isWhole: true });
const mailServer = useMailServer(surroundings);

beforeEach(() => {
	mailServer.accept();
	mailServer.mails.splice(0);
});

/** Parameters of the node that decides, with another value in one place. */
function changedCheck(example: string, place: RegExp, value: string): INodeParameters {
	const check = exampleWorkflow(example).nodes.find(({ name }) => name === CHECK);
	const parts = JSON.stringify(check?.parameters).split(place);
	expect(parts).toHaveLength(2);
	return JSON.parse(parts.join(value));
}

/** So that it gives up after that many tries instead of a day's. */
const withTries = (example: string, tries: number) =>
	changedCheck(example, /(?<="rightValue":)\d+/, String(tries));

/** So that a run by hand waits as well, because a schedule takes a day. */
const waitsByHand = (example: string) => changedCheck(example, /(?<=")production(?=")/, 'test');

/** Publishes *Watch a client list*, which mails that it watches. */
async function watchList(
	wait: typeof SHORT_WAIT,
	{ isToRows = false, smtp = mailServer.smtp, tries = 96 } = {},
): Promise<ImportedExample> {
	const example = await publishExample(surroundings, 'watch-portfolio', {
		smtp,
		filledIn: {
			[TRIGGER]: { companyNumbers: PASTED },
			[WAIT]: wait,
			[CHECK]: withTries('watch-portfolio', tries),
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
	expect(runsOf(execution, 'Send Email')).toBe(2);
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

// n8n then counts the items of a failed node as its results.
it('fails at once where the mail node cannot run', async () => {
	const { client } = surroundings;
	const data = mailServer.credential;
	const smtp = await client.createCredential({ name: 'Deleted later', type: 'smtp', data });
	const example = await watchList(STORED_WAIT, { smtp });
	await client.request('DELETE', `/credentials/${smtp.id}`);
	const id = await deliver(example, ['filing.new']);

	const execution = await client.waitForExecution(id, { timeoutMs: 30_000 });
	expect(execution.status).toBe('error');
	expect(execution.data.resultData.lastNodeExecuted).toBe('Email Office');
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

describe('mail-when-something-fails', () => {
	const NAME = 'mail-when-something-fails';
	const PATH = 'fails-when-called';
	const ERROR = 'Other work: Broken';
	let alert: string;

	beforeAll(async () => {
		const { client } = surroundings;
		const filledIn = { [WAIT]: SHORT_WAIT, [CHECK]: withTries(NAME, 1) };
		const choices = { smtp: mailServer.smtp, filledIn };
		alert = (await publishExample(surroundings, NAME, choices)).workflow.id;
		await client.createPublished({
			name: 'Other work',
			nodes: [
				newNode('n8n-nodes-base.webhook', 'Webhook', { path: PATH }),
				newNode('n8n-nodes-base.stopAndError', 'Fail', { errorMessage: 'Broken' }, 200),
			],
			connections: { Webhook: { main: [[{ node: 'Fail', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1', errorWorkflow: alert },
		});
	});

	/** Has the other workflow fail. Answers the execution of the error workflow. */
	async function alertOf(meanwhile = async () => {}): Promise<Execution> {
		const { client, host } = surroundings;
		const before = await client.executions(alert);
		await fetch(`${host.url}/webhook/${PATH}`);
		await meanwhile();
		return await client.waitForNextExecution(alert, before);
	}

	it('sends its mail again', async () => {
		const { refused, mails } = mailServer;
		const known = refused.length;
		mailServer.refuse();
		const execution = await alertOf(async () => {
			await waitFor('a refusal', () => refused.length > known);
			mailServer.accept();
		});

		expect(errorOf(execution)).toBeUndefined();
		expect(mails.map(({ subject }) => subject)).toContain(ERROR);
	});

	it.each([
		['refused for good', NEVER, 0],
		['refused for all its tries', true, 1],
	])('fails when its mail is %s', async (_why, code, waits) => {
		mailServer.refuse(({ subject }) => subject === ERROR && code);
		const execution = await alertOf();

		expect(errorOf(execution)).toMatch(/The mailbox is full/);
		expect(runsOf(execution, WAIT)).toBe(waits);
	});
});

it('daily-digest sends the digest of an address again, and marks events only once they are sent', async () => {
	const { client } = surroundings;
	const { mails, refused, smtp } = mailServer;
	const field = choice('send to the addresses in my list');
	const filledIn = {
		[TRIGGER]: { companyNumbers: `${PASTED}\nGlen Orrin Ltd\tSC993456\t` },
		[WAIT]: SHORT_WAIT,
		[CHECK]: waitsByHand('daily-digest'),
		'Digest to Each Address': field,
	};
	const digest = await publishExample(surroundings, 'daily-digest', { smtp, filledIn });
	await waitFor('the report', () => mails.length > 0);
	mails.splice(0);
	for (const company of [STORES, 'SC993456'])
		await deliverTo(surroundings, digest, company, { event: 'filing.new' });
	const table = await findTable(client, `Company Registry Events ${digest.workflow.id}`);
	const sentTo = async () => {
		const rows = await table.rows();
		return rows.filter(({ sent_at }) => sent_at).map(({ send_to }) => send_to);
	};
	// The digest leaves the last two seconds to the next one.
	await setTimeout(2_100);

	const known = refused.length;
	mailServer.refuse(({ to }) => to.includes('jd@example.com'));
	const id = await client.runWorkflow(digest.workflow.id, 'Every Morning');
	await waitFor('two refusals', () => refused.length >= known + 2);
	expect(await sentTo()).toEqual(['']);
	mailServer.accept();
	expect(errorOf(await client.waitForExecution(id))).toBeUndefined();

	expect(await sentTo()).toEqual(['jd@example.com', '']);
	expect(mails.map(({ to, subject }) => [to.join(), subject])).toEqual([
		['team@example.com', 'Companies: 1 event'],
		['jd@example.com', 'Companies: 1 event'],
	]);
});
