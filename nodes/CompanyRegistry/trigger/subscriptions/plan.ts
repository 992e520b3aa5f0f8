import type { Webhook } from '../../registry/schemas';
import type { RememberedWebhook } from '../memory/triggerMemory';
import { mayBeActive } from '../memory/webhookLines';

export interface Wanted {
	companies: string[];
	events: string[];
	/** The destination of the webhook with this reference. */
	urlOf: (reference: string) => string;
}

export interface Plan {
	/** Already as wanted: no request. */
	keep: RememberedWebhook[];
	/** To be given today's destination and events, and made active. */
	resume: RememberedWebhook[];
	/** Companies that need a new webhook. */
	create: string[];
	/** No longer wanted, and active or not known to be paused. */
	pause: RememberedWebhook[];
	/** Not wanted and paused already: no request. */
	alreadyPaused: RememberedWebhook[];
}

/** What the service lists of a webhook, as far as it matters here. */
export type ListedWebhook = Pick<Webhook, 'id' | 'events' | 'is_active'> & {
	/** Whether the service lists it is not known. */
	url?: unknown;
};

/**
 * The state table: what has to be done so that each wanted company has one active webhook that
 * delivers the wanted events to today's destination.
 *
 * A known webhook that is missing from the list is still resumed, not replaced. The list may be paged,
 * so only a refused update proves that a webhook is gone.
 *
 * @param listed the account's webhooks by id, as the service lists them
 */
export function makePlan(
	wanted: Wanted,
	known: RememberedWebhook[],
	listed: ReadonlyMap<string, ListedWebhook>,
): Plan {
	const plan: Omit<Plan, 'create'> = { keep: [], resume: [], pause: [], alreadyPaused: [] };
	const missing = new Set(wanted.companies);

	for (const webhook of [...known].sort(mostUsableFirst(listed))) {
		const remote = listed.get(webhook.id);
		if (missing.delete(webhook.company)) {
			const url = wanted.urlOf(webhook.reference);
			const asWanted = webhook.url === url && isListedAs(remote, wanted.events, url);
			plan[asWanted ? 'keep' : 'resume'].push(webhook);
		} else {
			const isToPause = remote ? remote.is_active : mayBeActive(webhook);
			plan[isToPause ? 'pause' : 'alreadyPaused'].push(webhook);
		}
	}
	return { ...plan, create: [...missing] };
}

/** The plan by what this process knows itself, without asking the service. */
export function planByMemory(wanted: Wanted, known: RememberedWebhook[]): Plan {
	const believed = new Map(
		known.map(({ id, events, status }) => [id, { id, events, is_active: status === 'watched' }]),
	);
	return makePlan(wanted, known, believed);
}

/** Whether nothing has to be done by what this process knows itself. */
export function isAsWanted(wanted: Wanted, known: RememberedWebhook[]): boolean {
	const { resume, create, pause } = planByMemory(wanted, known);
	const isUncertain = known.some(({ status }) => status === 'unconfirmed');
	return !isUncertain && resume.length + create.length + pause.length === 0;
}

/** Whether the service lists a webhook as active with these events and, if it lists that, with this URL. */
export function isListedAs(
	remote: ListedWebhook | undefined,
	events: string[],
	url: string,
): boolean {
	return (
		remote?.is_active === true &&
		sameEvents(remote.events, events) &&
		(typeof remote.url !== 'string' || remote.url === url)
	);
}

/** Whether two event lists name the same events, in any order. */
export function sameEvents(one: string[], other: string[]): boolean {
	const names = new Set(one);
	return names.size === new Set(other).size && other.every((name) => names.has(name));
}

/** Should a company have several webhooks, the listed and active one is used. */
function mostUsableFirst(listed: ReadonlyMap<string, ListedWebhook>) {
	const rank = ({ id }: RememberedWebhook) =>
		listed.get(id)?.is_active ? 0 : listed.has(id) ? 1 : 2;
	return (one: RememberedWebhook, other: RememberedWebhook) => rank(one) - rank(other);
}
