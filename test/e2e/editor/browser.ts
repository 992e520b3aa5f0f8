import { chromium, selectors, type Browser } from 'playwright-core';

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

export async function startBrowser(): Promise<Browser> {
	// What n8n's editor marks its parts with.
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({ executablePath, args: quiet });
}
