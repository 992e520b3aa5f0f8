import { sleep } from 'n8n-workflow';

/** In milliseconds. */
const STEP = 100;

/** Waits for so many milliseconds; ends soon after the signal is aborted, without an error. */
export async function waitUnlessAborted(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const end = Date.now() + milliseconds;
	for (let left = milliseconds; left > 0 && !signal?.aborted; left = end - Date.now()) {
		await sleep(Math.min(left, STEP));
	}
}
