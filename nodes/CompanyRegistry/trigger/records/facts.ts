import type { TriggerOptions } from '../parameters/options';
import type { AcceptedList } from '../parameters/watchlist';
import type { ExchangedNumber, KeptCompany } from '../lifecycle/kept';

/** The stored facts of a trigger beside its subscriptions. Times are milliseconds since the epoch. */
export interface Facts {
	/** `new`: never published, or its first publish failed. */
	status: 'new' | 'published' | 'unpublished';
	/** Fingerprint of the account that the subscriptions belong to. */
	account: string;
	/** Digest of the node's parameters that were last accepted. */
	accepted?: string;
	/** The list that was last accepted. */
	list?: AcceptedList;
	/** Companies that stay watched although that list does not have them. */
	kept?: Record<string, KeptCompany>;
	/** Names with exchanged numbers in that list, until a person has confirmed them. */
	exchanged?: ExchangedNumber[];
	/** Events that are no longer chosen, with the times at which they were given up. */
	unchosen?: Record<string, number>;
	/** Digest of the companies of a list whose removals were reported: to publish it again confirms them. */
	removalsReported?: string;
	/** The option at the latest publish: an answer that was set earlier was meant for another change. */
	addressChanged?: TriggerOptions['addressChanged'];
	/** When a person last read of each thing that needs one, by digest, until a check no longer finds it. */
	reported?: Record<string, number>;
	/**
	 * Since when checks fail, the account cannot be reached, the list cannot be read, or answers are lost or pauses fail:
	 * as of the last report, or of n8n's end.
	 */
	failingSince?: { check?: number; account?: number; list?: number; lost?: number };
	/** Whether a person knows that the service's list has further pages. */
	arePagesReported?: true;
	/** When n8n last took the published trigger down; undefined once it was published or started after that. */
	takenDownAt?: number;
	/** When a check had last found all webhooks as desired then; undefined as above. */
	healthyAt?: number;
}
