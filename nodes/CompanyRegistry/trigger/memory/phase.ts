/** What a trigger is in. Only {@link next} says what comes after. */
export type Phase =
	/** `idle`: nothing is wanted. `published`: all that could be done is done. `pausing`: n8n has taken it down. */
	| { name: 'idle' | 'published' | 'pausing' }
	/**
	 * `publishing`: n8n waits. `settingUpRest`: n8n has its answer. `interrupted`: whoever was at it is gone.
	 * `left`: webhooks that are not as wanted yet.
	 */
	| { name: 'publishing' | 'settingUpRest' | 'interrupted'; left: number };

/**
 * `publish`, `unpublish`: n8n's calls. `answer`: n8n is told that it is published, and the rest goes on.
 * `done`: all is done, or told. `fail`: n8n is told that it failed. `paused`: pausing has ended.
 * `stop`: n8n was stopped in the middle, or cannot store any more.
 */
export type PhaseEvent = 'publish' | 'answer' | 'done' | 'fail' | 'unpublish' | 'paused' | 'stop';

/** n8n may call at any time. */
const CALLS = { publish: 'publishing', unpublish: 'pausing' } as const;

export const TRANSITIONS: Record<Phase['name'], Partial<Record<PhaseEvent, Phase['name']>>> = {
	idle: CALLS,
	publishing: {
		...CALLS,
		answer: 'settingUpRest',
		done: 'published',
		fail: 'pausing',
		stop: 'interrupted',
	},
	settingUpRest: { ...CALLS, done: 'published', stop: 'interrupted' },
	published: CALLS,
	pausing: { ...CALLS, paused: 'idle', stop: 'interrupted' },
	interrupted: CALLS,
};

/**
 * The phase after an event; the same where the event changes nothing in it, as it was told too late.
 * @param left webhooks that are not as wanted yet
 */
export function next({ name }: Phase, event: PhaseEvent, left: number): Phase {
	const after = TRANSITIONS[name][event] ?? name;
	return after === 'idle' || after === 'published' || after === 'pausing'
		? { name: after }
		: { name: after, left };
}

/** In milliseconds; tests wait less. */
export const SIGN_OF_LIFE = {
	/** Who works on a trigger stores that at least so often, */
	every: 10_000,
	/** and is taken for stopped when it was not heard of for so long. */
	missedAfter: 30_000,
};

/** The phase of what was written then, if nobody is known to be at work: who was may have been stopped. */
export function phaseNow({ phase, writtenAt }: { phase: Phase; writtenAt: number }): Phase {
	const isMissed = Date.now() - writtenAt > SIGN_OF_LIFE.missedAfter;
	return isMissed ? next(phase, 'stop', 'left' in phase ? phase.left : 0) : phase;
}
