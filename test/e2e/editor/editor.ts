import type { Browser, Page } from 'playwright-core';

import { Cleanups } from '../../n8n-host/cleanups';
import { addWitness } from '../../support/witnesses';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { startBrowser } from './browser';
import { EditorPage } from './editorPage';

/** Longer than n8n's editor needs for anything on a busy machine. */
const STEP_TIMEOUT_MS = 45_000;

/** A real n8n with its editor open in a browser, signed in as the owner. */
export interface Editor extends Surroundings {
	page: Page;
	editor: EditorPage;
}

/** For the tests of a `describe`. */
export function useEditor(): Editor {
	jest.setTimeout(E2E_TIMEOUT_MS);
	const here = {} as Editor;
	beforeAll(async () => void Object.assign(here, await startEditor()));
	afterAll(async () => await here.stop?.());
	return here;
}

/** Opens the editor and signs in as the owner. */
export async function startEditor(): Promise<Editor> {
	const cleanups = new Cleanups();
	try {
		const surroundings = await startSurroundings({ isWhole: true });
		cleanups.add('stop n8n and what surrounds it', surroundings.stop);
		const browser = await startBrowser();
		cleanups.add('close the browser', async () => await browser.close());
		const page = await openPage(browser);
		const picture = async (path: string) => void (await page.screenshot({ path }));
		addWitness({ name: "n8n's editor", picture });
		const editor = new EditorPage(page, surroundings.host.url);
		await editor.signIn();
		return { ...surroundings, page, editor, stop: async () => await cleanups.run() };
	} catch (error) {
		await cleanups.run();
		throw error;
	}
}

async function openPage(browser: Browser): Promise<Page> {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
	page.setDefaultTimeout(STEP_TIMEOUT_MS);
	// The editor asks before it leaves a workflow that has changed.
	page.on('dialog', (dialog) => void dialog.accept());
	return page;
}
