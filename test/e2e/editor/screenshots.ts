import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

const repository = join(__dirname, '../../..');

/** The ones that the documents show. */
const documented = new Set([
	'mail',
	'walkthrough-trigger',
	'search-output',
	'portfolio-workflow',
	'unverified-in-production',
]);

/**
 * Writes what is to be seen now to `.cache/screenshots/<name>.png`; the documented ones go to
 * `docs/screenshots` instead where the environment has `TEST_SCREENSHOTS=docs`.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
	const intoDocs = process.env.TEST_SCREENSHOTS === 'docs' && documented.has(name);
	const folder = join(repository, intoDocs ? 'docs' : '.cache', 'screenshots');
	mkdirSync(folder, { recursive: true });
	await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
