import { sleep } from 'n8n-workflow';

/** Time between two looks at the signal, in milliseconds. */
const STEP = 100;

/**
 * Runs `work` for each item in order, at most `limit` at once. After a rejection it starts no further item
 * and waits for those already started.
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

/** Why the promise is rejected; undefined if it is fulfilled. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
	return await promise.then(
		() => undefined,
		(reason: unknown) => reason,
	);
}

/** Waits, or returns within 100 milliseconds after the signal is aborted. */
export async function waitUnlessAborted(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const end = performance.now() + milliseconds;
	for (let left = milliseconds; left > 0 && !signal?.aborted; left = end - performance.now()) {
		await sleep(Math.min(left, STEP));
	}
}
