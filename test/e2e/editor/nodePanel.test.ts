// How the package is found in the node panel of n8n's editor, and how it looks there.
import type { INodePropertyOptions } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { eventOptions } from '../../../nodes/CompanyRegistry/shared/events';
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { screenshot } from './screenshots';

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

describeInBrowser("n8n's node panel", () => {
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
		const { editor, page } = here;
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
		await screenshot(page, 'node-panel');
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
		await screenshot(here.page, `theme-${colorScheme}`);
		await here.page.emulateMedia({ colorScheme: null });
		expect(shown.length).toBeGreaterThanOrEqual(3);
		expect([...new Set(shown)]).toEqual([file]);
	});
});
