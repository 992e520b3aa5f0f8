// The trigger as a user sets it up, tests and publishes it in n8n's editor, in a browser.
import { waitFor } from '../../n8n-host/waitFor';
import { triggerOutputSchema } from '../../support/outputSchemas';
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
		await editor.pick(editor.picker(0), 'tess', 'TESSELLATE STORES PLC · 99000001 · active');
		await editor.part('fixed-collection-add').click();
		await editor.pick(
			editor.picker(1),
			'glen',
			'GLEN ORRIN DISTILLERS LIMITED · SC993456 · active',
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

	test('a test run shows a sample of each event within seconds, as often as it is asked to', async () => {
		const { editor, page, simulator } = here;
		simulator.clearRequests();
		const deliveries = new Set<string | undefined>();
		for (let run = 1; run <= 3; run++) {
			await editor.executeStep();
			await waitFor(`sample ${run}`, async () => {
				const output = await editor.output('filing.new');
				const company = '99000001\\s+TESSELLATE STORES PLC\\s+sample\\s';
				expect(output).toMatch(RegExp(`filing\\.new\\s+New Filing\\s+${company}`));
				expect(output).toMatch(RegExp(`officer\\.appointed\\s+Officer Appointed\\s+${company}`));
				const [, deliveryId] = /\s([\da-f-]{36}):0\s/.exec(output) ?? [];
				return deliveries.size < deliveries.add(deliveryId).size;
			});
		}
		expect(deliveries.size).toBe(3);
		expect(simulator.requests).toEqual([]);
		await editor.part('radio-button-schema').click();
		await screenshot(page, 'trigger-output');
	});

	test('a test run shows the next real event when that is chosen', async () => {
		const { editor, page, simulator } = here;
		await editor.addOption('Test Event');
		await editor.choose('testEvent', 'Next Real Event');
		await editor.executeStep();
		await page.getByText('Listening for test event').waitFor();
		expect(simulator.webhooks()).toMatchObject([
			{ events: ['filing.new', 'officer.appointed'], is_active: true },
			{ events: ['filing.new', 'officer.appointed'], is_active: true },
		]);
		await screenshot(page, 'trigger-listening');

		await deliver('99000001');
		const [{ id }] = simulator.webhooks();
		const output = await editor.output(id);
		for (const field of Object.keys(triggerOutputSchema.shape)) expect(output).toContain(field);
		expect(output).toContain('99000001');
	});

	test('publishing says when events start the workflow, and the next one does', async () => {
		const { editor, page } = here;
		await editor.closeNode();
		await editor.publish();
		const dialog = editor.part('activation-modal');
		expect(await dialog.innerText()).toContain(
			'Once the workflow is shown as published, their events start it.',
		);
		await screenshot(page, 'published');
		await dialog.getByText('Got it').click();
		await editor.part('workflow-active-version-indicator').waitFor();

		await deliver('SC993456');
		await editor.part('radio-button-executions').click();
		const executions = editor.part('current-executions-list').getByText('Succeeded');
		await executions.nth(4).waitFor();
		// The other ones are test runs.
		expect(await executions.count()).toBe(5);
		await screenshot(page, 'executions');
	});
});
