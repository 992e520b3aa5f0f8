// The package in the node panel, its nodes, and the paths of records in its credential.
import { triggerOnOptions } from '../../../nodes/CompanyRegistry/shared/events';
import { offeredOperations } from '../../support/operations';
import { describeInBrowser, here } from './editor';
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

const OFFICERS_PATH = '/v1/some-officers/{company_number}';
const PATHS = ['companyPath', 'officersPath', 'pscsPath', 'filingsPath'];

describeInBrowser("n8n's editor", () => {
	// A new node gets the only one.
	beforeAll(async () => {
		await here.deleteCredentials();
		await here.client.createRegistryCredential(here.simulator);
		await here.editor.signIn();
	});

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
		const triggers = triggerOnOptions.map(({ action }) => action);
		const actions = offeredOperations().map(({ operation }) => operation.action);
		expect(await categories.allInnerTexts()).toEqual([
			`Triggers (${triggers.length})`,
			`Actions (${actions.length})`,
		]);
		const shown = await editor.part('node-creator-item-name').allInnerTexts();
		expect(shown).toEqual([...triggers, ...actions]);
		expect(shown).toEqual(expect.arrayContaining(['On new filing', 'Search companies']));
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
		await editor.part('output-panel').getByTestId('radio-button-table').click();
		const output = await editor.output('NORTHGATE BRICKWORKS LIMITED');
		expect(output).toMatch(/company_number\s+company_name\s+company_status/);
		for (const state of ['active', 'liquidation', 'dissolved']) expect(output).toContain(state);
		await editor.closeMessages();
		await screenshot(page, 'search', { height: 254, last: editor.field('query') });
	});

	test('the switch of its credential shows four optional paths, and Get Officers then reads the officers', async () => {
		const { editor, simulator } = here;
		await here.deleteCredentials();
		// The editor remembers credentials until it is loaded again.
		await editor.signIn();
		await editor.addNode('Get officers of company');
		const { url, apiKey } = simulator;
		await editor.connect('Company Registry', { baseUrl: url, apiKey });
		for (const path of PATHS) expect(await editor.field(path).count()).toBe(0);
		await editor.part('parameter-input-recordPaths').click();
		for (const path of PATHS) await editor.field(path).waitFor();
		await editor.field('officersPath').fill(OFFICERS_PATH);
		await editor.saveCredential();

		await editor.pick(editor.picker(), 'tess', 'TESSELLATE STORES PLC');
		const officers = { status: 200, body: { data: [{ name: 'Ada Example' }] } };
		simulator.fault({ path: /some-officers\/99000001$/, action: officers });
		await editor.executeStep();
		expect(await editor.output('Ada Example')).toContain('1 item');
	});
});
