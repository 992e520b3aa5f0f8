// The portfolio that follows a table, as its owner sees it in n8n's editor.
// Takes long because the editor does.
import {
	createTable,
	importKeeper,
	n8nApiCredential,
	publishPortfolio,
	WAIT_SECONDS,
	type Row,
} from '../examples/portfolio';
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { agedPictures, screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

describeInBrowser('a portfolio that follows a table', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	test('is brought up to date, and the report says what has changed', async () => {
		const { editor, page } = here;
		const portfolio = await publishPortfolio(here, ['99000001', 'NI990001', '97000001']);
		const rows: Row[] = [
			['99000001', 'Tessellate Stores plc'],
			['SC993456', 'Glen Orrin Distillers Limited'],
			['97000001', ''],
			['97000002', ''],
		];
		const table = await createTable(here, 'Portfolio', rows);
		const n8nApi = await n8nApiCredential(here);
		const { workflow, credential: registry } = portfolio;
		const choices = { workflowId: workflow.id, registry, n8nApi, table, waitSeconds: WAIT_SECONDS };
		const { id } = await importKeeper(here, choices);
		await editor.visit(`/workflow/${id}`);
		await editor.part('execute-workflow-button').first().click();
		await page.getByText('Workflow executed successfully').waitFor();
		await page.locator('.el-notification__closeBtn').first().click();
		await page.locator('.el-notification').first().waitFor({ state: 'hidden' });
		await screenshot(page, 'portfolio-workflow');

		await page.locator('[data-test-id="canvas-node"][data-node-name="Work Out"]').dblclick();
		await editor.part('output-panel').getByText('JSON', { exact: true }).click();
		expect(await editor.output('Unchanged')).toContain('SC993456, Glen Orrin Distillers Limited');
		expect(portfolio.watched()).toEqual(['97000001', '97000002', '99000001', 'SC993456']);
	});
});

test('the pictures in the documents show what is to be seen', () =>
	expect(agedPictures()).toEqual([]));
