import { join } from 'node:path';

import type { Page } from 'playwright-core';

const folder = join(__dirname, '../../../docs/screenshots');

/** With `TEST_SCREENSHOTS=docs` in the environment, writes what is to be seen now to `docs/screenshots`. */
export async function screenshot(page: Page, name: string): Promise<void> {
	if (process.env.TEST_SCREENSHOTS !== 'docs') return;
	await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
