// README's quick start step by step, with its pictures.
import { join } from 'node:path';

import { pick } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import { startMailServer, type Mail, type MailServer } from '../examples/mailServer';
import { describeInBrowser, here } from './editor';
import { showMail } from './mailPicture';
import { Film, screenshot } from './screenshots';

const repository = join(__dirname, '../../..');
const example = join(repository, 'examples/watch-portfolio.json');
const CLIENTS = 60;
const FIRST = { number: '99000001', name: 'Tessellate Stores plc' };

/** Narrow enough for n8n's field, so that no row wraps. */
const row = (name: string, number: string) => [name, 'jd@example.com', number];

const PLACES = 'Aldgate Birch Calder Dunmore Elmfield Fairlie Garth Holme Inver Jasper'.split(' ');
const TRADES = ['Joinery', 'Foods', 'Logistics', 'Dental', 'Roofing', 'Textiles'];
const NEWCOMERS = ['Linden Optics Ltd', 'Marlow Ceramics Ltd', 'Oakridge Farms LLP'];

/** Made up, and another for each of sixty. */
function clientName(nth: number): string {
	const trade = TRADES[(nth + Math.floor(nth / 30)) % TRADES.length];
	const form = nth % 4 === 0 ? 'LLP' : 'Ltd';
	return `${PLACES[nth % PLACES.length]} ${trade} ${form}`;
}

/** What a spreadsheet of clients puts into the clipboard: more than companies, as such sheets are. */
function copiedColumns(): string {
	const others = Array.from({ length: CLIENTS - 1 }, (_, index) =>
		row(clientName(index), String(99100000 + index)),
	);
	const rows = [
		['Client', 'Email', 'Company No.'],
		row(FIRST.name, FIRST.number),
		...others.slice(0, 20),
		['', '', ''],
		...others.slice(20, 40),
		row('Ann Example', 'sole trader'),
		...others.slice(40),
		['Total', '', '61'],
	];
	return rows.map((cells) => cells.join('\t')).join('\r\n');
}

/** The same sheet later: two clients have left, and three have joined. */
function changedColumns(): string {
	const rows = copiedColumns().split('\r\n');
	const joined = NEWCOMERS.map((name, index) => row(name, `9920000${index + 1}`).join('\t'));
	return [...rows.slice(0, -3), ...joined, ...rows.slice(-1)].join('\r\n');
}

// One user's way: each step goes on from the one before.
describeInBrowser('60 clients from a spreadsheet to a mail', () => {
	let mailServer: MailServer;
	/** The first thing that README shows. */
	const film = new Film();

	beforeAll(async () => {
		mailServer = await startMailServer();
		// This user has no credential yet.
		await here.deleteCredentials();
	});
	afterAll(async () => await mailServer?.close());

	test('the account is connected: +, New credential, Company Registry API', async () => {
		const { editor, page, simulator } = here;
		await editor.visit('/home/workflows');
		await editor.part('universal-add').click();
		await page.getByText('New credential', { exact: true }).click();
		await editor.part('new-credential-type-select').click();
		await page.keyboard.type('Company Registry API');
		const type = editor.part('new-credential-type-select-option');
		await type.filter({ hasText: 'Company Registry API' }).first().click();
		await editor.part('new-credential-type-button').click();
		await editor.field('baseUrl').fill(simulator.url);
		await editor.field('apiKey').fill(simulator.apiKey);
		// n8n suggests a name a moment later, and saves nothing without one.
		await page.getByText('Company Registry account').first().waitFor({ state: 'attached' });
		await editor.part('credential-save-button').click();
		await page.getByText('Connection tested successfully').waitFor();
		await page.keyboard.press('Escape');
		await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });
	});

	test('the example is imported: +, New workflow, then ⋯, Import, From file', async () => {
		const { editor, page } = here;
		await editor.part('universal-add').click();
		await page.getByText('New workflow', { exact: true }).click();
		await editor.part('canvas-plus-button').waitFor();
		await editor.part('workflow-menu').click();
		await page.getByText('Import', { exact: true }).hover();
		const chooser = page.waitForEvent('filechooser');
		await page.getByText('From file', { exact: true }).click();
		await (await chooser).setFiles(example);
		await page.getByRole('heading', { name: 'Email each event of your client list' }).waitFor();
		await page.getByText('Credentials auto-added').waitFor();
		await editor.closeMessages();
	});

	test('the columns are pasted, and Execute step shows which rows were not read', async () => {
		const { editor, page, simulator } = here;
		await editor.openNode('Company Registry Trigger');
		simulator.clearRequests();
		await editor.field('companyNumbers').focus();
		await page.keyboard.insertText(copiedColumns());
		await editor.leave(editor.field('companyNumbers'));
		const list = { last: editor.part('parameter-input-companyNumbers'), height: 226, rows: 7 };
		await film.take(page, 'parameters', { ...list, caption: '2. Paste your client list' });
		await editor.executeStep();
		const output = await editor.output(
			'Publishing will watch 60 companies; 2 rows without a company number',
		);
		expect(output).toContain('row 44 ("sole trader", Ann Example)');
		expect(output).toContain('row 64 ("61", Total');
		expect(output).toMatch(/filing\.new\s+New Filing\s+99000001\s+Tessellate Stores plc/);
		await editor.part('radio-button-schema').click();
		await page.getByText('Publishing will watch 60').first().waitFor();
		await editor.closeMessages();
		await film.take(page, 'output', {
			caption: '3. Click Execute step: the preview names rows without a company number',
			height: 240,
		});

		expect(simulator.requests).toEqual([]);
		await editor.closeMessages();
		await editor.closeNode();
	});

	test('both mail nodes are filled in, and Execute step sends the samples', async () => {
		const { editor, page } = here;
		await editor.openNode('Email Office');
		await editor.connect('SMTP', pick(mailServer.credential, 'user', 'password', 'host', 'port'));
		// Its port is not 465.
		await editor.part('parameter-input-secure').click();
		await editor.saveCredential();
		await editor.enter(editor.field('fromEmail'), 'n8n@example.com');
		await editor.enter(editor.field('toEmail'), 'team@example.com');
		await editor.closeNode();

		await editor.openNode('Send Email');
		expect(await samplesSent(4)).toEqual([
			`SAMPLE: New Filing: ${FIRST.name}`,
			`SAMPLE: Officer Appointed: ${FIRST.name}`,
			`SAMPLE: PSC Added: ${FIRST.name}`,
			'SAMPLE: Publishing will watch 60 companies; 2 rows without a company number',
		]);
		await editor.closeNode();
		// Only now no node lacks a credential, and nothing is to be seen of the samples.
		await editor.part('clear-execution-data-button').click();
		const caption = '1. Import the ready-made workflow';
		await film.take(page, 'workflow', { caption, at: 0 });
	});

	/** Subjects of the mails that "Execute step" sends. */
	async function samplesSent(count: number): Promise<string[]> {
		const arriving = mailServer.next(count);
		await here.editor.executeStep();
		const mails = await arriving;
		await here.editor.output('accepted');
		await here.editor.closeMessages();
		for (const { text, to } of mails) {
			expect(text).toMatch(/^SAMPLE\. Nothing was filed\./);
			expect(to).toEqual(['team@example.com']);
		}
		return mails.map(({ subject }) => subject);
	}

	test('published, all clients are watched, and a filing arrives as a mail', async () => {
		const { editor, page, simulator, ca } = here;
		expect(await editor.publishSuccessfully()).toContain('The workflow is published.');
		await page.getByText(/^Publishing/).waitFor({ state: 'hidden' });
		const isReport = ({ subject }: Mail) => subject === '60 companies are watched';
		const status = await waitFor('the report', () => mailServer.mails.find(isReport));
		await editor.closeMessages();
		const report = await showMail(page.context().browser()!, status);
		await film.take(report, 'page', {
			caption: '4. Connect your email and publish: an email confirms it',
		});
		await report.close();
		const active = simulator.webhooks().filter(({ is_active }) => is_active);
		expect(active).toHaveLength(CLIENTS);

		const first = active.find(({ company_number }) => company_number === FIRST.number);
		const payload = {
			event: 'filing.new',
			data: { type: 'CS01', description: 'Confirmation statement', date: '2026-11-20' },
		};
		const arriving = mailServer.next();
		const delivery = await simulator.deliver(String(first?.id), { ca, payload });
		expect(delivery.status).toBe(200);
		const [mail] = await arriving;
		expect(mail).toMatchObject({
			subject: `New Filing: ${FIRST.name}`,
			to: ['team@example.com'],
		});
		expect(mail.text).toContain(`Company: ${FIRST.name}`);
		const mailPage = await showMail(page.context().browser()!, mail);
		const caption = '5. The result: an email for each event (simulated here)';
		await film.take(mailPage, 'page', { caption });
		film.show('first-look');
		await mailPage.close();
	});

	test('after a change of the list, Execute step shows what publishing will change', async () => {
		const { editor, page, simulator } = here;
		simulator.clearRequests();
		await editor.openNode('Company Registry Trigger');
		await editor.enter(editor.field('companyNumbers'), changedColumns());
		await editor.executeStep();
		await page.getByText('3 added, 2 removed').first().waitFor();
		const output = await editor.output('Publishing will watch 61 companies');
		expect(output).toMatch(/will remove:.*99100058.*will add:.*99200001 Linden Optics Ltd/s);
		expect(simulator.requests).toEqual([]);
		await editor.closeMessages();
		const last = editor.part('parameter-input-events');
		await screenshot(page, 'trigger', { height: 410, last, rows: 12, isEnd: true });
	});
});
