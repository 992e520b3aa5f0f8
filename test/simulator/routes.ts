import { Router, type Request, type RequestHandler, type Response } from 'express';

import { companies } from './companies';
import { newWebhook, searchQuery, webhookChanges } from './schemas';
import { refuseInvalid, refuseUnauthorised, refuseUnknown } from './serviceError';
import type { Account, Store, StoredWebhook } from './store';

type Handler = (account: Account, req: Request, res: Response) => void;

/** What every response shows of a webhook: neither the destination nor the secret. */
const shown = ({ id, company_number, events, is_active }: StoredWebhook) => ({
	id,
	company_number,
	events,
	is_active,
});

/** The service's routes. Paging of the list is not shown, so there is none. */
export function routes(store: Store): Router {
	const guard =
		(handler: Handler, sessionOnly: boolean): RequestHandler =>
		(req, res) => {
			const token = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1];
			const caller = token === undefined ? undefined : store.caller(token);
			if (!caller || (sessionOnly && caller.token !== 'session')) return refuseUnauthorised(res);
			return handler(caller.account, req, res);
		};
	/** Data and webhook routes: an API key or a session token. */
	const withAnyToken = (handler: Handler) => guard(handler, false);
	/** Account routes: a session token; an API key is answered like any wrong token. */
	const withSession = (handler: Handler) => guard(handler, true);
	const router = Router({ caseSensitive: true, strict: true });

	// Companies whose name contains the text or whose number begins with it.
	router.get(
		'/v1/search',
		withAnyToken((_account, req, res) => {
			const query = searchQuery.safeParse(req.query);
			if (!query.success) return refuseInvalid(res, query.error);
			const text = query.data.q.toUpperCase();
			const items = companies
				.filter(
					({ company_name, company_number }) =>
						company_name.toUpperCase().includes(text) || company_number.startsWith(text),
				)
				.slice(0, query.data.items_per_page);
			res.json({ data: { items } });
		}),
	);

	// In order of creation.
	router.get(
		'/v1/webhooks',
		withAnyToken((account, _req, res) => {
			res.json({ data: store.list(account.apiKey).map(shown) });
		}),
	);

	// The only response that holds the secret.
	router.post(
		'/v1/webhooks',
		withAnyToken((account, req, res) => {
			const body = newWebhook.safeParse(req.body);
			if (!body.success) return refuseInvalid(res, body.error);
			const webhook = store.create(account, body.data);
			// Success statuses are not shown; 201 for a creation is the simulator's choice.
			res.status(201).json({ data: { ...shown(webhook), secret: webhook.secret } });
		}),
	);

	// Events are replaced as a whole; what is not sent stays.
	router.patch(
		'/v1/webhooks/:id',
		withAnyToken((account, req, res) => {
			const body = webhookChanges.safeParse(req.body);
			if (!body.success) return refuseInvalid(res, body.error);
			const id = String(req.params.id);
			const webhook = store.update(account, id, body.data);
			if (!webhook) return refuseUnknown(res, `Webhook ${id}`);
			res.json({ data: shown(webhook) });
		}),
	);

	// The payloads of both account routes are not shown: these are the simulator's choice.
	router.get(
		'/v1/usage',
		withSession((account, _req, res) => {
			res.json({ data: { webhooks: store.list(account.apiKey).length } });
		}),
	);
	router.get(
		'/v1/keys',
		withSession((account, _req, res) => {
			// Names the key by its last characters only.
			res.json({ data: [{ name: 'Default', ends_with: account.apiKey.slice(-4) }] });
		}),
	);
	return router;
}
