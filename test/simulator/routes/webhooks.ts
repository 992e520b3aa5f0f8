import type { AccountHandler } from '../authentication';
import { newWebhook, webhookChanges } from '../schemas';
import { refuseInvalid, refuseUnknown } from '../serviceError';
import type { Store, StoredWebhook } from '../store';

/** What every response shows of a webhook: neither the destination nor the secret. */
const shown = ({ id, company_number, events, is_active }: StoredWebhook) => ({
	id,
	company_number,
	events,
	is_active,
});

/** POST /v1/webhooks. The only response that holds the secret. */
export function createWebhook(store: Store): AccountHandler {
	return (account, req, res) => {
		const body = newWebhook.safeParse(req.body);
		if (!body.success) return refuseInvalid(res, body.error);
		const webhook = store.create(account, body.data);
		// Success statuses are not shown; 201 for a creation is the stand-in's choice.
		res.status(201).json({ data: { ...shown(webhook), secret: webhook.secret } });
	};
}

/** PATCH /v1/webhooks/{id}. Events are replaced as a whole; what is not sent stays. */
export function updateWebhook(store: Store): AccountHandler {
	return (account, req, res) => {
		const body = webhookChanges.safeParse(req.body);
		if (!body.success) return refuseInvalid(res, body.error);
		const id = String(req.params.id);
		const webhook = store.update(account, id, body.data);
		if (!webhook) return refuseUnknown(res, `Webhook ${id}`);
		res.json({ data: shown(webhook) });
	};
}

/**
 * GET /v1/webhooks: the account's webhooks in order of creation. Paging is not shown, so
 * there is none; `maximum` cuts the list short, to see what callers make of that.
 */
export function listWebhooks(store: Store, maximum = Infinity): AccountHandler {
	return (account, _req, res) => {
		res.json({ data: store.list(account.apiKey).slice(0, maximum).map(shown) });
	};
}
