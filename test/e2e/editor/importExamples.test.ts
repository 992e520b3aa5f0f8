// Each example imported from its file in n8n's editor, in a browser.
// Takes long because the editor does.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { alertWithoutMail, exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import type { WorkflowFile } from '../../n8n-host/n8nTypes';
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';

jest.setTimeout(E2E_TIMEOUT_MS);

const folder = join(__dirname, '../../../examples');
const examples = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

describeInBrowser("n8n's import from a file", () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	async function importFile(file: string | WorkflowFile): Promise<void> {
		const { editor } = here;
		await editor.newCanvas();
		await editor.part('workflow-import-input').setInputFiles(
			typeof file === 'string'
				? file
				: {
						name: 'filled-in.json',
						mimeType: 'application/json',
						buffer: Buffer.from(JSON.stringify(file)),
					},
		);
		await editor.part('canvas-node').first().waitFor();
	}

	/** What n8n cannot choose by itself: all but the account's only registry credential. */
	function isLacking({ type, parameters }: INode): boolean {
		const isEmpty = (value: unknown) => /^""$|"mode":"list","value":""/.test(JSON.stringify(value));
		const hasOwnCredential = ['emailSend', 'n8n', 'lmChatOpenAi'].includes(
			type.replace(/.+\./, ''),
		);
		const { companies = 0, companyNumbers = 0, recordPath = 0, dataTableId = 0 } = parameters;
		return hasOwnCredential || [companies, companyNumbers, recordPath, dataTableId].some(isEmpty);
	}

	/** How large the canvas is shown, in parts of its full size, and the beginnings of notes that do not fit their frame. */
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
		'takes %s with notes that are read without zooming, and lacks nothing but what they have one fill in',
		async (name) => {
			const { editor, page } = here;
			const { nodes } = exampleWorkflow(name);
			const named = nodes
				.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
				.map((node) => node.name);
			await importFile(join(folder, `${name}.json`));

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
			if (lacking.length > 0) await faulty.nth(lacking.length - 1).waitFor();
			expect(await namesOf(faulty)).toEqual(lacking);

			const { scale, ...notes } = await legibility();
			expect(notes).toEqual({ notes: nodes.length - named.length, cut: [] });
			expect(scale).toBeGreaterThanOrEqual(0.8);
		},
	);

	test('an example that is taken twice can be published twice', async () => {
		const { credential, editor, simulator } = here;
		for (let time = 1; time <= 2; time++) {
			await importFile(alertWithoutMail(credential, ['00445790']));
			await editor.publishSuccessfully();
		}

		const webhooks = simulator.webhooks();
		expect(webhooks).toMatchObject(Array(2).fill({ company_number: '00445790', is_active: true }));
		expect(new Set(webhooks.map(({ url }) => new URL(url).pathname)).size).toBe(2);
	});
});
