// The action node as a user sees it in n8n's editor, in a browser.
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

describeInBrowser('the action node', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	test('a search shows the companies as a table', async () => {
		const { editor, page } = here;
		await editor.addNode('Search companies');
		await editor.enter(editor.field('query'), 'tessellate');
		await editor.executeStep();
		const output = await editor.output('TESSELLATE STORES PLC');
		expect(output).toContain('2 items');
		expect(output).toMatch(/company_number\s+company_name\s+company_status/);
		expect(output).toMatch(/99000001\s+TESSELLATE STORES PLC\s+active/);
		await screenshot(page, 'search-output');
	});

	test('creating a webhook warns that its secret is shown once, and shows it', async () => {
		const { editor, page, simulator } = here;
		await editor.addNode('Create webhook');
		await page.getByText('The service shows the signing secret only once').waitFor();
		await screenshot(page, 'create-webhook');
		await editor.pick(editor.picker(), 'lantern', 'LANTERN SOFTWARE LIMITED · 99223344 · active');
		await editor.enter(editor.field('url'), 'https://example.com/company-events');
		await editor.executeStep();
		const output = await editor.output('whsec_');
		const [webhook] = simulator.webhooks();
		expect(output).toContain(webhook.id);
		expect(output).toContain(webhook.secret);
	});

	test('a webhook is picked by its company and paused', async () => {
		const { editor, page, simulator } = here;
		const [{ id }] = simulator.webhooks();
		await editor.addNode('Pause webhook');
		await editor.pick(editor.picker(), '99223344', `99223344 · filing.new · ${id}`);
		await editor.executeStep();
		const output = await editor.output('99223344');
		expect(output).toMatch(/is_active/);
		expect(output).toContain('false');
		expect(simulator.webhooks()).toMatchObject([{ id, is_active: false }]);
		await screenshot(page, 'webhook-paused');
	});
});
