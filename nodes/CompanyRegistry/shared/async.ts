import { sleep } from 'n8n-workflow';

/** How often a wait looks at its signal, in milliseconds. */
const STEP = 100;

/**
 * Runs `work` over the items in order, at most `limit` at once.
 * After a rejection no further item is begun; what was begun is waited for.
 * @throws the first rejection
 */
export async function concurrently<Item>(
	items: Item[],
	limit: number,
	work: (item: Item) => Promise<void>,
): Promise<void> {
	const queue = items.values();
	const rejections: unknown[] = [];
	const worker = async () => {
		for (const item of queue) {
			await work(item).catch((reason: unknown) => rejections.push(reason));
			if (rejections.length > 0) return;
		}
	};
	await Promise.all(Array.from({ length: limit }, worker));
	if (rejections.length > 0) throw rejections[0];
}

/** Waits for so many milliseconds; ends soon after the signal is aborted, without an error. */
export async function waitUnlessAborted(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const end = performance.now() + milliseconds;
	for (let left = milliseconds; left > 0 && !signal?.aborted; left = end - performance.now()) {
		await sleep(Math.min(left, STEP));
	}
}
