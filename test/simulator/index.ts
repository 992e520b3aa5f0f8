import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import express, { type ErrorRequestHandler } from 'express';

import { deliver, type DeliveryRequest, type DeliveryResult } from './delivery';
import { answerDifferently, type Differences } from './differences';
import { type Fault, Faults } from './faults';
import { type RateLimit, RateLimiter } from './rateLimit';
import { type RecordedRequest, RequestLog } from './requestLog';
import { routes } from './routes';
import { Sender } from './sender';
import { refuse, refuseUnknown } from './serviceError';
import { type Account, Store, type StoredWebhook } from './store';

export type { DeliveryRequest, DeliveryResult } from './delivery';
export type { Differences } from './differences';
export type { Fault, FaultAction } from './faults';
export { limiterOf, type RateLimit } from './rateLimit';
export type { RecordedRequest } from './requestLog';
export type { CustomScheme, SchemeName } from './signing';
export type { Account, StoredWebhook } from './store';

export interface SimulatorOptions {
	/** A free port unless given. */
	port?: number;
	latencyMs?: number;
	/** Cuts the webhook list short after so many entries. */
	listMaximum?: number;
}

export interface Simulator {
	/** Base URL, plain http, without a trailing slash. */
	url: string;
	/** Both tokens of the first account. */
	apiKey: string;
	sessionToken: string;
	addAccount(): Account;
	/** Another API key of the first account. */
	addApiKey(): string;
	/** From now on the key is answered like any wrong token. */
	revokeApiKey(apiKey: string): void;
	/** Snapshots in order of creation; of every account unless one API key is given. */
	webhooks(apiKey?: string): StoredWebhook[];
	/** Adds a webhook that the first account has had since before this start. */
	restoreWebhook(webhook: Omit<StoredWebhook, 'account'>): void;
	/** Every request received, in order of arrival. */
	requests: RecordedRequest[];
	clearRequests(): void;
	fault(fault: Fault): void;
	clearFaults(): void;
	/** Applied to every request; may be set at any time. */
	latencyMs: number;
	/** Where the service's answers are not shown, another one may choose otherwise; may be set at any time. */
	differences: Differences;
	rateLimit(limit: RateLimit | null): void;
	/** The webhook leaves the list, and PATCH answers 404. Throws for an unknown id. */
	forgetWebhook(id: string): void;
	/** Throws for an unknown or paused webhook and when the last attempt met a network failure. */
	deliver(webhookId: string, delivery: DeliveryRequest): Promise<DeliveryResult>;
	/** Closes every connection and ends pending answers and retries. */
	close(): Promise<void>;
}

/**
 * Starts a stand-in for the registry data service on the loopback interface. It keeps to the
 * service's known interface; where that is silent, the code says that the choice is its own.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const { port = 0, latencyMs = 0, listMaximum } = options;
	const store = new Store();
	const requestLog = new RequestLog();
	const faults = new Faults();
	const rateLimiter = new RateLimiter();
	const sender = new Sender();
	const closing = new AbortController();
	// As many as answers that are waited with.
	setMaxListeners(0, closing.signal);
	// Ends quietly on close: the connection that would get the answer is gone by then.
	const wait = (ms: number) =>
		sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);

	const firstAccount = store.addAccount();
	const simulator: Simulator = {
		...firstAccount,
		url: '',
		requests: requestLog.requests,
		latencyMs,
		differences: {},
		addAccount: () => store.addAccount(),
		addApiKey: () => store.addApiKey(firstAccount),
		revokeApiKey: (apiKey: string) => store.revoke(apiKey),
		webhooks: (apiKey?: string) => store.list(apiKey),
		restoreWebhook: (webhook: Omit<StoredWebhook, 'account'>) =>
			store.restore(firstAccount, webhook),
		clearRequests: () => requestLog.clear(),
		fault: (fault: Fault) => faults.add(fault),
		clearFaults: () => faults.clear(),
		rateLimit: (limit: RateLimit | null) => rateLimiter.set(limit),
		forgetWebhook: (id: string) => store.forget(id),
		async deliver(webhookId: string, delivery: DeliveryRequest) {
			const webhook = store.find(webhookId);
			if (!webhook) throw new Error(`No webhook ${webhookId} to deliver to`);
			return await deliver(webhook, delivery, sender, closing.signal);
		},
		async close() {
			closing.abort();
			sender.close();
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};

	const app = express();
	app.disable('x-powered-by').disable('etag');
	app.use(requestLog.middleware());
	app.use(async (_req, _res, next) => {
		if (simulator.latencyMs > 0) await wait(simulator.latencyMs);
		next();
	});
	app.use(answerDifferently(() => simulator.differences));
	app.use(faults.middleware(wait), rateLimiter.middleware, routes(store, listMaximum));
	app.use((req, res) => refuseUnknown(res, `${req.method} ${req.path}`));
	app.use(internalError);
	const server = createServer(app);
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	simulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return simulator;
}

// Express tells an error handler by its four parameters.
const internalError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
	if (res.headersSent) return next(error);
	return refuse(res, 500, 'internal_error', error instanceof Error ? error.message : String(error));
};
