/** How long the trigger waits, beside how long n8n does. In milliseconds; tests wait less. */
export const WAITS = {
	/**
	 * How long subscriptions stay as they are after an unpublish or a failed publish, in case that a publish
	 * comes. To publish a change, n8n unpublishes the old version and publishes the new one a moment later,
	 * and between two attempts of a publish it waits for up to {@link N8N_WAITS.betweenAttempts}.
	 */
	beforePausing: 12_000,
	/** The same after a publish that took longer than n8n waits, so that the next has only the rest to do. */
	afterTimeOut: 15 * 60_000,
	/**
	 * A publish that is not through by then fails by itself. n8n tries again four times, which takes 15
	 * seconds, and shows why only if the last attempt fails within {@link N8N_WAITS.forPublish}.
	 */
	forPublish: 62_000,
};

/** n8n's own, as of 2.40. In milliseconds. */
export const N8N_WAITS = {
	/** The longest pause between two attempts to publish. */
	betweenAttempts: 8000,
	/** All attempts of one publish together. It does not save the secrets of one that succeeds later. */
	forPublish: 84_000,
};
