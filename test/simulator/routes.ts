import { Router, type Request, type Response } from 'express';
import { pick } from 'lodash';
import { z, type ZodError } from 'zod';

import { companies } from './companies';
import type { Account, Store, StoredWebhook } from './store';

type Handler = (account: Account, req: Request, res: Response) => void;

const UNAUTHORISED =
	'Missing or invalid Authorization header. Use "Bearer <api key>" or "Bearer <session token>".';

const httpsUrl = z
	.string()
	.url()
	.refine((url) => new URL(url).protocol === 'https:', 'url must be an https URL');
// The service's complete list of events is not shown, so any name is taken.
const events = z.array(z.string().min(1)).min(1);
// Whether the service refuses an unknown company number is not shown; the simulator only
// looks at the form.
const companyNumber = z
	.string()
	.regex(/^[A-Z0-9]{8}$/, 'company_number must be 8 letters or digits');

const newWebhook = z.object({ url: httpsUrl, company_number: companyNumber, events });
/** The company number cannot be changed. */
const webhookChanges = z.object({ url: httpsUrl, events, is_active: z.boolean() }).partial();
/** Default and bounds of items_per_page are the simulator's choice. */
const searchQuery = z.object({
	q: z.string().trim().min(1),
	items_per_page: z.coerce.number().int().min(1).max(100).default(20),
});

/** What every response shows of a webhook: neither the destination nor the secret. */
const shown = (webhook: StoredWebhook) =>
	pick(webhook, 'id', 'company_number', 'events', 'is_active');

/** The service's routes. Paging of the list is not shown, so there is none. */
export function routes(store: Store): Router {
	const guard = (sessionOnly: boolean, handler: Handler) => (req: Request, res: Response) => {
		const token = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1];
		const caller = token === undefined ? undefined : store.callerWith(token);
		if (caller && (caller.isSession || !sessionOnly)) return handler(caller.account, req, res);
		return refuse(res, 401, 'unauthorized', UNAUTHORISED);
	};
	/** Data and webhook routes: an API key or a session token. */
	const withAnyToken = (handler: Handler) => guard(false, handler);
	/** Account routes: a session token; an API key is answered like any wrong token. */
	const withSession = (handler: Handler) => guard(true, handler);
	const router = Router({ caseSensitive: true, strict: true });

	// Companies whose name contains the text or whose number begins with it.
	router.get(
		'/v1/search',
		withAnyToken((_account, req, res) => {
			const query = searchQuery.safeParse(req.query);
			if (!query.success) return refuseInvalid(res, query.error);
			const text = query.data.q.toUpperCase();
			const found = companies.filter(
				({ company_name, company_number }) =>
					company_name.toUpperCase().includes(text) || company_number.startsWith(text),
			);
			res.json({ data: { items: found.slice(0, query.data.items_per_page) } });
		}),
	);

	// In order of creation.
	router.get(
		'/v1/webhooks',
		withAnyToken(({ apiKey }, _req, res) => {
			res.json({ data: store.webhooks(apiKey).map(shown) });
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
		withSession(({ apiKey }, _req, res) => {
			res.json({ data: { webhooks: store.webhooks(apiKey).length } });
		}),
	);
	router.get(
		'/v1/keys',
		withSession(({ apiKey }, _req, res) => {
			// Names the key by its last characters only.
			res.json({ data: [{ name: 'Default', ends_with: apiKey.slice(-4) }] });
		}),
	);
	return router;
}

/**
 * The service's error object. Only the 401 is its own wording of a code; the other codes and statuses are not
 * shown and are the simulator's choice.
 */
export function refuse(res: Response, status: number, error: string, message: string): void {
	res.status(status).json({ error, message, status });
}

export function refuseUnknown(res: Response, what: string): void {
	refuse(res, 404, 'not_found', `${what} was not found`);
}

function refuseInvalid(res: Response, { issues }: ZodError): void {
	const messages = issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
	refuse(res, 400, 'invalid_request', messages.join('; '));
}
