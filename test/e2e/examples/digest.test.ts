// The examples collect-events and daily-digest: every event in exactly one mail, whatever fails in
// between.
// Takes long because n8n starts anew.
import { errorOf } from '../../n8n-host/execution';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import {
	deliverTo,
	importExample,
	publishExample,
	smtpCredential,
	untilDeliveriesAreTaken,
	type ImportedExample,
} from './importedExample';
import { startMailServer, type MailServer } from './mailServer';

jest.setTimeout(E2E_TIMEOUT_MS);

const REGISTER = 'https://find-and-update.company-information.service.gov.uk/company';
const PASTED = 'Name\tNumber\nTessellate Stores plc\t99000001\nGlen Orrin Ltd\tSC993456';

let surroundings: Surroundings;
let mailServer: MailServer;
let collector: ImportedExample;
let digest: ImportedExample;

beforeAll(async () => {
	mailServer = await startMailServer();
	surroundings = await startSurroundings({ isWhole: true });
	const smtp = await smtpCredential(surroundings, mailServer);
	digest = await importExample(surroundings, 'daily-digest', { smtp });
	const filledIn = { 'Company Registry Trigger': { companyNumbers: PASTED } };
	collector = await publishExample(surroundings, 'collect-events', { filledIn });
});

afterAll(async () => {
	await surroundings?.stop();
	await mailServer?.close();
});

beforeEach(() => mailServer.mails.splice(0));

/** Has the company file something of that kind. */
async function file(company: string, kind: string): Promise<void> {
	const payload = { type: 'filing.new', kind };
	const execution = await deliverTo(surroundings, collector, company, { payload });
	expect(errorOf(execution)).toBeUndefined();
}

/** Runs the digest, waits for its end, and answers what went wrong. */
async function run(): Promise<string | undefined> {
	const { client } = surroundings;
	const id = await client.runWorkflow(digest.workflow.id, 'Every Morning');
	return errorOf(await client.waitForExecution(id));
}

/** What was filed, by mail. */
const mailed = () => mailServer.mails.map(({ text }) => text.match(/(?<="kind":")\w+/g));

it('sends nothing before the first event', async () => {
	expect(await run()).toBeUndefined();
	expect(mailServer.mails).toEqual([]);
});

it('sends the events of a day in one mail, company by company, and once', async () => {
	await file('99000001', 'accounts');
	await file('SC993456', 'charge');
	await file('99000001', 'statement');

	expect(await run()).toBeUndefined();
	expect(await run()).toBeUndefined();

	expect(mailServer.mails).toHaveLength(1);
	const [{ subject, text }] = mailServer.mails;
	expect(subject).toBe('Companies: 3 events at 2 companies');
	const lines = text.replace(/\r/g, '').replace(/\d+ \w+ \d{4}, \d\d:\d\d/g, 'TIME');
	expect(lines.trim().split('\n')).toEqual([
		'3 events at 2 companies. Times are UK times; below each stands what the registry service sent.',
		'',
		'Tessellate Stores plc (99000001)',
		`${REGISTER}/99000001`,
		'- New Filing, TIME',
		'  {"type":"filing.new","kind":"accounts"}',
		'- New Filing, TIME',
		'  {"type":"filing.new","kind":"statement"}',
		'',
		'Glen Orrin Ltd (SC993456)',
		`${REGISTER}/SC993456`,
		'- New Filing, TIME',
		'  {"type":"filing.new","kind":"charge"}',
	]);
});

it('sends with the next mail what the mail server refused', async () => {
	await file('99000001', 'refused');
	mailServer.refuse();
	expect(await run()).toMatch(/mailbox is full/);
	mailServer.accept();
	await file('99000001', 'later');

	expect(await run()).toBeUndefined();
	expect(await run()).toBeUndefined();

	expect(mailed()).toEqual([['refused', 'later']]);
});

it('leaves what comes while the mail is on its way to the next one', async () => {
	const { client } = surroundings;
	await file('99000001', 'early');
	mailServer.hold();
	const id = await client.runWorkflow(digest.workflow.id, 'Every Morning');
	await mailServer.next(1, 0);
	await file('99000001', 'meanwhile');
	mailServer.accept();
	expect(errorOf(await client.waitForExecution(id))).toBeUndefined();

	expect(await run()).toBeUndefined();

	expect(mailed()).toEqual([['early'], ['meanwhile']]);
});

it('loses nothing when n8n is killed between mail and table: one mail comes twice', async () => {
	const { client, host } = surroundings;
	await file('99000001', 'before');
	mailServer.hold();
	await client.runWorkflow(digest.workflow.id, 'Every Morning');
	await mailServer.next(1, 0);
	await host.kill();
	mailServer.accept();
	await host.restart();
	await untilDeliveriesAreTaken(surroundings, collector);
	await file('99000001', 'after');

	expect(await run()).toBeUndefined();
	expect(await run()).toBeUndefined();

	expect(mailed()).toEqual([['before'], ['before', 'after']]);
});

it('sends a busy day in one mail, and forgets what was sent long ago', async () => {
	const { session } = surroundings.client;
	const { data } = await session.request<{ data: Array<{ id: string; projectId: string }> }>(
		'GET',
		'/data-tables-global',
	);
	const [{ id, projectId }] = data;
	const rows = `/projects/${projectId}/data-tables/${id}`;
	const events = Array.from({ length: 300 }, (_, index) => ({
		company_number: String(99_000_100 + (index % 100)),
		received_at: new Date().toISOString(),
		payload: `{"kind":"event${index}"}`,
		sent_at: null as string | null,
	}));
	const old = { ...events[0], payload: 'old', sent_at: '2026-01-01T08:00:00.000Z' };
	const body = { data: [old, ...events], returnType: 'count' };
	await session.request('POST', `${rows}/insert`, body);

	expect(await run()).toBeUndefined();
	expect(await run()).toBeUndefined();

	expect(mailServer.mails).toMatchObject([{ subject: 'Companies: 300 events at 100 companies' }]);
	expect(mailed()[0]?.sort()).toEqual(events.map((_, index) => `event${index}`).sort());
	const left = await session.request<{ data: Array<{ payload: string; sent_at: string }> }>(
		'GET',
		`${rows}/rows?take=250&sortBy=id:asc`,
	);
	expect(left.data.filter(({ payload, sent_at }) => payload === 'old' || !sent_at)).toEqual([]);
});

it('runs by itself once it is published', async () => {
	const { client } = surroundings;
	await file('SC993456', 'published');
	const rule = { interval: [{ field: 'seconds', secondsInterval: 2 }] };
	const nodes = digest.workflow.nodes.map((node) =>
		node.name === 'Every Morning' ? { ...node, parameters: { rule } } : node,
	);
	await client.updateWorkflow(digest.workflow.id, { nodes });
	await client.waitUntilPublished(digest.workflow.id);
	await mailServer.next(1, 0);
	await client.waitUntilUnpublished(digest.workflow.id);

	expect(mailed()).toEqual([['published']]);
});
