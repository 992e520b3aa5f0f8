import type { PublishOutcome, Run, TriggerMemory } from '../memory/trigger';

/** How a publish ends as far as n8n is concerned: once. */
export class AnswerOfPublish {
	isGiven = false;
	private resolve: (outcome: PublishOutcome) => void = () => undefined;
	readonly promise = new Promise<PublishOutcome>((resolve) => (this.resolve = resolve));

	/** What is given later does not count. */
	give(outcome: PublishOutcome): void {
		this.isGiven = true;
		this.resolve(outcome);
	}
}

/**
 * From now on this is wanted of the trigger. What runs is told to stop, and once it has, this begins: two runs
 * side by side would create every webhook twice.
 */
export function want(
	memory: TriggerMemory,
	kind: Run['kind'],
	work: (signal: AbortSignal, answer: AnswerOfPublish) => Promise<void>,
): Run {
	const before = memory.run;
	before?.abort();
	const controller = new AbortController();
	const { signal } = controller;
	const answer = new AnswerOfPublish();
	const begin = async () => {
		await before?.done.catch(() => undefined);
		try {
			if (!signal.aborted) await work(signal, answer);
		} finally {
			// In the same step as the end of the work: nothing that is wanted later goes unseen.
			if (memory.run === run) memory.run = undefined;
			answer.give({});
		}
	};
	const run: Run = {
		kind,
		signal,
		answer: answer.promise,
		abort: () => controller.abort(),
		done: Promise.resolve().then(begin),
	};
	// Whoever wants to know how it ends listens by itself.
	run.done.catch(() => undefined);
	memory.run = run;
	return run;
}

/**
 * How a publish ends, as n8n is to see it. One that another publish has superseded ends as that does, and
 * quietly when the trigger is unpublished: n8n answers a failure by undoing what the later run has done.
 */
export async function outcomeOf(memory: TriggerMemory, run: Run): Promise<PublishOutcome> {
	const outcome = await run.answer;
	if (!run.signal.aborted) return outcome;
	return memory.run?.kind === 'publish' ? await outcomeOf(memory, memory.run) : {};
}
