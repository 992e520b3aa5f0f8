// Each example imported from its file in n8n's editor, in a browser.
// Takes long because the editor does.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { isEqual } from 'lodash';
import type { INode } from 'n8n-workflow';

import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import { waitFor } from '../../n8n-host/waitFor';
import { spreadsheet } from '../examples/spreadsheet';
import { describeInBrowser, useEditor } from './editor';

const folder = join(__dirname, '../../../examples');
const examples = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

describeInBrowser("n8n's import from a file", () => {
	const here = useEditor();
	afterEach(() => (here.simulator.latencyMs = 0));

	/** Whether the user has to fill something in: n8n chooses the account's only registry credential by itself. */
	function isLacking({ type, parameters }: INode): boolean {
		const isEmpty = (value: unknown) => /^""$|"mode":"list","value":""/.test(JSON.stringify(value));
		const hasOwnCredential = ['emailSend', 'webhook'].includes(type.replace(/.+\./, ''));
		const { companies = 0, companyNumbers = 0, recordPath = 0, dataTableId = 0 } = parameters;
		return hasOwnCredential || [companies, companyNumbers, recordPath, dataTableId].some(isEmpty);
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
		'imports %s, shows its note without zooming, and lacks only what the note asks for',
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
			const note = nodes.find((node) => node.name === 'What to Fill In')?.parameters.content;
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

	test('find-company-numbers shows its progress: the number of rows, and how many are done', async () => {
		const { client, editor, host, page, simulator } = here;
		const { nodes } = exampleWorkflow('find-company-numbers');
		await editor.newCanvas();
		const file = join(folder, 'find-company-numbers.json');
		await editor.part('workflow-import-input').setInputFiles(file);
		await editor.part('canvas-node').nth(5).waitFor();
		await page.keyboard.press('Control+s');
		await page.waitForURL(/workflow\/\w+/);
		// Each label stays for six seconds, long enough for a slow machine.
		simulator.latencyMs = 3000;
		await editor.part('execute-workflow-button').first().click();
		await page.getByText('Waiting for you to submit the form').first().waitFor();
		const id = String(/workflow\/(\w+)/.exec(page.url())?.[1]);
		const saved = await client.workflow(id);
		const form = saved.nodes.find(({ name }) => name === nodes[0].name);
		const rows = Array.from({ length: 90 }, (_, ref) => ({ Client: `Nobody ${ref}`, ref }));
		const body = new FormData();
		const bytes = new Uint8Array(spreadsheet(rows, 'csv'));
		body.append('field-0', new File([bytes], 'clients.csv', { type: 'text/csv' }));
		await fetch(`${host.url}/form-test/${form?.webhookId}`, { method: 'POST', body });

		await page.getByText('90 items', { exact: true }).first().waitFor();
		for (const done of [40, 60, 80]) {
			const labels = page.getByText(`${done} items total`, { exact: true });
			const { height } = page.viewportSize()!;
			// Found and measured in one step, because n8n redraws the label of a line with each batch.
			const inView = async () =>
				await labels.evaluateAll(
					(shown, lowest) => shown.some((label) => label.getBoundingClientRect().y < lowest),
					height - 100,
				);
			await waitFor(`"${done} items total" on the screen`, inView, { everyMs: 100 });
		}
		await page.getByText('Workflow executed successfully').waitFor();
	});
});
