// How the package is found in the node panel of n8n's editor, and how it looks there.
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
		expect(await categories.allInnerTexts()).toEqual(['Triggers (3)', 'Actions (10)']);
		expect(await editor.part('node-creator-item-name').allInnerTexts()).toEqual([
			'On new filing',
			'On officer appointed',
			'On PSC added',
			'Get company record',
			'Search companies',
			'Create webhook',
			'Get webhook',
			'Get many webhooks',
			'Pause webhook',
			'Resume webhook',
			'Update webhook',
			'Get account keys',
			'Get account usage',
		]);
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
