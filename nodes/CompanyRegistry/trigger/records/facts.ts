import type { ListInForce } from '../parameters/watchlist';
import type { TriggerOptions } from '../parameters/options';
import type { ChangedNumber } from './desired';

/** What a report still has to say, beside what stands on the records of webhooks. */
interface Unreported {
	/** Names that have another number in the list that is in force. */
	changedNumbers?: ChangedNumber[];
	/** Webhooks that may still be active in an account that the credential no longer opens. */
	unreachable?: Array<{ id: string; company: string }>;
}

/** Stored facts of a trigger beside its subscriptions. Times are milliseconds since the epoch. */
export interface Facts {
	/** `new`: never published, or its first publish failed. */
	phase: 'new' | 'published' | 'unpublished';
	/** Fingerprint of the account that the subscriptions belong to. */
	account: string;
	/** Of the node's parameters at the last publish: with the same ones, n8n only starts. */
	parametersDigest?: string;
	/** The list that is in force. */
	list?: ListInForce;
	/** The answer of *If Address Changed* that was used last: it counts for one change of n8n's address only. */
	usedAddressAnswer?: TriggerOptions['addressChanged'];
	/** When a report last named each problem, by its key. */
	reportedAt?: Record<string, number>;
	unreported?: Unreported;
	/** Since when checks fail, or the list cannot be read. */
	failingSince?: { check?: number; list?: number };
	/** When n8n last took the published trigger down. Undefined while it runs: so it is at a start after a kill. */
	takenDownAt?: number;
	/** When a pass last ended without a failure: until then, each webhook was as it should be. */
	healthyAt?: number;
}
