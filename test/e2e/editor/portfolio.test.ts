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
import { screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

describeInBrowser('a portfolio that follows a table', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	test('is brought up to date, and the summary says what has changed', async () => {
		const { editor, page } = here;
		const portfolio = await publishPortfolio(here, ['00445790', 'NI012345', '01487520']);
		const rows: Row[] = [
			['445790', 'Counter & Sons Ltd'],
			['SC123456', 'Glen Orrin Distillers Limited'],
			['1487520', ''],
			['3141592', ''],
		];
		const table = await createTable(here, 'Portfolio', rows);
		const n8nApi = await n8nApiCredential(here);
		const { workflow, credential: registry } = portfolio;
		const choices = { workflowId: workflow.id, registry, n8nApi, table, waitSeconds: WAIT_SECONDS };
		const { id } = await importKeeper(here, 'keep-portfolio-in-step', choices);
		await editor.visit(`/workflow/${id}`);
		await editor.part('execute-workflow-button').first().click();
		await page.getByText('Workflow executed successfully').waitFor();
		await page.locator('.el-notification__closeBtn').first().click();
		await page.locator('.el-notification').first().waitFor({ state: 'hidden' });
		await screenshot(page, 'portfolio-workflow');

		await page.locator('[data-test-id="canvas-node"][data-node-name="Summary"]').dblclick();
		await editor.part('output-panel').getByText('JSON', { exact: true }).click();
		const output = await editor.output('not_watched');
		expect(output).toContain('SC123456');
		expect(portfolio.watched()).toEqual(['00445790', '01487520', '03141592', 'SC123456']);
	});
});
