import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page, PageScreenshotOptions } from 'playwright-core';

import { movingPicture } from './film';

const folder = join(__dirname, '../../../docs/screenshots');
const wordsFile = (name: string) => join(__dirname, '../../fixtures/pictures', `${name}.txt`);
/** By `npm run pictures`. */
const isTaken = process.env.TEST_SCREENSHOTS === 'docs';
const SCENE_MS = 4000;

/** The part of the page that a picture shows, in its pixels. */
type Clip = PageScreenshotOptions['clip'];

/**
 * `npm run pictures` writes the picture to `docs/screenshots` and its words to `test/fixtures/pictures`. Otherwise
 * the words are compared: see `agedPictures`.
 */
export async function screenshot(page: Page, name: string, clip?: Clip): Promise<void> {
	const film = new Film();
	await film.take(page, '', clip);
	film.show(name);
}

/** Several screenshots that become one picture. */
export class Film {
	private readonly frames: Array<{ png: Buffer; ms: number }> = [];

	private readonly words = new Set<string>();

	/** @param caption shown at the bottom of the scene */
	async take(page: Page, caption = '', clip?: Clip): Promise<void> {
		for (const word of await wordsOn(page)) this.words.add(word);
		if (!isTaken) return;
		await page.evaluate(showBeginnings);
		await page.evaluate(showCaption, caption);
		// Messages that were closed fade.
		await page.waitForTimeout(500);
		const png = await page.screenshot({ animations: 'disabled', clip });
		this.frames.push({ png, ms: SCENE_MS });
		await page.evaluate(showCaption, '');
	}

	/** The scene becomes the first one. */
	async takeAsOpening(page: Page, caption: string): Promise<void> {
		const later = this.frames.splice(0);
		await this.take(page, caption);
		this.frames.push(...later);
	}

	/** Under this name, as the only one that was taken or as a moving picture. */
	show(name: string): void {
		const words = [...this.words].sort();
		if (!isTaken) return compare(name, words);
		const { frames } = this;
		const picture = frames.length > 1 ? movingPicture(frames) : frames[0].png;
		writeFileSync(join(folder, `${name}.png`), picture);
		writeFileSync(wordsFile(name), `${words.join(' ')}\n`);
	}
}

function compare(name: string, words: string[]): void {
	// A new picture has no words to compare with.
	if (!existsSync(wordsFile(name))) return;
	const before = readFileSync(wordsFile(name), 'utf8').trim().split(' ');
	const gone = before.filter((word) => !words.includes(word));
	const added = words.filter((word) => !before.includes(word));
	if (gone.length + added.length === 0) return;
	aged.push(
		`docs/screenshots/${name}.png: run "npm run pictures". Gone: ${gone.join(' ')}. New: ${added.join(' ')}.`,
	);
}

/** In the page. */
function showBeginnings(): void {
	for (const field of Array.from(document.querySelectorAll('textarea'))) field.scrollTop = 0;
}

/** In the page. */
function showCaption(caption: string): void {
	const known = document.querySelector('#caption');
	if (caption === '') return known?.remove();
	const bar = document.body.appendChild(document.createElement('div'));
	bar.id = 'caption';
	bar.textContent = caption;
	bar.style.cssText =
		'position: fixed; inset: auto 0 0; z-index: 99999; padding: 14px; background: #1f3a5f; color: #fff; font: 600 22px system-ui, sans-serif; text-align: center';
}

const aged: string[] = [];

/** The pictures of this test file whose words have changed. */
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
	const isWord = (word: string) =>
		/^[a-z.@-]{3,}$/i.test(word) && !MONTH.test(word) && !ID.test(word);
	return [...new Set(words.filter(isWord))].sort();
}

/** One of n8n's that was drawn without a digit, as one in sixteen is. */
const ID = /^(?=.*[a-z][A-Z])[a-zA-Z]{16}$/;

const MONTH = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/;
