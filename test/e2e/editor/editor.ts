import { chromium, selectors, type Browser, type Page } from 'playwright-core';

import { addWitness } from '../../support/witnesses';
import { useSurroundings, type Surroundings } from '../surroundings';
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
}

/** For the tests of a `describe`. @param env added to that of n8n, which is then a new one */
export function useEditor(env?: Record<string, string>): Editor {
	let browser: Browser | undefined;
	// Before n8n is stopped.
	afterAll(async () => await browser?.close());
	const here = useSurroundings({ isWhole: true, env }) as Editor;
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
		const picture = async (path: string) => void (await page.screenshot({ path }));
		addWitness({ name: "n8n's editor", picture });
		const editor = new EditorPage(page, here.host.url);
		await editor.signIn();
		Object.assign(here, { page, editor });
	});
	return here;
}
