/** How long the trigger waits, each by what it is for. In milliseconds; tests wait less. */
export const WAITS = {
	/** n8n has the answer to a publish by then. It gives up after 84 seconds. */
	answer: 60_000,
	/** The same for n8n's question whether all is as wanted, which n8n counts as well. */
	check: 15_000,
	/** Work goes on for so long after the service last let something through. */
	patience: 60 * 60_000,
	/** Between two tries while the service cannot be used: at first, and at the most. */
	retry: 1000,
	longestRetry: 60_000,
	/**
	 * After an unpublish or a failed publish. To publish a change, n8n unpublishes the old version first, and
	 * between two attempts of a publish it waits for up to eight seconds.
	 */
	beforePausing: 12_000,
	/** So long an unpublish, or a publish that is about to be answered, waits for what is under way, to store it. */
	takeOver: 5000,
	/** Between two questions whether n8n has saved what a publish has stored, and in all. */
	askSaved: 500,
	saved: 120_000,
};
