import type { Webhook } from '../../shared/registry/schemas';
import type { KnownWebhook } from '../memory/knownWebhooks';

/** A known webhook with what the service last confirmed of its destination, if anything did. */
export interface PlannableWebhook extends KnownWebhook {
	url?: string;
}

export interface Wanted {
	companies: string[];
	events: string[];
	/** The destination of the webhook with this reference. */
	urlOf: (reference: string) => string;
}

export interface Plan {
	/** Already as wanted: no request. */
	keep: PlannableWebhook[];
	/** To be given today's destination and events, and made active. */
	resume: PlannableWebhook[];
	/** Companies that need a new webhook. */
	create: string[];
	/** Active or not known to be paused, and no longer wanted. */
	pause: PlannableWebhook[];
	/** Paused and not wanted: remembered, to be resumed one day. */
	rest: PlannableWebhook[];
}

/**
 * The state table: what has to be done so that each wanted company has one active webhook that
 * delivers the wanted events to today's destination.
 *
 * A known webhook that is missing from the list is still resumed, not replaced: whether the list is
 * paged is not known, and only a refused update proves that a webhook is gone.
 *
 * @param listed the account's webhooks by id, as the service lists them
 */
export function makePlan(
	wanted: Wanted,
	known: PlannableWebhook[],
	listed: Map<string, Webhook>,
): Plan {
	const plan: Omit<Plan, 'create'> = { keep: [], resume: [], pause: [], rest: [] };
	const missing = new Set(wanted.companies);

	for (const webhook of [...known].sort(mostUsableFirst(listed))) {
		const remote = listed.get(webhook.id);
		if (missing.delete(webhook.company)) {
			const asWanted =
				remote?.is_active === true &&
				sameEvents(remote.events, wanted.events) &&
				webhook.url === wanted.urlOf(webhook.reference);
			plan[asWanted ? 'keep' : 'resume'].push(webhook);
		} else {
			const maybeActive = remote ? remote.is_active : webhook.status !== 'paused';
			plan[maybeActive ? 'pause' : 'rest'].push(webhook);
		}
	}
	return { ...plan, create: [...missing] };
}

/** Whether two event lists name the same events, in any order. */
export function sameEvents(one: string[], other: string[]): boolean {
	const names = new Set(one);
	return names.size === new Set(other).size && other.every((name) => names.has(name));
}

/** Should a company have several webhooks, the listed and active one is used. */
function mostUsableFirst(listed: Map<string, Webhook>) {
	const rank = ({ id }: KnownWebhook) => (listed.get(id)?.is_active ? 0 : listed.has(id) ? 1 : 2);
	return (one: KnownWebhook, other: KnownWebhook) => rank(one) - rank(other);
}
