// From n8n's first screen to a sample event, with the clicks counted.
// Takes long because the editor does.
import { describeInBrowser, useEditor } from './editor';

describeInBrowser('the first check', () => {
	const here = useEditor();

	/** What a person has clicked so far: no key that a button takes for a click. */
	async function clicks(): Promise<number> {
		return await here.page.evaluate(() => Number(sessionStorage.getItem('clicks')));
	}

	beforeAll(async () => {
		const { client, credential, editor, page } = here;
		await client.session.request('DELETE', `/credentials/${credential.id}`);
		await editor.visit('/home/workflows');
		await page.evaluate(() => {
			sessionStorage.setItem('clicks', '0');
			window.addEventListener(
				'pointerdown',
				({ isTrusted }) => {
					const count = Number(sessionStorage.getItem('clicks'));
					if (isTrusted) sessionStorage.setItem('clicks', String(count + 1));
				},
				true,
			);
		});
	});

	test('a new workflow begins with the trigger: five clicks', async () => {
		const { editor, page } = here;
		await editor.part('universal-add').click();
		await page.getByText('New workflow', { exact: true }).click();
		await page.getByText('Add first step').waitFor();
		await editor.part('canvas-plus-button').click();
		// What is typed before goes nowhere.
		await editor.part('node-creator-search-bar').and(page.locator(':focus')).waitFor();
		await page.keyboard.type('company registry');
		await editor.packageEntry().click();
		await editor.part('node-creator-item-name').getByText('On new filing', { exact: true }).click();
		await editor.part('ndv').waitFor();
		expect(await clicks()).toBe(5);
	});

	test('the account is connected within the node: three clicks', async () => {
		const { editor, simulator } = here;
		const empty = editor.part('node-credentials-empty-state');
		await empty.getByRole('button', { name: 'Connect to Company Registry' }).click();
		await editor.field('baseUrl').click();
		await editor.field('baseUrl').fill(simulator.url);
		await editor.field('apiKey').fill(simulator.apiKey);
		await editor.part('credential-save-button').click();
		await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });
		expect(await clicks()).toBe(8);
	});

	test('a company is found by a part of its name, and its sample arrives: three clicks, eleven in all', async () => {
		const { editor } = here;
		await editor.pick(editor.picker(), 'tess', 'TESSELLATE STORES PLC');
		await editor.executeStep();
		expect(await editor.output('filing.new')).toContain('TESSELLATE STORES PLC');
		expect(await clicks()).toBe(11);
	});
});
