// The paths of records in the credential, as a person enters them in n8n's editor.
// Takes long because the editor does.
import { describeInBrowser, useEditor } from './editor';

const OFFICERS_PATH = '/v1/some-officers/{company_number}';
const PATHS = ['companyPath', 'officersPath', 'pscsPath', 'filingsPath'];

describeInBrowser('the credential', () => {
	const here = useEditor();

	beforeAll(async () => {
		const { client, credential } = here;
		await client.session.request('DELETE', `/credentials/${credential.id}`);
	});

	const shownPaths = async () => {
		const counts = PATHS.map(async (name) => await here.editor.field(name).count());
		return (await Promise.all(counts)).filter((count) => count > 0).length;
	};
	const flip = async () => await here.editor.part('parameter-input-recordPaths').click();
	const openCredential = async () => {
		await here.editor.part('credential-edit-button').click();
		await here.editor.field('baseUrl').waitFor();
	};
	/** n8n closes a new credential by itself, but not one that was saved before. Escape closes the node, too. */
	const saveAgain = async () => {
		const { editor, page } = here;
		const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
		await editor.part('credential-save-button').click();
		await saved;
		await page.keyboard.press('Escape');
		await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });
		await editor.part('canvas-node').filter({ hasText: 'Get officers of company' }).dblclick();
		await editor.part('ndv').waitFor();
	};

	test('its switch shows four optional paths, and Get Officers then reads the officers', async () => {
		const { editor, simulator } = here;
		await editor.addNode('Get officers of company');
		const empty = editor.part('node-credentials-empty-state');
		await empty.getByRole('button', { name: 'Connect to Company Registry' }).click();
		await editor.field('baseUrl').fill(simulator.url);
		await editor.field('apiKey').fill(simulator.apiKey);
		expect(await shownPaths()).toBe(0);
		await flip();
		await editor.field('officersPath').waitFor();
		expect(await shownPaths()).toBe(4);
		await editor.field('officersPath').fill(OFFICERS_PATH);
		await editor.part('credential-save-button').click();
		await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });

		await editor.pick(editor.picker(), 'tess', 'TESSELLATE STORES PLC');
		const officers = { status: 200, body: { data: [{ name: 'Ada Example' }] } };
		simulator.fault({ path: /some-officers\/99000001$/, action: officers });
		await editor.executeStep();
		expect(await editor.output('Ada Example')).toContain('1 item');
	});

	test('with the switch off, the operation says where its path belongs', async () => {
		const { editor } = here;
		await openCredential();
		await flip();
		await editor.field('officersPath').waitFor({ state: 'hidden' });
		expect(await shownPaths()).toBe(0);
		await saveAgain();
		await editor.executeStep();
		const output = await editor.output('The path of officers is not set');
		expect(output).toContain(
			"Enter it in the credential 'Company Registry API' under Record Paths",
		);
		await editor.closeNode();
	});

	test('account operations offer the session credential alone', async () => {
		const { editor } = here;
		const authentication = editor.part('parameter-input-authentication');
		await editor.addNode('Get company');
		await authentication.waitFor();
		await editor.closeNode();
		// There is only an API key, which cannot be chosen here.
		await editor.addNode('Get account usage');
		await editor.part('node-credentials-empty-state').waitFor();
		expect(await authentication.count()).toBe(0);
		await editor.choose('resource', 'Webhook');
		await authentication.waitFor();
		expect(await editor.part('node-credentials-empty-state').count()).toBe(0);
		await editor.choose('resource', 'Account');
		await editor.part('node-credentials-empty-state').waitFor();
	});
});
