import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { compact } from 'lodash';
import type { Locator, Page, PageScreenshotOptions } from 'playwright-core';

import { movingPicture } from './film';

const folder = join(__dirname, '../../../docs/screenshots');
/** By `npm run pictures`. */
const isTaken = process.env.TEST_SCREENSHOTS === 'docs';
const SCENE_MS = 5000;
/** Of a moving picture, in pixels: as wide as GitHub shows the README. The caption comes below. */
export const SCENE = { width: 830, height: 454 };
const CAPTION_HEIGHT = 46;
/** As wide as n8n's output needs to show all its buttons. */
const WIDE = { width: 1440, height: 800 };
/** n8n's parameters always have this width, in pixels. */
const PARAMETERS_WIDTH = 420;

/** What covers, overlaps or leaves the picture, is too small to read there, or is no step of the quick start. */
const HIDDEN = `[data-test-id=floating-nodes], [data-test-id=tidy-up-button], [role=tooltip], .el-popper, .n8n-sticky,
	.vue-flow__background, [data-test-id^=execute-workflow-button],
	[data-reka-popper-content-wrapper] { visibility: hidden !important }`;

/** What a picture shows: the whole page, the workflow, or of the open node its parameters, its output or both. */
type Subject = 'page' | 'workflow' | 'node' | 'parameters' | 'output';

type Clip = NonNullable<PageScreenshotOptions['clip']>;

interface View {
	/** Shown below the scene of a moving picture. */
	caption?: string;
	/** Of the node, in pixels; the scene's unless told. */
	height?: number;
	/** Scrolls the parameters until this one is the last. */
	last?: Locator;
	/** Scrolls lists to their ends. */
	isEnd?: boolean;
	/** Of a list; 5 unless told. */
	rows?: number;
	/** Its place in a moving picture; the last unless told. */
	at?: number;
}

/** `npm run pictures` writes the picture to `docs/screenshots`. Otherwise there is none. */
export async function screenshot(page: Page, name: string, view: View): Promise<void> {
	const film = new Film();
	await film.take(page, 'node', view);
	film.show(name);
}

/** Several screenshots that become one picture. */
export class Film {
	private readonly frames: Buffer[] = [];

	async take(page: Page, subject: Subject, view: View): Promise<void> {
		if (!isTaken) return;
		const viewport = page.viewportSize()!;
		if (subject !== 'page') await page.setViewportSize(WIDE);
		await page.evaluate(showRows, { rows: view.rows ?? 5, isEnd: view.isEnd === true });
		if (view.last) await scrollTo(page, view.last, view.height!);
		if (subject === 'workflow') await showWorkflow(page);
		// Nothing is highlighted there.
		await page.mouse.move(viewport.width / 2, 2);
		// Messages that were closed fade, and n8n draws the node in its new size.
		await page.waitForTimeout(1000);

		const clip = subject === 'page' ? undefined : await clipOf(page, subject, view.height);
		const png =
			subject === 'output' || subject === 'parameters'
				? await closeUp(page, clip!)
				: await page.screenshot({ animations: 'disabled', clip, style: HIDDEN });
		await page.setViewportSize(viewport);
		const { caption, at = this.frames.length } = view;
		this.frames.splice(at, 0, caption === undefined ? png : await withCaption(page, png, caption));
	}

	/** Under this name, as the only one that was taken or as a moving picture. */
	show(name: string): void {
		if (!isTaken) return;
		const { frames } = this;
		const picture = frames.length > 1 ? movingPicture(frames, SCENE_MS) : frames[0];
		writeFileSync(join(folder, `${name}.png`), picture);
	}
}

/** Twice as fine, for a part that is shown larger than it is. */
async function closeUp(page: Page, clip: Clip): Promise<Buffer> {
	const style = await page.addStyleTag({ content: HIDDEN });
	const devTools = await page.context().newCDPSession(page);
	const { data } = await devTools.send('Page.captureScreenshot', { clip: { ...clip, scale: 4 } });
	await style.evaluate((element: Element) => element.remove());
	return Buffer.from(data, 'base64');
}

/** In the page: whole rows, as after dragging the corner of the field. */
function showRows({ rows, isEnd }: { rows: number; isEnd: boolean }): void {
	for (const field of Array.from(document.querySelectorAll('textarea'))) {
		const { lineHeight, paddingTop } = getComputedStyle(field);
		field.style.height = `${rows * parseFloat(lineHeight) + parseFloat(paddingTop)}px`;
		field.scrollTop = isEnd ? field.scrollHeight : 0;
	}
}

/** No node is selected, and all are in the window: n8n's key for that is 1. */
async function showWorkflow(page: Page): Promise<void> {
	await page.locator('.vue-flow__pane').click({ position: { x: 5, y: 5 } });
	await page.keyboard.press('1');
}

/** Makes the window so low that the parameters scroll, with the node's round corners below the picture. */
async function scrollTo(page: Page, last: Locator, height: number): Promise<void> {
	const panel = (await page.getByTestId('output-panel').boundingBox())!;
	await page.setViewportSize({ ...WIDE, height: WIDE.height - panel.height + height + 20 });
	await last.evaluate((element: HTMLElement) => {
		element.style.scrollMarginBottom = '29px';
		element.scrollIntoView({ block: 'end' });
	});
}

/** Without the input of the open node, which a trigger does not have. */
async function clipOf(
	page: Page,
	subject: Exclude<Subject, 'page'>,
	height?: number,
): Promise<Clip> {
	if (subject === 'workflow') return await aroundWorkflow(page);
	const output = (await page.getByTestId('output-panel').boundingBox())!;
	const beside = subject === 'output' ? 0 : PARAMETERS_WIDTH;
	const width = beside + (subject === 'parameters' ? 0 : output.width);
	const whole = (width * SCENE.height) / SCENE.width;
	return { x: output.x - beside, y: output.y, width, height: height ?? whole };
}

/** All its nodes, without the canvas above and below them. */
async function aroundWorkflow(page: Page): Promise<Clip> {
	const parts = await page.locator('.vue-flow__node:not(:has(.n8n-sticky))').all();
	const boxes = compact(await Promise.all(parts.map(async (part) => await part.boundingBox())));
	const left = Math.min(...boxes.map(({ x }) => x));
	const right = Math.max(...boxes.map(({ x, width }) => x + width));
	const top = Math.min(...boxes.map(({ y }) => y));
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
	// Their names are wider than the nodes, and below them are their names and n8n's button.
	return { x: left - 80, y: top - 40, width: right - left + 160, height: bottom - top + 100 };
}

/** The picture as a scene of a moving one. */
async function withCaption(page: Page, png: Buffer, caption: string): Promise<Buffer> {
	const browser = page.context().browser()!;
	const frame = await browser.newPage({
		viewport: { ...SCENE, height: SCENE.height + CAPTION_HEIGHT },
		deviceScaleFactor: 2,
	});
	await frame.setContent(`<!doctype html>
		<style>
			body { margin: 0; background: #f5f5f5 }
			img { width: 100%; height: ${SCENE.height}px; object-fit: contain }
			p { margin: 0; position: fixed; inset: auto 0 0; height: ${CAPTION_HEIGHT}px; background: #1f3a5f;
				color: #fff; font: 600 20px/${CAPTION_HEIGHT}px system-ui, sans-serif; text-align: center }
		</style>
		<img src="data:image/png;base64,${png.toString('base64')}"><p></p>`);
	await frame.locator('p').evaluate((bar, words) => (bar.textContent = words), caption);
	const scene = await frame.screenshot();
	await frame.close();
	return scene;
}
