import type { IHookFunctions, NodeOperationError } from 'n8n-workflow';

import { waitUnlessAborted } from '../../shared/async';
import type { Run } from './runs';
import { TIMES } from './schedule';

/** n8n tries a publish five times in all, and after the last one it would show its own words. */
const MORE_ATTEMPTS = 4;

/** A publish that failed: n8n's further attempts share its time, so they get its answer. */
export class FailedPublish {
	private failed:
		| { what: string; error: NodeOperationError; began: number; repeats: number }
		| undefined;

	/** @param began in milliseconds of `performance.now()`, as everywhere here. @throws the error of the first attempt */
	repeatFor(what: string, began: number): void {
		const { failed } = this;
		const isRecent = failed?.what === what && began - failed.began < TIMES.allAttempts;
		if (!isRecent || failed.repeats >= MORE_ATTEMPTS) return;
		failed.repeats++;
		throw failed.error;
	}

	/** @param error undefined where the publish has succeeded */
	note(what: string, began: number, error: NodeOperationError | undefined): void {
		this.failed = error && { what, error, began, repeats: 0 };
	}

	/** Names what is published: with other parameters or another account, a further attempt is a new publish. */
	static nameOf(context: IHookFunctions, account: string | undefined): string {
		return JSON.stringify([context.getNode().parameters, account]);
	}
}

/** Waits for the end of a run, or until the publish is due to be answered without it. */
export async function untilAnswer(
	run: Run,
	began: number,
	isCurrent: () => boolean,
	isWatching: () => boolean,
): Promise<void> {
	const isDue = () => {
		const elapsed = performance.now() - began;
		return elapsed >= TIMES.latestAnswer || (elapsed >= TIMES.earlyAnswer && isWatching());
	};
	while (isCurrent() && !isDue()) await Promise.race([run.done, waitUnlessAborted(100)]);
}
