// A user sets the trigger up, tests and publishes it in n8n's editor, in a browser, and sees a delivery that
// cannot be verified.
// Takes long because the editor does.
import { waitFor } from '../../n8n-host/waitFor';
import { startSimulator, type DeliveryRequest } from '../../simulator';
import { UNRECOGNISED, watcher } from '../reliability/watchers';
import { describeInBrowser, useEditor } from './editor';

// One workflow from an empty canvas to its first execution: the tests build on one another.
describeInBrowser('watching companies', () => {
	const here = useEditor();

	beforeAll(async () => {
		await here.editor.addNode('On new filing');
	});

	/** Sends an event to the newest active webhook of the company, as the service would. */
	async function deliver(companyNumber: string, delivery: DeliveryRequest = {}): Promise<number> {
		const { simulator, ca } = here;
		const active = simulator
			.webhooks()
			.filter(({ company_number, is_active }) => company_number === companyNumber && is_active);
		return (await simulator.deliver(String(active.at(-1)?.id), { ca, ...delivery })).status;
	}

	/** Waits until the trigger is set up, which takes longer than n8n's message says. Answers the workflow's id. */
	async function untilPublished(): Promise<string> {
		const id = String(/workflow\/(\w+)/.exec(here.page.url())?.[1]);
		const isPublished = async () => (await here.client.publication(id)).status === 'published';
		await waitFor('the trigger to be set up', isPublished);
		return id;
	}

	test('companies are found by a part of their name, and events are chosen by their label', async () => {
		const { editor, page } = here;
		await editor.pick(editor.picker(0), 'tess', 'TESSELLATE STORES PLC · 99000001 · active');
		await editor.part('fixed-collection-add').click();
		await editor.pick(
			editor.picker(1),
			'glen',
			'GLEN ORRIN DISTILLERS LIMITED · SC993456 · active',
		);

		expect(await editor.picker(0).inputValue()).toContain('TESSELLATE STORES PLC');
		expect(await editor.picker(1).inputValue()).toContain('GLEN ORRIN DISTILLERS LIMITED');

		await editor.choose('events', 'Officer Appointed');
		await page.keyboard.press('Escape');

		const chosen = await editor.part('parameter-input-events').innerText();
		expect(chosen).toMatch(/New Filing\s+Officer Appointed/);
	});

	test('each test run shows a sample of each event within seconds', async () => {
		const { editor, simulator } = here;
		simulator.clearRequests();
		const deliveries = new Set<string>();
		for (let run = 1; run <= 2; run++) {
			await editor.executeStep();
			const output = await waitFor(`sample ${run}`, async () => {
				const text = await editor.output('filing.new');
				const [deliveryId] = /sample:\d+:0/.exec(text) ?? [];
				return deliveryId && deliveries.size < deliveries.add(deliveryId).size && text;
			});
			const company = '99000001\\s+TESSELLATE STORES PLC\\s+null\\s+sample\\s';
			expect(output).toMatch(RegExp(`filing\\.new\\s+New Filing\\s+${company}`));
			expect(output).toMatch(RegExp(`officer\\.appointed\\s+Officer Appointed\\s+${company}`));
		}
		expect(deliveries.size).toBe(2);
		expect(simulator.requests).toEqual([]);
	});

	test('publishing says how to get a message when setup has finished, and the next event starts the workflow', async () => {
		const { editor } = here;
		await editor.closeNode();
		expect(await editor.publishSuccessfully()).toContain(
			"choose 'Watch Status' under 'Trigger On' to receive a message at the end.",
		);
		const id = await untilPublished();

		expect(await deliver('SC993456')).toBe(200);
		await editor.part('radio-button-executions').click();
		const executions = editor.part('current-executions-list').getByText('Succeeded');
		// The other ones are test runs.
		await executions.nth(2).waitFor();
		const started = (await here.client.executions(id)).filter(({ mode }) => mode === 'webhook');
		expect(started).toHaveLength(1);
	});

	test('a delivery that cannot be verified is a failed execution, which names the settings to enter', async () => {
		const { editor } = here;
		await editor.addNode('On new filing');
		await editor.pick(editor.picker(), 'lantern', 'LANTERN SOFTWARE LIMITED');
		await editor.closeNode();
		await editor.publishSuccessfully();
		await untilPublished();
		expect(await deliver('99223344', UNRECOGNISED)).toBe(500);
		expect(await deliver('99223344', UNRECOGNISED)).toBe(401);

		await editor.part('radio-button-executions').click();
		const executions = editor.part('current-executions-list').getByText('Error');
		await executions.first().waitFor();
		expect(await executions.count()).toBe(1);
		expect(await editor.toast('is genuine')).toContain('A delivery for company 99223344');
		await editor.part('canvas-node').first().dblclick();
		const output = await editor.output('is genuine, but its signature format is not recognised');
		expect(output).toContain('X-Foo-Seal');
		expect(output).toContain('{id}:{timestamp}:{body}');
	});

	test('publishing a list with unreadable entries names them, and sends nothing to the service', async () => {
		const { client, editor } = here;
		// The published triggers send checks to the other one.
		const simulator = await startSimulator();
		try {
			const credential = await client.createRegistryCredential(simulator);
			const file = watcher(credential, ['00445790', 'Acme Ltd', 'SC123456', '123456789']);
			const { id } = await client.createWorkflow(file);
			await editor.visit(`/workflow/${id}`);
			await editor.publish();
			const shown = await editor.toast('no company number that can be read');
			expect(shown).toContain('No company is watched. 2 of 4 rows have no company number');
			expect(shown).toContain('line 2 ("Acme Ltd"), line 4 ("123456789")');
			expect(simulator.requests).toEqual([]);
		} finally {
			await simulator.close();
		}
	});
});
