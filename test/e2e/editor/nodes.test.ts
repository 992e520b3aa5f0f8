// The package in n8n's editor, in a browser: in the node panel, its nodes, its examples, and the paths of records in its
// credential. Loading the editor takes many seconds: all of this is done in one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { isEqual, pick } from 'lodash';
import type { INode } from 'n8n-workflow';

import { triggerOnOptions } from '../../../nodes/CompanyRegistry/shared/events';
import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import { waitFor } from '../../n8n-host/waitFor';
import { offeredOperations } from '../../support/operations';
import { describeInBrowser, useEditor } from './editor';
import { screenshot } from './screenshots';

const searches = [
	'company registry',
	'companies house',
	'KYB',
	'filing',
	'director',
	'beneficial owner',
	'PSC',
];

const folder = join(__dirname, '../../../examples');
const examples = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

/** Fields of the examples that are the user's own. */
const FILLED_IN = ['companies', 'companyNumbers', 'dataTableId'];

const OFFICERS_PATH = '/v1/some-officers/{company_number}';
const PATHS = ['companyPath', 'officersPath', 'pscsPath', 'filingsPath'];

describeInBrowser("n8n's editor", () => {
	const here = useEditor();

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

	/** File names of the icons in the node panel. */
	async function icons(): Promise<Set<string>> {
		const images = here.editor.part('item-iterator-item').locator('img:visible');
		await images.nth(2).waitFor();
		const shown = await images.evaluateAll(async (elements) => {
			const names = (elements as HTMLImageElement[]).map(async (image) => {
				// Once it is loaded; there is none where that fails.
				const isLoaded = await image.decode().then(
					() => true,
					() => false,
				);
				return `${image.src.split('/').pop()}${isLoaded ? '' : ' is missing'}`;
			});
			return await Promise.all(names);
		});
		return new Set(shown);
	}

	test('the package shows one entry per event and each action once, with an icon for each theme', async () => {
		const { editor, page } = here;
		await editor.openPackage();
		expect(await icons()).toEqual(new Set(['companyRegistry.svg']));
		await editor.unfoldActions();

		const categories = editor.part('node-creator-category-item');
		const triggers = triggerOnOptions.map(({ action }) => action);
		const actions = offeredOperations().map(({ operation }) => operation.action);
		expect(await categories.allInnerTexts()).toEqual([
			`Triggers (${triggers.length})`,
			`Actions (${actions.length})`,
		]);
		const shown = await editor.part('node-creator-item-name').allInnerTexts();
		expect(shown).toEqual([...triggers, ...actions]);
		expect(shown).toEqual(expect.arrayContaining(['On new filing', 'Search companies']));

		await page.emulateMedia({ colorScheme: 'dark' });
		await editor.openPackage();
		expect(await icons()).toEqual(new Set(['companyRegistry.dark.svg']));
		await page.emulateMedia({ colorScheme: null });
	});

	test('a company that the trigger watches is picked by a part of its name, and its sample arrives', async () => {
		const { editor } = here;
		await editor.addNode('On new filing');
		await editor.choose('companiesFrom', 'Search and Pick');
		await editor.pick(editor.picker(), 'tess', 'TESSELLATE STORES PLC');
		await editor.executeStep();
		expect(await editor.output('filing.new')).toContain('TESSELLATE STORES PLC');
	});

	test('a search shows the companies as a table', async () => {
		const { editor, page } = here;
		await editor.addNode('Search companies');
		await editor.enter(editor.field('query'), 'northgate');
		await editor.executeStep();
		const output = await editor.output('NORTHGATE BRICKWORKS LIMITED');
		expect(output).toMatch(/company_number\s+company_name\s+company_status/);
		for (const state of ['active', 'liquidation', 'dissolved']) expect(output).toContain(state);
		await editor.closeMessages();
		await screenshot(page, 'search', { height: 254, last: editor.field('query') });
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

	/** Whether the user has to fill something in: n8n chooses the account's only registry credential by itself. */
	function isLacking({ type, parameters }: INode): boolean {
		const isEmpty = (value: unknown) => /^""$|"mode":"list","value":""/.test(JSON.stringify(value));
		const hasOwnCredential = ['emailSend', 'webhook'].includes(type.replace(/.+\./, ''));
		return hasOwnCredential || Object.values(pick(parameters, FILLED_IN)).some(isEmpty);
	}

	/** The canvas's scale, and the beginnings of notes that do not fit their frame. */
	async function legibility() {
		return await here.page.evaluate(() => {
			const canvas = document.querySelector<HTMLElement>('.vue-flow__transformationpane');
			const notes = Array.from(document.querySelectorAll('.n8n-sticky'));
			const isCut = (part: Element) =>
				part.clientHeight > 0 && part.scrollHeight > part.clientHeight;
			const cut = notes.filter((note) =>
				[note, ...Array.from(note.querySelectorAll('*'))].some(isCut),
			);
			return {
				scale: new DOMMatrix(canvas?.style.transform).a,
				notes: notes.length,
				cut: cut.map(({ textContent }) => textContent?.trim().slice(0, 40)),
			};
		});
	}

	test.each(examples)(
		'%s is imported from its file, shows its note without zooming, and lacks only what the note asks for',
		async (name) => {
			const { editor, page } = here;
			const { nodes } = exampleWorkflow(name);
			const named = nodes
				.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
				.map((node) => node.name);
			await editor.newCanvas();
			const file = join(folder, `${name}.json`);
			await editor.part('workflow-import-input').setInputFiles(file);
			await editor.part('canvas-node').first().waitFor();

			const onCanvas = editor.part('canvas-node');
			await onCanvas.nth(named.length - 1).waitFor();
			const namesOf = async (shown: typeof onCanvas) =>
				await shown.evaluateAll((elements) =>
					elements.map((one) => one.getAttribute('data-node-name')),
				);
			expect(await namesOf(onCanvas)).toEqual(named);
			const note = nodes.find((node) => node.name === 'Instructions')?.parameters.content;
			const heading = String(note).split('\n')[0].replace('## ', '');
			await page.getByRole('heading', { name: heading }).waitFor();

			const faulty = onCanvas.filter({ has: editor.part('node-issues') });
			const lacking = nodes.filter(isLacking).map((node) => node.name);
			// n8n marks more of them until it has chosen the account's only registry credential.
			await waitFor(`only ${lacking.join()} to be marked`, async () =>
				isEqual(await namesOf(faulty), lacking),
			);

			const { scale, ...notes } = await legibility();
			expect(notes).toEqual({ notes: nodes.length - named.length, cut: [] });
			expect(scale).toBeGreaterThanOrEqual(0.8);
		},
	);

	describe('the credential', () => {
		beforeAll(async () => {
			const { client, credential, editor } = here;
			await client.request('DELETE', `/credentials/${credential.id}`);
			// The editor remembers credentials until it is loaded again.
			await editor.signIn();
		});

		const shownPaths = async () => {
			const counts = PATHS.map(async (name) => await here.editor.field(name).count());
			return (await Promise.all(counts)).filter((count) => count > 0).length;
		};
		const flip = async () => await here.editor.part('parameter-input-recordPaths').click();
		/** n8n closes a new credential by itself, but not one that was saved before. Escape closes the node, too. */
		const saveAgain = async () => {
			const { editor, page } = here;
			const save = editor.part('credential-save-button');
			await save.click();
			// Until it shows this, n8n asks whether to throw the changes away.
			await save.getByText('Saved', { exact: true }).waitFor();
			await page.keyboard.press('Escape');
			await editor.part('credential-edit-dialog').waitFor({ state: 'hidden' });
			await editor.openNode('Get officers of company');
		};

		test('its switch shows four optional paths, and Get Officers then reads the officers', async () => {
			const { editor, simulator } = here;
			await editor.addNode('Get officers of company');
			const { url, apiKey } = simulator;
			await editor.connect('Company Registry', { baseUrl: url, apiKey });
			expect(await shownPaths()).toBe(0);
			await flip();
			await editor.field('officersPath').waitFor();
			expect(await shownPaths()).toBe(4);
			await editor.field('officersPath').fill(OFFICERS_PATH);
			await editor.saveCredential();

			await editor.pick(editor.picker(), 'tess', 'TESSELLATE STORES PLC');
			const officers = { status: 200, body: { data: [{ name: 'Ada Example' }] } };
			simulator.fault({ path: /some-officers\/99000001$/, action: officers });
			await editor.executeStep();
			expect(await editor.output('Ada Example')).toContain('1 item');
		});

		test('with the switch off, the operation says where its path belongs', async () => {
			const { editor } = here;
			await editor.part('credential-edit-button').click();
			// Shown once n8n has loaded what is stored.
			await editor.field('officersPath').waitFor();
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
	});
});
