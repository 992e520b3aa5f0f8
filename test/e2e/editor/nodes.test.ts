// The package in n8n's editor, in a browser: in the node panel, its actions, and its credential's dialog.
// Loading the editor takes many seconds: all of this is done in one.
import type { INodePropertyOptions } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { eventOptions } from '../../../nodes/CompanyRegistry/shared/events';
import { withCredential } from '../../n8n-host/exampleWorkflows';
import type { WorkflowFile } from '../../n8n-host/n8nTypes';
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { agedPictures, screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

const searches = [
	'company registry',
	'companies house',
	'KYB',
	'filing',
	'director',
	'beneficial owner',
	'PSC',
];

/** The action node's operations, resource by resource. */
function operations(): INodePropertyOptions[] {
	const { properties } = new CompanyRegistry().description;
	const fields = properties.filter(({ name }) => name === 'operation');
	return fields.flatMap(({ options }) => options as INodePropertyOptions[]);
}

const searchThenNext: WorkflowFile = {
	name: 'Before the first run',
	nodes: [
		{
			id: 'search',
			name: 'Search Companies',
			type: 'n8n-nodes-company-registry.companyRegistry',
			typeVersion: 1,
			position: [0, 0],
			parameters: { resource: 'company', operation: 'search', query: 'tessellate' },
		},
		{
			id: 'next',
			name: 'Edit Fields',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			position: [250, 0],
			parameters: {},
		},
	],
	connections: {
		'Search Companies': { main: [[{ node: 'Edit Fields', type: 'main', index: 0 }]] },
	},
	settings: { executionOrder: 'v1' },
};

describeInBrowser("n8n's editor", () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	test('the package is found by what its users call things', async () => {
		const { editor } = here;
		await editor.newWorkflow();
		for (const text of searches) {
			await editor.part('node-creator-search-bar').fill('nothing is called so');
			await editor.packageEntry().waitFor({ state: 'hidden' });
			const entry = await editor.searchNodePanel(text);
			expect({ text, entry: await entry.innerText() }).toEqual({
				text,
				entry: expect.stringContaining(
					'Starts the workflow when a watched company has a new filing',
				),
			});
		}
	});

	test('the package shows one entry per event and each action once', async () => {
		const { editor } = here;
		await editor.openPackage();
		await editor.unfoldActions();

		const categories = editor.part('node-creator-category-item');
		const triggers = eventOptions.map(({ action }) => action);
		const actions = operations().map(({ action }) => action);
		expect(await categories.allInnerTexts()).toEqual([
			`Triggers (${triggers.length})`,
			`Actions (${actions.length})`,
		]);
		const shown = await editor.part('node-creator-item-name').allInnerTexts();
		expect(shown).toEqual([...triggers, ...actions]);
		expect(shown).toEqual(expect.arrayContaining(['On new filing', 'Search companies']));
	});

	test.each([
		['light', 'companyRegistry.svg'],
		['dark', 'companyRegistry.dark.svg'],
	] as const)('in the %s theme the icon is %s', async (colorScheme, file) => {
		await here.page.emulateMedia({ colorScheme });
		await here.editor.openPackage();
		const images = here.editor.part('item-iterator-item').locator('img:visible');
		const shown = await images.evaluateAll((elements) =>
			(elements as HTMLImageElement[]).map(
				({ src, naturalWidth }) =>
					`${src.split('/').pop()}${naturalWidth > 0 ? '' : ' is missing'}`,
			),
		);
		await here.page.emulateMedia({ colorScheme: null });
		expect(shown.length).toBeGreaterThanOrEqual(3);
		expect([...new Set(shown)]).toEqual([file]);
	});

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
		await editor.pick(editor.picker(), 'lantern', 'LANTERN SOFTWARE LIMITED · 99223344 · active');
		await editor.enter(editor.field('url'), 'https://example.com/company-events');
		await editor.executeStep();
		const output = await editor.output('whsec_');
		const [webhook] = simulator.webhooks();
		expect(output).toContain(webhook.id);
		expect(output).toContain(webhook.secret);
	});

	test('a webhook is picked by its company and paused', async () => {
		const { editor, simulator } = here;
		const [{ id }] = simulator.webhooks();
		await editor.addNode('Pause webhook');
		await editor.pick(editor.picker(), '99223344', `99223344 · filing.new · ${id}`);
		await editor.executeStep();
		const output = await editor.output('99223344');
		expect(output).toMatch(/is_active/);
		expect(output).toContain('false');
		expect(simulator.webhooks()).toMatchObject([{ id, is_active: false }]);
	});

	test('the next node is offered the fields of the action', async () => {
		const { client, credential, editor, page, simulator } = here;
		simulator.clearRequests();
		const { id } = await client.createWorkflow(withCredential(searchThenNext, credential));
		await editor.openNode(id, 'Edit Fields');
		await page.getByText('Usually outputs the following fields').waitFor();
		const offered = await editor.part('run-data-schema-item').allInnerTexts();
		const names = offered.map((text) => text.trim().split(/\s/)[0]);
		for (const name of ['company_number', 'company_name', 'company_status']) {
			expect(names).toContain(name);
		}
		expect(simulator.requests).toEqual([]);
	});

	describe('the credential dialog', () => {
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
			const reason = await dialog.innerText();
			await here.page.keyboard.press('Escape');
			await dialog.waitFor({ state: 'hidden' });
			return reason;
		}

		test('a key that the service takes is saved and tested; a wrong one is named, with what to do', async () => {
			const { editor, page, simulator } = here;
			await createNew('On new filing');
			await save({ baseUrl: `${simulator.url}/v1/`, apiKey: simulator.apiKey });
			await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });

			await editor.part('credential-edit-button').click();
			await page.getByText('Connection tested successfully').waitFor();

			await save({ apiKey: 'not-a-key' });
			const reason = await refusal();
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
			expect(reason).toContain('The registry service did not accept the session token');
			expect(reason).toContain("API keys go in the 'Company Registry API' credential");
		});

		test("a base URL that leads to a web page is told from the service's", async () => {
			await createNew('On new filing');
			await save({ baseUrl: here.host.url, apiKey: 'any' });
			expect(await refusal()).toContain('The Base URL does not lead to the registry service');
		});
	});
});

test('the pictures in the documents show what is to be seen', () =>
	expect(agedPictures()).toEqual([]));
