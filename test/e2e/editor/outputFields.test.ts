// What the next node can use is shown before anything has run. n8n 2.40 shows it of actions only.
import { withCredential } from '../../n8n-host/exampleWorkflows';
import type { WorkflowFile } from '../../n8n-host/n8nTypes';
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

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

describeInBrowser('before the first run', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	test('the next node is offered the fields of the action', async () => {
		const { client, credential, editor, page, simulator } = here;
		const { id } = await client.createWorkflow(withCredential(searchThenNext, credential));
		await editor.openNode(id, 'Edit Fields');
		await page.getByText('Usually outputs the following fields').waitFor();
		const offered = await editor.part('run-data-schema-item').allInnerTexts();
		const names = offered.map((text) => text.trim().split(/\s/)[0]);
		for (const name of ['company_number', 'company_name', 'company_status']) {
			expect(names).toContain(name);
		}
		expect(simulator.requests).toEqual([]);
		await screenshot(page, 'fields-before-run');
	});
});
