// daily-digest: each event in exactly one mail, also after a mail that was refused.
import { setTimeout } from 'node:timers/promises';

import { withParameters } from '../../n8n-host/exampleWorkflows';
import { errorOf } from '../../n8n-host/execution';
import { TRIGGER } from '../reliability/watchers';
import {
	choice,
	deliverTo,
	mailServer,
	publishExample,
	surroundings,
	type ImportedExample,
} from './importedExample';
import { findTable } from './dataTables';

const REGISTER = 'https://find-and-update.company-information.service.gov.uk/company';
const PASTED = [
	'Name\tNumber\tPartner e-mail',
	'Tessellate Stores plc\t99000001\tjd@example.com',
	'Glen Orrin Ltd\tSC993456\t',
].join('\n');
const CHOICE = 'Digest to Each Address';

let digest: ImportedExample;

beforeAll(async () => {
	const { smtp } = mailServer;
	const filledIn = { [TRIGGER]: { companyNumbers: PASTED } };
	const arriving = mailServer.next();
	digest = await publishExample('daily-digest', { smtp, filledIn });
	expect(await arriving).toMatchObject([
		{ subject: '2 companies are watched', to: ['team@example.com'] },
	]);
});

beforeEach(() => mailServer.mails.splice(0));

/** When the last event went into the table. The digest leaves the last two seconds to the next run. */
let lastEvent = 0;

/** Has the company file something of that kind. */
async function file(company: string, kind: string): Promise<void> {
	const payload = { type: 'filing.new', kind };
	const execution = await deliverTo(digest, company, { payload });
	lastEvent = Date.now();
	expect(errorOf(execution)).toBeUndefined();
}

/** Runs the digest to its end and returns the error, if any. */
async function run(): Promise<string | undefined> {
	const { client } = surroundings;
	await setTimeout(Math.max(0, lastEvent + 2100 - Date.now()));
	return errorOf(await client.runToEnd(digest.workflow.id, 'Every Morning'));
}

/** Without those of quiet days. */
const digests = () =>
	mailServer.mails.filter(({ subject }) => !subject.startsWith('Companies: no events'));

/** What was filed, by mail. */
const mailed = () => digests().map(({ text }) => text.match(/(?<=Kind: )\w+/g));

/** The table of this workflow, because another one may watch another list. */
const table = async () =>
	await findTable(surroundings.client, `Company Registry Events ${digest.workflow.id}`);

it('reports on a quiet day how many companies are watched, or why the number is unknown', async () => {
	expect(await run()).toBeUndefined();
	surroundings.simulator.fault({ path: /webhooks/, action: { status: 403 } });
	expect(await run()).toBeUndefined();

	expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
		'Companies: no events',
		'Companies: no events; the number watched is unknown',
	]);
	const [counted, fault] = mailServer.mails.map(({ text }) => text);
	expect(counted.trim()).toBe('Companies with an active webhook: 2');
	expect(fault).toMatch(/^The number of webhooks is unknown: The account is not allowed/);
});

it('sends the events of a day in one mail, company by company, and once', async () => {
	await file('99000001', 'accounts');
	await file('SC993456', 'charge');
	await file('99000001', 'statement');

	expect(await run()).toBeUndefined();
	expect(await run()).toBeUndefined();

	expect(digests()).toHaveLength(1);
	const [{ subject, text }] = digests();
	expect(subject).toBe('Companies: 3 events');
	const [head, ...events] = text.replace(/\r/g, '').split('\n----------\n');
	expect(head.trim().split(/\n+/)).toEqual([
		'Companies with an active webhook: 2',
		'- New Filing: Tessellate Stores plc',
		'- New Filing: Tessellate Stores plc',
		'- New Filing: Glen Orrin Ltd',
	]);
	expect(events.map((event) => /Kind: (\w+)/.exec(event)?.[1])).toEqual([
		'accounts',
		'statement',
		'charge',
	]);
	for (const [index, number] of ['99000001', '99000001', 'SC993456'].entries())
		expect(events[index]).toContain(`${REGISTER}/${number}`);
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

it('splits a mail of more than 1 MB, and deletes events sent long ago', async () => {
	const { insert, rows } = await table();
	const events = Array.from({ length: 300 }, (_, index) => ({
		company_number: index < 200 ? '99000001' : 'SC993456',
		subject: 'New Filing',
		text: `Kind: event${index}\n${'ü'.repeat(5000)}`,
		send_to: '',
	}));
	await insert([{ ...events[0], text: 'old', sent_at: '2026-01-01T08:00:00.000Z' }, ...events]);
	lastEvent = Date.now();

	expect(await run()).toBeUndefined();
	expect(await run()).toBeUndefined();

	const mails = digests();
	expect(mails.length).toBeGreaterThan(3);
	expect(mails.map(({ subject }) => subject)).toEqual(
		mails.map((_, index) => `Companies: 300 events (${index + 1} of ${mails.length})`),
	);
	expect(mailed().flat()).toEqual(events.map((_, index) => `event${index}`));
	for (const { text } of mails) {
		expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
	}
	expect((await rows()).filter(({ text, sent_at }) => text === 'old' || !sent_at)).toEqual([]);
});

describe('with the addresses in the list', () => {
	beforeAll(async () => {
		const { client } = surroundings;
		const { id } = digest.workflow;
		const chosen = choice('send to the addresses in my list');
		await client.publishChanges(id, withParameters(await client.workflow(id), CHOICE, chosen));
	});

	const sent = () =>
		mailServer.mails.map(({ to, subject, text }) => [
			to.join(),
			subject,
			text.match(/(?<=Kind: )\w+/g),
		]);

	it('sends each address its own events, and the others with a summary to the office', async () => {
		await file('99000001', 'accounts');
		await file('SC993456', 'charge');
		await file('99000001', 'statement');

		expect(await run()).toBeUndefined();

		expect(sent()).toEqual([
			['team@example.com', 'Companies: 1 event', ['charge']],
			['jd@example.com', 'Companies: 2 events', ['accounts', 'statement']],
		]);
		const [office, partner] = mailServer.mails.map(({ text }) => text.replace(/\r/g, ''));
		expect(office).toMatch(
			/^Companies with an active webhook: 2\nSent to jd@example.com: 2 events\n\n- New Filing/,
		);
		expect(partner).toMatch(/^- New Filing: Tessellate Stores plc\n- New Filing.+\n\n-{10}\n/);

		await file('99000001', 'later');
		expect(await run()).toBeUndefined();
		expect(sent().slice(2)).toEqual([
			['team@example.com', 'Companies: 1 event sent to others', null],
			['jd@example.com', 'Companies: 1 event', ['later']],
		]);
	});
});
