import type { AcceptedList } from '../parameters/watchlist';
import type { TriggerOptions } from '../parameters/options';
import type { ChangedNumber } from './desired';

/** What a report still has to say, beside what stands on the records of webhooks. */
export interface Untold {
	/** Names that have another number in the list that is in force. */
	changed?: ChangedNumber[];
	/** Webhooks that may still be active in an account that the credential no longer opens. */
	elsewhere?: Array<{ id: string; company: string }>;
}

/** Stored facts of a trigger beside its subscriptions. Times are milliseconds since the epoch. */
export interface Facts {
	/** `new`: never published, or its first publish failed. */
	status: 'new' | 'published' | 'unpublished';
	/** Fingerprint of the account that the subscriptions belong to. */
	account: string;
	/** Digest of the node's parameters that were last accepted. */
	accepted?: string;
	/** The list that is in force. */
	list?: AcceptedList;
	/** The option at the latest publish: an answer that was set earlier was meant for another change. */
	addressChanged?: TriggerOptions['addressChanged'];
	/** When a report last named each problem, by its key. */
	told?: Record<string, number>;
	untold?: Untold;
	/** Since when checks fail, or the list cannot be read. */
	failingSince?: { check?: number; list?: number };
	/** When n8n last took the published trigger down; undefined once it was published or started after that. */
	takenDownAt?: number;
	/** When a check last found all webhooks as desired. */
	healthyAt?: number;
}
