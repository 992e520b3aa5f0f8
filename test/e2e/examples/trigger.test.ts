// The examples that begin with the registry trigger, each published and sent deliveries in a real
// n8n, and what arrives at a mail server then.
// Takes long because n8n starts anew.
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import type { Credential } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import {
	deliverTo,
	importExample,
	jsonOf,
	picked,
	publishChange,
	publishExample,
	smtpCredential,
	untilDeliveriesAreTaken,
	type ImportedExample,
} from './importedExample';
import { startMailServer, type MailServer } from './mailServer';

jest.setTimeout(E2E_TIMEOUT_MS);

const REGISTER = 'https://find-and-update.company-information.service.gov.uk/company';
const STORES = '99000001';

let surroundings: Surroundings;
let mailServer: MailServer;
let smtp: Credential;

beforeAll(async () => {
	mailServer = await startMailServer();
	surroundings = await startSurroundings();
	smtp = await smtpCredential(surroundings, mailServer);
});

afterAll(async () => {
	await surroundings?.stop();
	await mailServer?.close();
});

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
		'Client code\tCompany name\tCompany number',
		`1001\tTessellate Stores plc\t${STORES}`,
		'1002\tÉtoile & Söhne Ltd\t445790',
		'1003\t\tsc123456',
		`1004\tTessellate Stores plc\t${STORES}`,
	].join('\n');
	let example: ImportedExample;

	/** Number and state of each webhook, in order of creation. */
	const watched = () =>
		example.webhooks().map((webhook) => [webhook.company_number, webhook.is_active]);

	beforeAll(async () => {
		const filledIn = { 'Company Registry Trigger': { companyNumbers: pasted } };
		example = await publishExample(surroundings, 'watch-portfolio', { smtp, filledIn });
	});

	it('watches each company of the pasted columns once, as the register writes its number', () => {
		expect(watched().sort()).toEqual([
			['00445790', true],
			[STORES, true],
			['SC123456', true],
		]);
	});

	it('mails who filed what and when, with a link and what came', async () => {
		const filing = { description: 'Confirmation statement', pages: [3, null], none: {} };
		const payload = { type: 'filing.new', data: { filing, by: { name: { last: 'Ó Néill' } } } };

		const [mail, ...others] = await mailsOf(example, STORES, { payload });

		expect(others).toEqual([]);
		expect(mail).toMatchObject({
			subject: 'Tessellate Stores plc: New Filing',
			html: '',
			from: 'n8n@example.com',
			to: ['partner@example.com'],
		});
		const [, day] = /Received: (.+), \d\d:\d\d \(UK time\)/.exec(mail.text) ?? [];
		expect(Math.abs(Date.parse(`${day} 12:00Z`) - Date.now())).toBeLessThan(36 * 3600 * 1000);
		expect(mail.text.replace(/\r/g, '').replace(/Received: .+/, 'Received: …').trim()).toBe(
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

	it('writes letters that are not English as they are', async () => {
		const [{ subject, text }] = await mailsOf(example, '00445790', { event: 'psc.added' });

		expect(subject).toBe('Étoile & Söhne Ltd: PSC Added');
		expect(text).toContain('Company: Étoile & Söhne Ltd');
	});

	it('writes the number where no name is known, and the event where it has no name', async () => {
		const payload = { type: 'company.dissolved' };
		const [{ subject, text }] = await mailsOf(example, 'SC123456', { payload });

		expect(subject).toBe('SC123456: company.dissolved');
		expect(text).toMatch(/^Company: SC123456\s+Number: SC123456\s+Event: company.dissolved\s/);
	});

	it.each([
		['twenty fields and no more', Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, n])), 20],
		['a long field in part', { type: 'filing.new', scan: 'x'.repeat(2_000_000) }, 2],
		['nothing of an empty payload', [{}], 0],
		['nothing of a payload that is none', [null], 0],
	])('shows %s', async (_what, payload, fields) => {
		const [{ text }, ...others] = await mailsOf(example, STORES, { payload });

		expect(others).toEqual([]);
		const [, shown = ''] = text.replace(/\r/g, '').split('(at most 20 fields):\n');
		expect(shown.split('\n').filter(Boolean)).toHaveLength(fields);
		expect(text.length).toBeLessThan(15_000);
	});

	it('sends a mail for each event of a delivery', async () => {
		const payload = [{ type: 'filing.new' }, { type: 'officer.appointed' }];
		const mails = await mailsOf(example, STORES, { payload });

		expect(mails.map(({ subject }) => subject)).toEqual([
			'Tessellate Stores plc: New Filing',
			'Tessellate Stores plc: Officer Appointed',
		]);
	});

	it('tries again while the mail server refuses one of two mails: the other comes again, none is lost', async () => {
		mailServer.refuse('Officer Appointed');
		const payload = [{ type: 'filing.new' }, { type: 'officer.appointed' }];
		const delivered = mailsOf(example, STORES, { payload });
		await waitFor('a refusal', () => mailServer.refused.length > 0);
		mailServer.accept();

		expect((await delivered).map(({ subject }) => subject.split(': ')[1])).toEqual([
			'New Filing',
			'New Filing',
			'Officer Appointed',
		]);
	});

	it('keeps the webhooks of companies that stay when the columns are pasted again', async () => {
		const before = example.webhooks();
		surroundings.simulator.clearRequests();

		const companyNumbers = `${STORES}\tTessellate Stores plc\n445790\tÉtoile\nip000cus\tCustard`;
		await publishChange(surroundings, example, 'Company Registry Trigger', { companyNumbers });

		expect(example.webhooks().slice(0, 3)).toEqual(
			before.map((webhook) => ({ ...webhook, is_active: webhook.company_number !== 'SC123456' })),
		);
		expect(watched().slice(3)).toEqual([['IP000CUS', true]]);
		expect(surroundings.simulator.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});
});

describe('alert-on-new-filings', () => {
	it('mails new filings of companies that were picked by name', async () => {
		const label = 'TESSELLATE STORES PLC · 99000001 · active';
		const filledIn = { 'Company Registry Trigger': picked({ [STORES]: label }) };
		const example = await publishExample(surroundings, 'alert-on-new-filings', { smtp, filledIn });

		const [mail] = await mailsOf(example, STORES, { event: 'filing.new' });

		expect(mail.subject).toBe('TESSELLATE STORES PLC: New Filing');
		expect(mail.text).toContain(`\n${REGISTER}/${STORES}`);
	});
});

describe('an example as it is imported', () => {
	it.each([
		['watch-portfolio', /Company Registry Trigger.*companyNumbers/is],
		['collect-events', /Company Registry Trigger.*companyNumbers/is],
		['alert-on-new-filings', /Company Registry Trigger.*companyNumber/is],
		['remove-repeated-deliveries', /Company Registry Trigger.*companyNumber/is],
		['review-new-officer-or-psc', /Company Registry Trigger.*companyNumber/is],
	])('%s watches nobody, and publishing says what to fill in', async (name, missing) => {
		const example = await importExample(surroundings, name, { smtp });

		await expect(surroundings.client.waitUntilPublished(example.workflow.id)).rejects.toThrow(missing);
		expect(example.webhooks()).toEqual([]);
	});

	it('asks for the addresses and the mail server', async () => {
		const filledIn = { 'Company Registry Trigger': { companyNumbers: STORES } };
		const example = await importExample(surroundings, 'watch-portfolio', { filledIn });

		await expect(surroundings.client.waitUntilPublished(example.workflow.id)).rejects.toThrow(
			/Send Email.*(From Email|SMTP|credential)/is,
		);
		expect(example.webhooks()).toEqual([]);
	});
});

describe('mail-when-something-fails', () => {
	let errorWorkflow: string;

	beforeAll(async () => {
		const { client } = surroundings;
		const { workflow } = await importExample(surroundings, 'mail-when-something-fails', { smtp });
		await client.enableErrorWorkflow(workflow.id);
		errorWorkflow = workflow.id;
	});

	it('mails that a run has failed, where, why and what to do', async () => {
		const filledIn = {
			'Company Registry Trigger': { companyNumbers: STORES },
			'Send Email': { toEmail: '={{ $json.missing }}' },
		};
		const choices = { smtp, filledIn, settings: { errorWorkflow } };
		const example = await publishExample(surroundings, 'watch-portfolio', choices);
		const known = mailServer.mails.length;

		const { id, status } = await deliverTo(surroundings, example, STORES, { event: 'filing.new' });

		expect(status).toBe('error');
		const [{ subject, text }] = await mailServer.next(1, known);
		expect(subject).toBe('Watch a portfolio from a spreadsheet: a run has failed');
		expect(text.replace(/\r/g, '').replace(/Time: .+/, 'Time: …').trim().split('\n')).toEqual([
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
			expect.stringMatching(new RegExp(`^https://.+/workflow/${example.workflow.id}/executions/${id}$`)),
			'(If n8n does not find it, the workflow keeps no runs: execute it by hand.)',
		]);
	});

	it('says that there is nothing to retry where the trigger refused a delivery', async () => {
		const filledIn = { 'Company Registry Trigger': { companyNumbers: STORES } };
		const choices = { smtp, filledIn, settings: { errorWorkflow } };
		const example = await publishExample(surroundings, 'watch-portfolio', choices);
		const known = mailServer.mails.length;

		const [{ id }] = example.webhooks();
		await surroundings.simulator.deliver(id, { ca: surroundings.ca, secret: 'whsec_of-somebody-else' });

		const [{ text }] = await mailServer.next(1, known);
		expect(text).toMatch(/Step: Company Registry Trigger\s[^]+signature/);
		expect(text).toMatch(/2\. There is nothing to retry: this run holds no event\. It is here:\s+https:/);
	});
});

describe('review-new-officer-or-psc', () => {
	let example: ImportedExample;

	beforeAll(async () => {
		const filledIn = {
			'Company Registry Trigger': picked({ [STORES]: '', '99213344': '', '97999999': '' }),
		};
		example = await publishExample(surroundings, 'review-new-officer-or-psc', { filledIn });
	});

	it.each([
		[STORES, 'officer.appointed', 'New Officer', `Check the new officer of TESSELLATE STORES PLC (${STORES})`],
		[STORES, 'psc.added', 'New PSC', `Check who now controls TESSELLATE STORES PLC (${STORES})`],
		[
			'99213344',
			'officer.appointed',
			'Needs a Closer Look',
			'Look into officer.appointed at company 99213344: its status is liquidation',
		],
		[
			'97999999',
			'psc.added',
			'Needs a Closer Look',
			'Look into psc.added at company 97999999: its status is not known',
		],
	])('sends company %s with %s to %s', async (company, event, branch, task) => {
		expect(await branches(company, event)).toEqual([{ name: branch, task, event }]);
	});

	it('sends a company that cannot be looked up to Needs a Closer Look', async () => {
		const { simulator } = surroundings;
		simulator.fault({ path: /search/, times: Infinity, action: { status: 500, body: {} } });
		const taken = await branches(STORES, 'psc.added');
		simulator.clearFaults();

		const task = `Look into psc.added at company ${STORES}: its status is not known`;
		expect(taken).toEqual([{ name: 'Needs a Closer Look', task, event: 'psc.added' }]);
	});

	/** What one delivery comes to, with the name of the node that it comes to. */
	async function branches(company: string, event: string) {
		const execution = await deliverTo(surroundings, example, company, { event });
		return ['New Officer', 'New PSC', 'Needs a Closer Look'].flatMap((name) =>
			jsonOf(execution, name).map((json) => ({ name, task: json.task, event: json.event })),
		);
	}
});

describe('remove-repeated-deliveries', () => {
	it('mails a delivery once, also when it comes again to another process', async () => {
		const filledIn = { 'Company Registry Trigger': picked({ [STORES]: '' }) };
		const choices = { smtp, filledIn };
		const example = await publishExample(surroundings, 'remove-repeated-deliveries', choices);
		const known = mailServer.mails.length;
		const deliver = async (deliveryId: string) => {
			const execution = await deliverTo(surroundings, example, STORES, { deliveryId });
			const heldBack = jsonOf(execution, 'First Time Only', 1);
			return [mailServer.mails.length - known, heldBack.map(({ delivery_id }) => delivery_id)];
		};
		expect(await deliver('msg_one')).toEqual([1, []]);

		await surroundings.host.restart();
		await untilDeliveriesAreTaken(surroundings, example);

		expect(await deliver('msg_one')).toEqual([1, ['msg_one']]);
		expect(await deliver('msg_two')).toEqual([2, []]);
	});

	it('mails each delivery that nothing names, also when all that it says was said before', async () => {
		const filledIn = { 'Company Registry Trigger': picked({ [STORES]: '' }) };
		const example = await publishExample(surroundings, 'remove-repeated-deliveries', { smtp, filledIn });
		const unnamed = { payload: { type: 'filing.new' }, scheme: 'bodyHmac' as const };
		expect(await mailsOf(example, STORES, unnamed)).toHaveLength(1);
		expect(await mailsOf(example, STORES, unnamed)).toHaveLength(1);
	});
});
