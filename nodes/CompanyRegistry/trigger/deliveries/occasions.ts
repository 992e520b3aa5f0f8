const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How often something is told of one trigger: in so many milliseconds so many times, and so many of each kind. */
export interface Limits {
	ms: number;
	times?: number;
	timesEach?: number;
}

/** What n8n shows as a failed execution; `explain.ts` has the words. */
const SHOWN = {
	/** It ends a test. */
	test: { ms: 0 },
	/** Its webhook has delivered nothing genuine yet. */
	unproven: { ms: HOUR, times: 1 },
	/** Its reference is not known, and nothing genuine has come to the trigger yet. */
	unknown: { ms: HOUR, times: 1 },
	/** Nothing of one webhook could be verified for long, though others were. */
	noLonger: { ms: DAY, times: 3, timesEach: 1 },
};

/** What n8n's log says, with values for what stands in braces. */
const LOGGED = {
	/** Each reason by itself. A flood of forged deliveries must not fill the log. */
	refused: {
		ms: MINUTE,
		timesEach: 10,
		words: '{what}. It was answered {status}; headers that look like a signature: {names}',
	},
	/** A delivery with more events than are told apart. */
	unread: {
		ms: HOUR,
		times: 1,
		words:
			'a delivery for company {company} held {all} events. The first {told} have an item each, and the payload of the last item has the other {unread}',
	},
	/** Each field by itself. */
	failingExpression: {
		ms: DAY,
		timesEach: 1,
		words:
			'an expression under {field} fails while a delivery is read, so {effect}. Correct it and publish again',
	},
};

/** What happens to a trigger's deliveries and is told. */
export const OCCASIONS: Record<Shown | Logged, Limits> = { ...SHOWN, ...LOGGED };
export type Shown = keyof typeof SHOWN;
export type Logged = keyof typeof LOGGED;

/** The line for n8n's log. */
export function lineOf(occasion: Logged, values: Record<string, string | number>): string {
	return LOGGED[occasion].words.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}
