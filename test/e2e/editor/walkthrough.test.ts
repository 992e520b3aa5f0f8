// README's quick start step by step, with its pictures.
// Takes long because the editor does, and 300 clients are published.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { waitFor } from '../../n8n-host/waitFor';
import { startMailServer, type MailServer } from '../examples/mailServer';
import { describeInBrowser, useEditor } from './editor';
import { showMail } from './mailPicture';
import { agedPictures, Film, screenshot } from './screenshots';

const repository = join(__dirname, '../../..');
const example = join(repository, 'examples/watch-portfolio.json');
const CLIENTS = 300;
/** Of a sample. */
const DELIVERY_ID = /[\da-f-]{36}:0/;
const FIRST = { number: '99000001', name: 'Tessellate Stores plc' };

/** What a spreadsheet of clients puts into the clipboard: more than companies, as such sheets are. */
function copiedColumns(): string {
	const row = (number: string, name: string, ref: number) => [
		String(ref),
		name,
		number,
		'31 March',
		'JD',
	];
	const others = Array.from({ length: CLIENTS - 1 }, (_, index) =>
		row(String(99100000 + index), `Client ${index + 2} Limited`, 1002 + index),
	);
	const rows = [
		['Client ref', 'Client name', 'Company No.', 'Year end', 'Partner'],
		row(FIRST.number, FIRST.name, 1001),
		...others.slice(0, 60),
		['', '', '', '', ''],
		row('sole trader', 'Ann Example', 2001),
		...others.slice(60),
		['', 'Total', '301', '', ''],
	];
	return rows.map((cells) => cells.join('\t')).join('\r\n');
}

// One user's way: each step goes on from the one before.
describeInBrowser('300 clients from a spreadsheet to a mail', () => {
	const here = useEditor();
	let mailServer: MailServer;
	/** The first thing that README shows. */
	const film = new Film();

	beforeAll(async () => {
		mailServer = await startMailServer();
		// This user has none yet.
		const { client, credential } = here;
		await client.session.request('DELETE', `/credentials/${credential.id}`);
	});
	afterAll(async () => await mailServer?.close());

	test('the steps are those of the README', () => {
		const readme = readFileSync(join(repository, 'README.md'), 'utf8');
		const [, way] = /## Quick start\n([\s\S]+?)\n!\[/.exec(readme) ?? [];
		const labels = [...way.matchAll(/\*\*(.+?)\*\*/g)].map(([, label]) => label);
		expect(labels.filter((label) => !label.endsWith('.'))).toEqual([
			'⋯ → Import → From file',
			'Company Registry Trigger',
			'Numbers or Table',
			'Execute step',
			'Options → Companies That Cannot Be Watched',
			'Execute step',
			'Publish',
			'⋯ → Settings → Error Workflow',
		]);
	});

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
		await page.getByRole('heading', { name: 'A mail for each event of a portfolio' }).waitFor();
	});

	test("the trigger's Docs link leads to these steps, and its Production URL shows whether n8n has a public address", async () => {
		const { page } = here;
		await openNode('Company Registry Trigger');
		const docs = page.getByRole('link', { name: 'Docs' });
		expect(await docs.getAttribute('href')).toMatch(/#quick-start\b/);
		await page.getByText('Webhook URLs').click();
		await page.getByText('Production URL').click();
		const url = page.locator('.webhook-url');
		await url.getByText('/webhook/').waitFor();
		expect((await url.innerText()).trim()).toMatch(/^https:\/\//);
		await page.getByText('Webhook URLs').click();
	});

	test('the columns are pasted, and Execute step shows a sample of the first client', async () => {
		const { editor, page, simulator } = here;
		simulator.clearRequests();
		await editor.field('companyNumbers').focus();
		await page.keyboard.insertText(copiedColumns());
		await editor.leave(editor.field('companyNumbers'));
		await editor.closeMessages();
		await film.take(page);
		await editor.executeStep();
		const output = await editor.output(FIRST.name);
		expect(output).toMatch(/filing\.new\s+New Filing\s+99000001\s+Tessellate Stores plc/);
		expect(output).toMatch(/companies\W+300\b/);
		expect(output).toMatch(
			/row 64 \("sole trader", Ann Example\), row 304 \("301" may be a total or a date, Total\)/,
		);
		expect(simulator.requests).toEqual([]);
		await editor.addOption('Unreadable Rows');
		await editor.choose('unreadableRows', 'Leave Out');
		await editor.executeStep();
		const [before] = DELIVERY_ID.exec(output) ?? [];
		// What was shown before goes first.
		await waitFor('the second sample', async () => {
			const [id] = DELIVERY_ID.exec(await editor.output(FIRST.name)) ?? [];
			return id !== undefined && id !== before;
		});
		await editor.part('radio-button-schema').click();
		await editor.closeMessages();
		await screenshot(page, 'trigger');
		await film.take(page, 3_500);
		await editor.closeNode();
	});

	test('Send Email is filled in, and Execute step sends the sample', async () => {
		const { editor } = here;
		await openNode('Send Email');
		const empty = editor.part('node-credentials-empty-state');
		await empty.getByRole('button', { name: 'Connect to SMTP' }).click();
		const { user, password, host, port } = mailServer.credential;
		for (const [name, value] of Object.entries({ user, password, host, port })) {
			await editor.field(name).fill(String(value));
		}
		// Its port is not 465.
		await editor.part('parameter-input-secure').click();
		await editor.part('credential-save-button').click();
		await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });
		await editor.enter(editor.field('fromEmail'), 'n8n@example.com');
		await editor.enter(editor.field('toEmail'), 'partner@example.com');

		const arriving = mailServer.next(4);
		await editor.executeStep();
		const mails = await arriving;
		expect(mails.map(({ subject }) => subject).sort()).toEqual([
			...['New Filing', 'Officer Appointed', 'PSC Added'].map(
				(event) => `Sample: ${FIRST.name}: ${event}`,
			),
			'Watch status: A sample: 300 of 300 companies are watched.',
		]);
		expect(mails[0].text).toContain('sample: true');
		await editor.output('accepted');
		await editor.closeMessages();
		await film.take(here.page);
		await editor.closeNode();
	});

	test('published, all clients are watched, and a filing arrives as a mail', async () => {
		const { editor, page, simulator, ca } = here;
		const saying = mailServer.next(1);
		await editor.publishSuccessfully();
		await page.getByText(/^Publishing/).waitFor({ state: 'hidden' });
		const [said] = await saying;
		expect(said.subject).toContain(`${CLIENTS} of ${CLIENTS} companies are watched`);
		await editor.closeMessages();
		await film.take(page);
		const webhooks = simulator.webhooks();
		expect(webhooks.filter(({ is_active }) => is_active)).toHaveLength(CLIENTS);

		const first = webhooks.find(({ company_number }) => company_number === FIRST.number);
		// What the service sends is not known: the picture says so.
		const payload = { 'what is in here': 'is up to the service' };
		const headers = { 'x-registry-event': 'filing.new' };
		const arriving = mailServer.next(1);
		const { status } = await simulator.deliver(String(first?.id), { ca, payload, headers });
		expect(status).toBe(200);
		const [mail] = await arriving;
		expect(mail).toMatchObject({
			subject: `${FIRST.name}: New Filing`,
			to: ['partner@example.com'],
		});
		expect(mail.text).toContain(`Company: ${FIRST.name}`);
		const mailPage = await showMail(page.context().browser()!, mail, page.viewportSize()!);
		await film.take(mailPage, 3_500);
		film.show('first-look');
		await mailPage.close();
	});

	async function openNode(name: string): Promise<void> {
		const { editor } = here;
		await editor.part('canvas-node').filter({ hasText: name }).dblclick();
		await editor.part('ndv').waitFor();
	}
});

test('the pictures in the documents show what is to be seen', () =>
	expect(agedPictures()).toEqual([]));
