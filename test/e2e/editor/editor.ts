import { chromium, selectors, type Browser, type Page } from 'playwright-core';

import type { Credential } from '../../n8n-host/n8nTypes';
import { keptFile, useSurroundings, type Surroundings } from '../surroundings';
import { EditorPage } from './editorPage';

/** Longer than n8n's editor needs for anything on a busy machine. */
const STEP_TIMEOUT_MS = 150_000;

/** Path of Chrome or Chromium as `npm test` found it; see scripts/lib/optionalServices.mjs. */
const executablePath = process.env.TEST_CHROMIUM;

/** A `describe` whose tests are reported as skipped where there is no browser. */
export const describeInBrowser = executablePath ? describe : describe.skip;

/** Without a sandbox, so that it starts as root and in containers: it opens nothing but the local n8n. */
const quiet = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// No animations, as in a person's own settings: what is seen holds still.
	'--force-prefers-reduced-motion',
];

/** A real n8n with its editor open in a browser, signed in as the owner. */
interface Editor extends Surroundings {
	page: Page;
	editor: EditorPage;
	/** The editor remembers them until it is loaded again. */
	deleteCredentials(): Promise<void>;
}

/** Of the test file. Loading the editor takes many seconds, so all its tests share one. */
export const here = useEditor();

function useEditor(): Editor {
	let browser: Browser | undefined;
	// Before n8n is stopped.
	afterAll(async () => {
		await browser
			?.contexts()[0]
			?.pages()[0]
			?.screenshot({ path: keptFile('last.png') });
		await browser?.close();
	});
	const opened = useSurroundings({ hasEditor: true }) as Editor;
	beforeAll(async () => {
		// What n8n's editor marks its parts with.
		selectors.setTestIdAttribute('data-test-id');
		browser = await chromium.launch({ executablePath, args: quiet });
		const viewport = { width: 1280, height: 800 };
		// Pictures are taken at twice the resolution.
		const deviceScaleFactor = process.env.TEST_SCREENSHOTS === 'docs' ? 2 : 1;
		const page = await browser.newPage({ viewport, deviceScaleFactor, locale: 'en-GB' });
		page.setDefaultTimeout(STEP_TIMEOUT_MS);
		// The editor asks before it leaves a workflow that has changed.
		page.on('dialog', (dialog) => void dialog.accept());
		const editor = new EditorPage(page, opened.host.url);
		await editor.signIn();
		const deleteCredentials = async () => {
			const { client } = opened;
			for (const { id } of await client.request<Credential[]>('GET', '/credentials'))
				await client.request('DELETE', `/credentials/${id}`);
		};
		Object.assign(opened, { page, editor, deleteCredentials });
	});
	return opened;
}
