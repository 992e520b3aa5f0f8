// A publish that fails, in n8n's red box, which shows 30 % of the window's height: cause and next step are visible
// without scrolling.
import type { Credential, WorkflowFile } from '../../n8n-host/n8nTypes';
import { serviceOf } from '../../support/atService';
import { companyNumbers, watcher } from '../reliability/watchers';
import { describeInBrowser, here } from './editor';

/** Of a screen of 1440 by 900. */
const BOX_HEIGHT = 270;

/** In the page: the box's text, and how much of it is within what the box shows. */
function readBox(content: Element) {
	const { top, bottom } = content.getBoundingClientRect();
	const seen = document.createRange();
	const texts = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
	let text = '';
	for (let node = texts.nextNode(); node; node = texts.nextNode()) {
		for (let index = 0; index < (node as Text).length; index++) {
			seen.setStart(node, index);
			seen.setEnd(node, index + 1);
			const isSeen = Array.from(seen.getClientRects()).every(
				(letter) => letter.top >= top && letter.bottom <= bottom,
			);
			if (isSeen) text += String(seen);
		}
	}
	const inOneLine = (words: string) => words.replace(/\s+/g, ' ').trim();
	return {
		all: inOneLine(content.textContent ?? ''),
		seen: inOneLine(text),
		shown: content.clientHeight,
		whole: content.scrollHeight,
	};
}

describeInBrowser("n8n's red box", () => {
	let credential: Credential;

	beforeAll(async () => {
		credential = await here.client.createRegistryCredential(here.simulator);
		await here.page.setViewportSize({ width: 1440, height: 900 });
	});

	/** The text of the box when this is published. */
	async function refusedPublish(workflow: WorkflowFile) {
		const { client, editor, page } = here;
		const { id } = await client.createWorkflow(workflow);
		await editor.visit(`/workflow/${id}`);
		const box = page
			.locator('.el-notification')
			.filter({ hasText: 'Workflow could not be published' });
		// That of the test before.
		await box.first().waitFor({ state: 'hidden' });
		await editor.publish();
		await box.first().waitFor();
		return await box.first().locator('.el-notification__content').evaluate(readBox);
	}

	test('a list whose companies are all refused: their numbers, the words of the service, and the next step', async () => {
		const service = serviceOf(here.simulator);
		service.refuse(['SC990001'], 422, 'No company with this number is on the register');
		const list = 'Company number\tName\nSC990001\tGlen Orrin Distillers Limited';
		const { seen } = await refusedPublish(watcher(credential, [], { companyNumbers: list }));
		expect(seen).toMatch(
			/^This workflow watches no company yet\. The registry service refused 1 company/,
		);
		expect(seen).toContain('"No company with this number is on the register"');
		expect(seen).toContain("Check the number, the events under 'Trigger On' and n8n's address");
		expect(seen).toContain('SC990001 Glen Orrin');
	});

	test('a table with the wrong column: how many rows have no number, the form of a number, then the rows', async () => {
		const rows = companyNumbers(30).map((number) => `HRB ${number}x\tClient ${number}`);
		const list = ['Company number\tName', '99000001\tTessellate Stores plc', ...rows].join('\n');
		const workflow = watcher(credential, [], { companyNumbers: list });
		const { seen, shown, whole } = await refusedPublish(workflow);
		expect([shown, whole > shown]).toEqual([BOX_HEIGHT, true]);
		expect(seen).toMatch(
			/^This workflow watches no company yet\. 30 of 31 rows have no readable company number/,
		);
		expect(seen).toContain('Enter all 8 characters');
		expect(seen).toContain('Unreadable: row 3');
	});
});
