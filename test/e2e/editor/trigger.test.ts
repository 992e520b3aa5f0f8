// The trigger as a user sets it up, tests and publishes it in n8n's editor, in a browser.
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

// One workflow from an empty canvas to its first execution: the tests build on one another.
describeInBrowser('watching companies', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
		await here.editor.addNode('On new filing');
	});
	afterAll(async () => await here?.stop());

	/** Sends an event of the company as the service would, to the webhook that is active. */
	async function deliver(companyNumber: string): Promise<void> {
		const { simulator, ca } = here;
		const webhook = simulator
			.webhooks()
			.find(({ company_number, is_active }) => company_number === companyNumber && is_active);
		expect(webhook?.company_number).toBe(companyNumber);
		const { status } = await simulator.deliver(String(webhook?.id), { ca });
		expect(status).toBe(200);
	}

	test('companies are found by a part of their name', async () => {
		const { editor } = here;
		await editor.pick(editor.picker(0), 'tess', 'TESSELLATE STORES PLC · 00445790 · active');
		await editor.part('fixed-collection-add').click();
		await editor.pick(
			editor.picker(1),
			'glen',
			'GLEN ORRIN DISTILLERS LIMITED · SC123456 · active',
		);

		expect(await editor.picker(0).inputValue()).toContain('TESSELLATE STORES PLC');
		expect(await editor.picker(1).inputValue()).toContain('GLEN ORRIN DISTILLERS LIMITED');
	});

	test('the events are chosen by what they mean', async () => {
		const { editor, page } = here;
		await editor.choose('events', 'Officer Appointed');
		await page.keyboard.press('Escape');

		const chosen = await editor.part('parameter-input-events').innerText();
		expect(chosen).toMatch(/New Filing\s+Officer Appointed/);
		await screenshot(page, 'trigger-set-up');
	});

	test('a test run shows the next event as a table', async () => {
		const { editor, page, simulator } = here;
		await editor.executeStep();
		await page.getByText('Listening for test event').waitFor();
		expect(simulator.webhooks()).toMatchObject([
			{ events: ['filing.new', 'officer.appointed'], is_active: true },
			{ events: ['filing.new', 'officer.appointed'], is_active: true },
		]);
		await screenshot(page, 'trigger-listening');

		await deliver('00445790');
		const output = await editor.output('filing.new');
		expect(output).toMatch(
			/event\s+company_number\s+webhook_id\s+delivery_id\s+received_at\s+payload/,
		);
		expect(output).toMatch(/filing\.new\s+00445790/);
		await editor.part('radio-button-schema').click();
		await screenshot(page, 'trigger-output');
	});

	test('publishing says when events start the workflow, and the next one does', async () => {
		const { editor, page } = here;
		await editor.closeNode();
		await editor.publish();
		const dialog = editor.part('activation-modal');
		expect(await dialog.innerText()).toContain(
			'As soon as n8n shows the workflow as published, their events start it.',
		);
		await screenshot(page, 'published');
		await dialog.getByText('Got it').click();
		await editor.part('workflow-active-version-indicator').waitFor();

		await deliver('SC123456');
		await editor.part('radio-button-executions').click();
		const executions = editor.part('current-executions-list').getByText('Succeeded');
		await executions.nth(1).waitFor();
		// The test run is the other one.
		expect(await executions.count()).toBe(2);
		await screenshot(page, 'executions');
	});
});
