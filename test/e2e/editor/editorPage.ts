import type { Locator, Page } from 'playwright-core';

import { defaultOwner } from '../../n8n-host/n8nClient';

/** Longer than n8n waits for further typing. */
const TAKEN_OVER_AFTER_MS = 1500;

/** What n8n's editor is made with. */
interface VueApp {
	config: { globalProperties: { $router: { push(path: string): Promise<unknown> } } };
}

/** What a person does in n8n's editor, by what is to be seen there. */
export class EditorPage {
	constructor(
		private readonly page: Page,
		private readonly url: string,
	) {}

	/** A part of the editor by n8n's own mark for it. */
	part(name: string): Locator {
		return this.page.getByTestId(name);
	}

	/** Loads the editor, once; `visit` goes on from there. */
	async signIn(): Promise<void> {
		const { email, password } = defaultOwner;
		const data = { emailOrLdapLoginId: email, password };
		await this.page.context().request.post(`${this.url}/rest/login`, { data });
		await this.page.goto(`${this.url}/settings/personal`);
		await this.part('personal-settings-container').waitFor();
	}

	/** Goes to another page without a reload, which takes seconds. Saves nothing. */
	async visit(path: string): Promise<void> {
		// First to a page that no test waits for.
		for (const place of ['/nowhere', path]) {
			await this.page.evaluate(async (to) => {
				// In the page, because a locator would go on looking for it, which costs the browser much.
				const leaving = setInterval(() => {
					const buttons = document.querySelectorAll<HTMLElement>('[role=dialog] button');
					buttons.forEach((one) => {
						if (one.innerText.includes('Leave without saving')) one.click();
					});
				}, 100);
				const root = document.querySelector<Element & { __vue_app__: VueApp }>('#app');
				await root?.__vue_app__.config.globalProperties.$router.push(to);
				clearInterval(leaving);
			}, place);
		}
		await this.closeMessages();
	}

	/** Those in the corner, about what was done before, stand in the way. Waits until they have gone. */
	async closeMessages(): Promise<void> {
		await this.page.locator('.el-notification__closeBtn').evaluateAll(async (buttons) => {
			buttons.forEach((button) => (button as HTMLElement).click());
			for (let look = 0; look < 100 && buttons.some((one) => one.isConnected); look++) {
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		});
	}

	/** An empty workflow with the node panel open, which asks for the trigger. */
	async newWorkflow(): Promise<void> {
		const canvas = this.part('canvas-plus-button');
		// Now and then n8n looks for it among the saved ones.
		const notFound = this.page.getByText('Workflow not found');
		await this.visit('/workflow/new');
		await canvas.or(notFound).first().waitFor();
		if (await notFound.isVisible()) await this.visit('/workflow/new');
		await canvas.click();
		await this.part('node-creator-search-bar').waitFor();
	}

	/** The package's entry in the node panel. */
	packageEntry(): Locator {
		return this.part('item-iterator-item').filter({ hasText: 'Company Registry' });
	}

	/** Types `text` into the node panel's search and answers the package's entry. */
	async searchNodePanel(text: string): Promise<Locator> {
		await this.part('node-creator-search-bar').fill(text);
		await this.packageEntry().waitFor();
		return this.packageEntry();
	}

	/** From a new workflow: opens the package's entry, which lists its triggers and actions. */
	async openPackage(): Promise<void> {
		await this.newWorkflow();
		await (await this.searchNodePanel('company registry')).click();
		await this.part('node-creator-category-item').first().waitFor();
	}

	/** Adds one of the package's triggers or actions, such as "On new filing", and opens it. */
	async addNode(entry: string): Promise<void> {
		await this.openPackage();
		if (!entry.startsWith('On ')) await this.unfoldActions();
		await this.part('node-creator-item-name').getByText(entry, { exact: true }).click();
		await this.part('ndv').waitFor();
	}

	/** Opens a node that is on the canvas. */
	async openNode(name: string): Promise<void> {
		await this.part('canvas-node').filter({ hasText: name }).dblclick();
		await this.part('ndv').waitFor();
	}

	/** From a node without a credential: a new one of that name, for which `saveCredential` is left to do. */
	async connect(name: string, fields: Record<string, unknown>): Promise<void> {
		const empty = this.part('node-credentials-empty-state');
		await empty.getByRole('button', { name: `Connect to ${name}` }).click();
		for (const [field, value] of Object.entries(fields)) {
			await this.field(field).fill(String(value));
		}
	}

	/** Saves it again where n8n had not yet given it a name, which n8n does late and says as a problem. */
	async saveCredential(): Promise<void> {
		const dialog = this.part('credential-edit-dialog');
		const problem = this.page.getByText('Problem creating credential').first();
		for (let attempt = 1; attempt <= 5; attempt++) {
			await this.part('credential-save-button').click();
			await Promise.race([
				dialog.waitFor({ state: 'hidden' }),
				problem.waitFor({ state: 'visible' }),
			]);
			if (!(await dialog.isVisible())) return;
			await this.closeMessages();
		}
		await dialog.waitFor({ state: 'hidden' });
	}

	/** The actions of the package, which are folded away under a new workflow. */
	async unfoldActions(): Promise<void> {
		await this.part('node-creator-category-item').filter({ hasText: 'Actions' }).click();
		await this.part('node-creator-item-name').getByText('Get account usage').waitFor();
	}

	/** Types `text` into the picker of that field and takes the only entry with `choice`. */
	async pick(picker: Locator, text: string, choice: string): Promise<void> {
		await picker.click();
		await this.part('rlc-search').fill(text);
		await this.part('rlc-item').filter({ hasText: choice }).click();
	}

	/** The first picker on the screen. */
	picker(): Locator {
		return this.part('rlc-input').first();
	}

	/** The input of a parameter by its internal name. */
	field(name: string): Locator {
		return this.part(`parameter-input-${name}`).locator('input, textarea').first();
	}

	/** Chooses the entry of a parameter's drop-down list that reads exactly so. */
	async choose(name: string, entry: string): Promise<void> {
		await this.part(`parameter-input-${name}`).click();
		const isMeant = { has: this.page.getByText(entry, { exact: true }) };
		await this.page.locator('.el-select-dropdown__item:visible').filter(isMeant).click();
	}

	/** Types into a field of the node and leaves it. n8n takes typed text over a moment later. */
	async enter(input: Locator, text: string): Promise<void> {
		await input.fill(text);
		await this.leave(input);
	}

	/** Leaves a field that was typed into, until n8n has taken that over. */
	async leave(input: Locator): Promise<void> {
		await input.blur();
		// By the page's own clock, so that what n8n has set there comes before, however late both are.
		await this.page.evaluate(
			async (ms) => await new Promise((resolve) => setTimeout(resolve, ms)),
			TAKEN_OVER_AFTER_MS,
		);
	}

	async executeStep(): Promise<void> {
		await this.part('node-execute-button').click();
	}

	async closeNode(): Promise<void> {
		await this.part('ndv-close-button').click();
		await this.part('ndv').waitFor({ state: 'hidden' });
	}

	/** "Publish" and its confirmation, whatever comes of it. */
	async publish(): Promise<void> {
		await this.part('workflow-open-publish-modal-button').click();
		await this.part('workflow-publish-button').click();
	}

	/** The same, until it is published. Answers what n8n says then. */
	async publishSuccessfully(): Promise<string> {
		await this.publish();
		const dialog = this.part('activation-modal');
		const said = await dialog.innerText();
		await dialog.getByText('Got it').click();
		await this.part('workflow-active-version-indicator').waitFor();
		return said;
	}

	/** What the open node put out or failed with, once `text` is in it. */
	async output(text: string): Promise<string> {
		const output = this.part('output-panel').filter({ hasText: text });
		return await output.innerText();
	}
}
