import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

const folder = join(__dirname, '../../../docs/screenshots');

/**
 * `npm run pictures` writes what is to be seen now to `docs/screenshots`, and beside it the words that are to be
 * read there. Otherwise they are compared with those of now: see `agedPictures`.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
	const words = await wordsOn(page);
	const wordsFile = join(folder, `${name}.txt`);
	if (process.env.TEST_SCREENSHOTS === 'docs') {
		await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
		writeFileSync(wordsFile, `${words.join(' ')}\n`);
		return;
	}
	// Of one that was made before words were kept, nothing is known.
	if (!existsSync(wordsFile)) return;
	const before = readFileSync(wordsFile, 'utf8').trim().split(' ');
	const gone = before.filter((word) => !words.includes(word));
	const added = words.filter((word) => !before.includes(word));
	if (gone.length + added.length === 0) return;
	aged.push(
		`docs/screenshots/${name}.png: run "npm run pictures". Gone: ${gone.join(' ')}. New: ${added.join(' ')}.`,
	);
}

const aged: string[] = [];

/** The pictures of this test file that show other words than are to be read now. */
export function agedPictures(): string[] {
	return aged;
}

/** Of the open node, or of the whole page: no numbers, ids or dates, which differ each time. */
async function wordsOn(page: Page): Promise<string[]> {
	const node = page.getByTestId('ndv');
	const part = (await node.isVisible()) ? node : page.locator('body');
	const text = await part.evaluate((element: HTMLElement) =>
		[element, ...Array.from(element.querySelectorAll<HTMLInputElement>('input, textarea'))]
			.map((one) => ('value' in one ? one.value : one.innerText))
			.join('\n'),
	);
	const words = text.split(/[^\w.@-]+/).map((word) => word.replace(/^\W+|\W+$/g, ''));
	const isWord = (word: string) => /^[a-z.@-]{3,}$/i.test(word) && !MONTH.test(word);
	return [...new Set(words.filter(isWord))].sort();
}

const MONTH = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/;
