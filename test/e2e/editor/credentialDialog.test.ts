// The credential dialog in n8n's editor, in a browser: what it says of right and wrong entries.
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

describeInBrowser('the credential dialog', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	/** Opens the dialog for a new credential from the trigger's own field. */
	async function createNew(entry: string): Promise<void> {
		const { editor } = here;
		await editor.addNode(entry);
		await editor.part('node-credentials-select').click();
		await editor.part('node-credentials-select-item-new').click();
		await editor.part('credential-save-button').waitFor();
	}

	async function save(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) await here.editor.field(name).fill(value);
		await here.editor.part('credential-save-button').click();
	}

	/** The dialog's verdict after saving, with the reason that "More details" unfolds. */
	async function refusal(): Promise<string> {
		const dialog = here.editor.part('credential-edit-dialog');
		await dialog.getByText('More details').click();
		return await dialog.innerText();
	}

	test('a key that the service takes is saved and tested; a wrong one is named, with what to do', async () => {
		const { editor, page, simulator } = here;
		await createNew('On new filing');
		await save({ baseUrl: `${simulator.url}/v1/`, apiKey: simulator.apiKey });
		await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });

		await editor.part('credential-edit-button').click();
		await page.getByText('Connection tested successfully').waitFor();
		await screenshot(page, 'credential-tested');

		await save({ apiKey: 'not-a-key' });
		const reason = await refusal();
		await screenshot(page, 'credential-refused');
		expect(reason).toContain('The registry service did not accept the API key');
		expect(reason).toContain("It needs an API key from the service's dashboard");
	});

	test('an API key in the session credential is told apart, and where each belongs', async () => {
		const { editor, page, simulator } = here;
		await createNew('Get account usage');
		await editor.part('credential-mode-dropdown-trigger').click();
		await page.getByRole('menuitem', { name: 'Session Token' }).click();
		await save({ baseUrl: simulator.url, sessionToken: simulator.apiKey });
		const reason = await refusal();
		await screenshot(page, 'credential-wrong-kind');
		expect(reason).toContain('The registry service did not accept the session token');
		expect(reason).toContain("API keys go in the 'Company Registry API' credential");
	});

	test("a base URL that leads to a web page is told from the service's", async () => {
		await createNew('On new filing');
		await save({ baseUrl: here.host.url, apiKey: 'any' });
		expect(await refusal()).toContain('The Base URL does not lead to the registry service');
	});
});
