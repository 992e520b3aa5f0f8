// The examples that begin with the registry trigger, each published and sent deliveries in a real
// n8n, and what arrives at a mail server then.
import type { IDataObject } from 'n8n-workflow';

import { useSurroundings } from '../surroundings';
import { waitFor } from '../../n8n-host/waitFor';
import {
	deliverTo,
	importExample,
	jsonOf,
	picked,
	publishExample,
	useMailServer,
	withSecretsInRuns,
	type ImportedExample,
} from './importedExample';

const REGISTER = 'https://find-and-update.company-information.service.gov.uk/company';
const STORES = '99000001';
/** As the note of watch-portfolio tells. */
const TO_THE_ROW = "={{ $json.list_columns?.Email || 'team@example.com' }}";

const surroundings = useSurroundings();
const mailServer = useMailServer(surroundings);

/** The mails that one delivery brings. */
async function mailsOf(
	example: ImportedExample,
	company: string,
	delivery: Parameters<typeof deliverTo>[3],
) {
	const known = mailServer.mails.length;
	jsonOf(await deliverTo(surroundings, example, company, delivery), 'Send Email');
	return mailServer.mails.slice(known);
}

describe('watch-portfolio', () => {
	const pasted = [
		'Client code\tCompany name\tCompany number\tEmail',
		`1001\tTessellate Stores plc\t${STORES}\tjd@example.com`,
		'1002\tÉtoile & Söhne Ltd\t445790',
		'1003\t\tsc123456',
		`1004\tTessellate Stores plc\t${STORES}`,
	].join('\n');
	let example: ImportedExample;

	beforeAll(async () => {
		// Without the status of the list, whose mail comes when it comes.
		const events = ['filing.new', 'officer.appointed', 'psc.added'];
		const filledIn = {
			'Company Registry Trigger': { companyNumbers: pasted, events },
			'Send Email': { toEmail: TO_THE_ROW },
		};
		example = await publishExample(surroundings, 'watch-portfolio', {
			smtp: mailServer.smtp,
			filledIn,
		});
	});

	it('watches each company of the pasted columns once, as the register writes its number', () => {
		const watched = example.webhooks().filter(({ is_active }) => is_active);
		const numbers = watched.map(({ company_number }) => company_number);
		expect(numbers.sort()).toEqual(['00445790', STORES, 'SC123456']);
		expect(example.webhooks()).toHaveLength(3);
	});

	it('mails to the address in the row who filed what and when, with a link and what came', async () => {
		const filing = { description: 'Confirmation statement', pages: [3, null], none: {} };
		const payload = { type: 'filing.new', data: { filing, by: { name: { last: 'Ó Néill' } } } };

		const [mail, ...others] = await mailsOf(example, STORES, { payload });

		expect(others).toEqual([]);
		expect(mail).toMatchObject({
			subject: 'Tessellate Stores plc: New Filing',
			html: '',
			from: 'n8n@example.com',
			to: ['jd@example.com'],
		});
		const [, day] = /Received: (.+), \d\d:\d\d \(UK time\)/.exec(mail.text) ?? [];
		expect(Math.abs(Date.parse(`${day} 12:00Z`) - Date.now())).toBeLessThan(36 * 3600 * 1000);
		expect(
			mail.text
				.replace(/\r/g, '')
				.replace(/Received: .+/, 'Received: …')
				.trim(),
		).toBe(
			[
				'Company: Tessellate Stores plc',
				`Number: ${STORES}`,
				'Event: New Filing',
				'Received: …',
				'',
				'The company at the public register:',
				`${REGISTER}/${STORES}`,
				'',
				'What the registry service sent (at most 20 fields):',
				'type: filing.new',
				'data.filing.description: Confirmation statement',
				'data.filing.pages.0: 3',
				'data.filing.pages.1: ',
				'data.by.name.last: Ó Néill',
			].join('\n'),
		);
	});

	it('sends a mail for each event of a delivery, with the number where no name is known, twenty fields at most, and a long one in part', async () => {
		const fields = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, n]));
		const first = { type: 'company.dissolved', ...fields };
		const long = { type: 'psc.added', scan: 'x'.repeat(2_000_000) };
		const mails = await mailsOf(example, 'SC123456', { payload: [first, long, {}, null] });

		const shown = mails.map(({ subject, text, to }) => {
			const [, lines = ''] = text.replace(/\r/g, '').split('(at most 20 fields):\n');
			expect(text).toMatch(/^Company: SC123456\s+Number: SC123456\s+Event: /);
			expect(text.length).toBeLessThan(15_000);
			expect(to).toEqual(['team@example.com']);
			return [subject, lines.split('\n').filter(Boolean).length];
		});
		expect(shown).toEqual([
			['SC123456: company.dissolved', 20],
			['SC123456: PSC Added', 2],
			['SC123456: New event', 0],
			['SC123456: New event', 0],
		]);
	});

	it('tries again while the mail server refuses one of two mails: the other comes again, none is lost', async () => {
		mailServer.refuse('Officer Appointed');
		const payload = [{ type: 'filing.new' }, { type: 'officer.appointed' }];
		const delivered = mailsOf(example, '00445790', { payload });
		await waitFor('a refusal', () => mailServer.refused.length > 0);
		mailServer.accept();

		expect((await delivered).map(({ subject }) => subject)).toEqual(
			['New Filing', 'New Filing', 'Officer Appointed'].map(
				(event) => `Étoile & Söhne Ltd: ${event}`,
			),
		);
	});
});

describe('the mail of watch-portfolio', () => {
	const TRIGGER = 'Company Registry Trigger';

	/** The mail for what the trigger puts out. */
	async function mailFor(json: IDataObject) {
		const { client } = surroundings;
		const choices = { smtp: mailServer.smtp, filledIn: { 'Send Email': { toEmail: TO_THE_ROW } } };
		const { workflow } = await importExample(surroundings, 'watch-portfolio', choices);
		const known = mailServer.mails.length;
		await client.updateWorkflow(workflow.id, { pinData: { [TRIGGER]: [{ json }] } });
		jsonOf(await client.runToEnd(workflow.id, TRIGGER), 'Send Email');
		const [{ subject, to, text }] = mailServer.mails.slice(known);
		return { subject, to, lines: text.replace(/\r/g, '').trim().split('\n') };
	}

	it('tells the status of the list', async () => {
		const list = (count: number, ...companies: object[]) => ({ count, companies });
		const company = (company_number: string, more: object = {}) => ({
			company_number,
			company_name: null,
			...more,
		});
		expect(
			await mailFor({
				event: 'watch.status',
				event_name: 'Watch Status',
				company_number: null,
				company_name: null,
				list_columns: null,
				webhook_id: null,
				received_at: '2026-11-25T08:00:00.000Z',
				payload: {
					state: 'incomplete',
					summary: '300 of 302 clients are watched. Added: 120.',
					wanted: 302,
					watched: 300,
					added: list(120, company('99000001', { company_name: 'Tessellate' })),
					removed: list(0),
					mended: list(0),
					left: list(1, company('99000002', { reason: 'refused' })),
					checked_at: '2026-11-25T08:00:00.000Z',
				},
			}),
		).toEqual({
			subject: 'Watch status, incomplete: 300 of 302 clients are watched.',
			to: ['team@example.com'],
			lines: [
				'300 of 302 clients are watched. Added: 120.',
				'',
				// Not all of them are watched: see those below.
				'New in the list (120):',
				'- 99000001, Tessellate',
				'- and 119 more',
				'',
				'Still to do (1):',
				'- 99000002, refused',
			],
		});
		const summary = '2 of 2 companies are watched. More.';
		const status = { summary, wanted: 2, watched: 2, added: list(0), left: list(0) };
		const none = { mended: list(0), removed: list(0) };
		const one = list(1, company('99000002'));
		const subjectOf = async (payload: object) => {
			const { subject } = await mailFor({
				event: 'watch.status',
				payload: { ...status, ...payload },
			});
			return subject;
		};
		expect(await subjectOf({ ...none, state: 'mended', mended: one })).toBe(
			'Watch status, events may be missing: 2 of 2 companies are watched.',
		);
		expect(await subjectOf({ ...none, state: 'complete', removed: one })).toBe(
			'Watch status: 2 of 2 companies are watched. 1 no longer in the list.',
		);
	});
});

describe('alert-on-new-filings', () => {
	it('mails new filings of companies that were picked by name', async () => {
		const label = 'TESSELLATE STORES PLC · 99000001 · active';
		const filledIn = { 'Company Registry Trigger': picked({ [STORES]: label }) };
		const example = await publishExample(surroundings, 'alert-on-new-filings', {
			smtp: mailServer.smtp,
			filledIn,
		});

		const [mail] = await mailsOf(example, STORES, { event: 'filing.new' });

		expect(mail.subject).toBe('TESSELLATE STORES PLC: New Filing');
		expect(mail.text).toContain(`\n${REGISTER}/${STORES}`);
	});
});

describe('mail-when-something-fails', () => {
	it('mails what the trigger has refused, and that there is nothing to retry; and that a run has failed, where, why and what to do', async () => {
		const { client, simulator, ca } = surroundings;
		const { smtp } = mailServer;
		const { workflow } = await importExample(surroundings, 'mail-when-something-fails', { smtp });
		await client.waitUntilPublished(workflow.id);
		const filledIn = {
			'Company Registry Trigger': { companyNumbers: STORES, events: ['filing.new'] },
			'Send Email': { toEmail: '={{ $json.missing }}' },
		};
		const choices = { smtp, filledIn, settings: { errorWorkflow: workflow.id } };
		const example = await publishExample(surroundings, 'watch-portfolio', choices);

		const refused = mailServer.next();
		await simulator.deliver(example.webhooks()[0].id, { ca, secret: 'whsec_of-somebody-else' });
		const [{ text: told }] = await refused;
		expect(told).toMatch(/Step: Company Registry Trigger\s[^]+signature/);
		expect(told).toMatch(
			/2\. There is nothing to retry: this run holds no event\. It is here:\s+https:/,
		);

		const failed = mailServer.next();
		const { id, status } = await deliverTo(surroundings, example, STORES, { event: 'filing.new' });
		expect(status).toBe('error');
		const [{ subject, text }] = await failed;
		expect(subject).toBe('Watch a portfolio from a spreadsheet: a run has failed');
		expect(
			text
				.replace(/\r/g, '')
				.replace(/Time: .+/, 'Time: …')
				.trim()
				.split('\n'),
		).toEqual([
			'Workflow: Watch a portfolio from a spreadsheet',
			'Step: Send Email',
			'Time: …',
			'',
			'What went wrong:',
			'No recipients defined',
			'',
			'What to do:',
			'1. Put right what the message says.',
			'2. Open the run, click the bent arrow and choose *Retry with currently saved workflow*, so that what it was about is not lost:',
			expect.stringMatching(
				new RegExp(`^https://.+/workflow/${example.workflow.id}/executions/${id}$`),
			),
			'(If n8n does not find it, the workflow keeps no runs: execute it by hand.)',
		]);
	});
});

describe('review-new-officer-or-psc', () => {
	const NAME = 'TESSELLATE STORES PLC';
	/** The service fails to look it up. */
	const NOT_FOUND = '99487520';
	let example: ImportedExample;

	beforeAll(async () => {
		const filledIn = {
			'Company Registry Trigger': picked({ [STORES]: '', '99213344': '', [NOT_FOUND]: '' }),
		};
		example = await publishExample(surroundings, 'review-new-officer-or-psc', { filledIn });
	});

	it.each([
		['officer.appointed', STORES, 'New Officer', `Check the new officer of ${NAME} (${STORES})`],
		['psc.added', STORES, 'New PSC', `Check who now controls ${NAME} (${STORES})`],
		[
			'officer.appointed',
			'99213344',
			'Needs a Closer Look',
			'Look into officer.appointed at company 99213344: its status is liquidation',
		],
		[
			'psc.added',
			NOT_FOUND,
			'Needs a Closer Look',
			`Look into psc.added at company ${NOT_FOUND}: its status is not known`,
		],
	])('sends %s of company %s to %s', async (event, company, name, task) => {
		const { simulator } = surroundings;
		const when = ({ query }: { query: Record<string, string> }) => query.q === NOT_FOUND;
		simulator.fault({ path: /search/, when, times: Infinity, action: { status: 500, body: {} } });
		const execution = await deliverTo(surroundings, example, company, { event });
		simulator.clearFaults();
		const taken = ['New Officer', 'New PSC', 'Needs a Closer Look'].flatMap((node) =>
			jsonOf(execution, node).map((json) => [node, json.event, json.task]),
		);
		expect(taken).toEqual([[name, event, task]]);
	});
});

it('remove-repeated-deliveries mails a delivery once, also when the trigger has let it through again, and each one that nothing names', async () => {
	// As another process would let it through.
	const trigger = { ...picked({ [STORES]: '' }), options: { repeatedDeliveries: 'run' } };
	const filledIn = { 'Company Registry Trigger': trigger };
	const choices = { smtp: mailServer.smtp, filledIn };
	const example = await publishExample(surroundings, 'remove-repeated-deliveries', choices);
	const known = mailServer.mails.length;
	const deliver = async (deliveryId: string) => {
		const delivery = { deliveryId, payload: { type: 'filing.new' } };
		const execution = await deliverTo(surroundings, example, STORES, delivery);
		const heldBack = jsonOf(execution, 'First Time Only', 1);
		return [mailServer.mails.length - known, heldBack.length];
	};
	expect(await deliver('msg_one')).toEqual([1, 0]);
	expect(await deliver('msg_one')).toEqual([1, 1]);
	expect(await deliver('msg_two')).toEqual([2, 0]);

	const unnamed = { payload: { type: 'filing.new' }, scheme: 'bodyHmac' as const };
	expect(await mailsOf(example, STORES, unnamed)).toHaveLength(1);
	expect(await mailsOf(example, STORES, unnamed)).toHaveLength(1);
});

it('no run that n8n has stored holds a signing secret', async () => {
	expect(await withSecretsInRuns(surroundings)).toEqual([]);
});
