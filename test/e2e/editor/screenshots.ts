import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page, PageScreenshotOptions } from 'playwright-core';

import { movingPicture } from './film';

const folder = join(__dirname, '../../../docs/screenshots');
const wordsFile = (name: string) => join(__dirname, '../../fixtures/pictures', `${name}.txt`);
/** By `npm run pictures`. */
const isTaken = process.env.TEST_SCREENSHOTS === 'docs';
const SCENE_MS = 4000;
/** Of a moving picture, in its pixels, with the caption below. */
const SCENE = { width: 1040, height: 760 };
const CAPTION_HEIGHT = 56;
/** As wide as n8n's output needs to show all its buttons. */
const WIDE = { width: 1440, height: 800 };
/** Of an open node, in pixels: n8n's parameters always have this width, and the rest below is empty or repeats. */
const NODE = { parametersWidth: 420, height: 612 };

/** The button of the next node stands on the edge of the open one. */
const HIDDEN = '[data-test-id=floating-nodes] { visibility: hidden }';

/** What a picture shows: the whole page, or the parameters and the output of the open node. */
type Subject = 'page' | 'node';

/**
 * `npm run pictures` writes the picture to `docs/screenshots` and its words to `test/fixtures/pictures`. Otherwise
 * the words are compared: see `agedPictures`.
 *
 * @param height of what is worth seeing of the node, in pixels
 */
export async function screenshot(page: Page, name: string, height?: number): Promise<void> {
	const film = new Film();
	await film.take(page, 'node', undefined, height);
	film.show(name);
}

/** Several screenshots that become one picture. */
export class Film {
	private readonly frames: Array<{ png: Buffer; ms: number }> = [];

	private readonly words = new Set<string>();

	/** @param caption shown below the scene of a moving picture */
	async take(
		page: Page,
		subject: Subject,
		caption?: string,
		height: number = NODE.height,
	): Promise<void> {
		for (const word of await wordsOn(page)) this.words.add(word);
		if (!isTaken) return;
		const viewport = page.viewportSize()!;
		if (subject === 'node') await page.setViewportSize(WIDE);
		await page.evaluate(showBeginnings);
		// Nothing is highlighted there.
		await page.mouse.move(viewport.width / 2, 2);
		// Messages that were closed fade, and n8n draws the node in its new size.
		await page.waitForTimeout(1000);

		const clip = subject === 'node' ? await clipOfNode(page, height) : undefined;
		const png = await page.screenshot({ animations: 'disabled', clip, style: HIDDEN });
		await page.setViewportSize(viewport);
		const scene = caption === undefined ? png : await withCaption(page, png, caption);
		this.frames.push({ png: scene, ms: SCENE_MS });
	}

	/** The scene becomes the first one. */
	async takeAsOpening(page: Page, caption: string): Promise<void> {
		const later = this.frames.splice(0);
		await this.take(page, 'page', caption);
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

/** Without the input of the open node, which a trigger does not have. */
async function clipOfNode(page: Page, height: number): Promise<PageScreenshotOptions['clip']> {
	const { x, y, width } = (await page.getByTestId('output-panel').boundingBox())!;
	const { parametersWidth } = NODE;
	return { x: x - parametersWidth, y, width: width + parametersWidth, height };
}

/** The picture as a scene of a moving one. */
async function withCaption(page: Page, png: Buffer, caption: string): Promise<Buffer> {
	const browser = page.context().browser()!;
	const frame = await browser.newPage({ viewport: SCENE, deviceScaleFactor: 2 });
	await frame.setContent(`<!doctype html>
		<style>
			body { margin: 0; background: #f5f5f5 }
			img { width: 100%; height: ${SCENE.height - CAPTION_HEIGHT}px; object-fit: contain }
			p { margin: 0; position: fixed; inset: auto 0 0; height: ${CAPTION_HEIGHT}px; background: #1f3a5f;
				color: #fff; font: 600 22px/${CAPTION_HEIGHT}px system-ui, sans-serif; text-align: center }
		</style>
		<img src="data:image/png;base64,${png.toString('base64')}"><p></p>`);
	await frame.locator('p').evaluate((bar, words) => (bar.textContent = words), caption);
	const scene = await frame.screenshot();
	await frame.close();
	return scene;
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
