// Each example imported from its file in n8n's editor, in a browser.
// Takes long because the editor does.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { isEqual } from 'lodash';
import type { INode } from 'n8n-workflow';

import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import { waitFor } from '../../n8n-host/waitFor';
import { describeInBrowser, useEditor } from './editor';

const folder = join(__dirname, '../../../examples');
const examples = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

describeInBrowser("n8n's import from a file", () => {
	const here = useEditor();

	/** Whether the user has to fill something in: n8n chooses the account's only registry credential by itself. */
	function isLacking({ type, parameters }: INode): boolean {
		const isEmpty = (value: unknown) => /^""$|"mode":"list","value":""/.test(JSON.stringify(value));
		const hasOwnCredential = ['emailSend', 'webhook'].includes(type.replace(/.+\./, ''));
		const {
			companies = 0,
			companyNumbers = 0,
			recordPath = 0,
			text = 0,
			dataTableId = 0,
		} = parameters;
		const fields = [companies, companyNumbers, recordPath, text, dataTableId];
		return hasOwnCredential || fields.some(isEmpty);
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
});
