import { isEqual } from 'lodash';

import { RegistryFailure } from '../../registry/failure';
import { updateWebhook, type NewWebhook, type WebhookAnswer } from '../../registry/webhooks';
import { dropOldest } from '../../shared/dropOldest';
import type { SharedAccount } from '../sharedAccount';

/** How long webhooks are kept here, in milliseconds, and how many. */
const KEPT_FOR = 900_000;
const KEPT = 10_000;

type Lost = { account: string; wanted: NewWebhook; webhook: WebhookAnswer; until: number };
/**
 * Webhooks of this process whose secret no output holds, because n8n dropped that of the run. The next one,
 * by n8n's 'Retry On Fail' or by hand, creates the same again, and the service deletes nothing.
 */
const lost = new Map<string, Lost>();

export function keepLost({ registry: { account }, created }: SharedAccount): void {
	const until = Date.now() + KEPT_FOR;
	for (const one of created) lost.set(one.webhook.id, { ...one, account, until });
	dropOldest(lost, KEPT);
}

/**
 * Resumes one that was just what is wanted; undefined if there is none, or the service refuses.
 * @throws RegistryFailure for what may pass; it is kept then
 */
export async function resumeLost(
	{ registry, signal }: SharedAccount,
	wanted: NewWebhook,
): Promise<WebhookAnswer | undefined> {
	const isIt = (one: Lost) =>
		one.account === registry.account && one.until > Date.now() && isEqual(one.wanted, wanted);
	const found = [...lost.values()].find(isIt);
	if (found === undefined) return undefined;
	lost.delete(found.webhook.id);
	const changes = { url: wanted.url, events: wanted.events, is_active: true };
	return await updateWebhook(registry, found.webhook.id, changes, signal).then(
		({ is_active = true }) => ({ ...found.webhook, is_active }),
		async (reason: unknown) => {
			if (reason instanceof RegistryFailure && reason.kind === 'refused') return undefined;
			lost.set(found.webhook.id, found);
			return await Promise.reject(reason);
		},
	);
}
