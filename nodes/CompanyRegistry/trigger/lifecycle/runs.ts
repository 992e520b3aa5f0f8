import { messageOf } from '../../registry/failure';
import { waitUnlessAborted } from '../../shared/async';
import { TIMES } from './schedule';

/** An operation under way, or waiting for the previous one to end. */
export interface Run {
	readonly kind: 'publish' | 'check' | 'unpublish';
	/** Never rejects. */
	readonly done: Promise<void>;
	readonly abort: () => void;
}

/** The run of one trigger: there is one at a time, because two passes side by side would create twice. */
export class Runs {
	current: Run | undefined;

	/** @param reportFault what to do with an error that nothing else has taken */
	constructor(private readonly reportFault: (words: string) => void) {}

	/** Replaces the current run, and starts once that has ended. */
	begin(kind: Run['kind'], act: (signal: AbortSignal) => Promise<void>): Run {
		const before = this.current;
		before?.abort();
		const controller = new AbortController();
		const { signal } = controller;

		const work = async () => {
			try {
				await before?.done;
				if (!signal.aborted) await act(signal);
			} catch (reason) {
				if (!signal.aborted) this.reportFault(messageOf(reason));
			}
			// In the same tick as its end, so that a newer run is never cleared.
			if (this.current === run) this.current = undefined;
		};
		const run: Run = { kind, done: work(), abort: () => controller.abort() };
		this.current = run;
		return run;
	}

	/** Ends a run, so that what it has under way can be stored. */
	async stop(run: Run | undefined): Promise<void> {
		run?.abort();
		if (run) await Promise.race([run.done, waitUnlessAborted(TIMES.stop)]);
	}
}
