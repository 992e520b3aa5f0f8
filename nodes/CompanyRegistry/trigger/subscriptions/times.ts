/** How long the trigger waits, each by what it is for. In milliseconds. */
export const TIMES = {
	/** n8n has the answer to a publish by then. */
	answer: 60_000,
	/** A publish waits so long for a fault that may pass. Then it fails, or goes on behind the answer. */
	passingFault: 10_000,
	/** n8n gives a publish up after so long, all of its attempts counted. */
	attempts: 84_000,
	/**
	 * After an unpublish or a failed publish. To publish a change, n8n unpublishes the old version first, and
	 * between two attempts of a publish it waits for up to eight seconds.
	 */
	beforePausing: 12_000,
	/** So long an unpublish or n8n's end waits for what is under way, to store it. */
	takeOver: 5_000,
	/** Between two tries: at first, twice as long each time, and at the most. n8n's clock waits for longer ones. */
	firstPause: 1_000,
	longestPause: 60_000,
	/** An unpublish that cannot pause goes on for so long after the service last let something through. */
	patience: 3_600_000,
	/** Between two stores while n8n waits for the answer, and behind it. */
	storeBefore: 10_000,
	storeBehind: 60_000,
	/** So long after our own write a difference is the list's lag. */
	listLag: 60_000,
	/** So long a service that cannot be used is tried before a person is told. */
	untilTold: 600_000,
};
