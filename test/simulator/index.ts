import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import express, { type ErrorRequestHandler } from 'express';

import { endServer, listen } from '../n8n-host/ports';
import { deliver, type DeliveryRequest, type DeliveryResult } from './delivery';
import { type Fault, Faults } from './faults';
import { type RateLimit, RateLimiter } from './rateLimit';
import { logRequests, type RecordedRequest } from './requestLog';
import { refuse, refuseUnknown, routes } from './routes';
import { Sender } from './sender';
import { createStore } from './store';

export type { DeliveryRequest, DeliveryResult } from './delivery';
export type { Fault, FaultAction } from './faults';
export { limiterOf, type RateLimit } from './rateLimit';
export type { RecordedRequest } from './requestLog';
export type { CustomScheme, SchemeName } from './signing';
export type { Account, StoredWebhook } from './store';

export interface SimulatorOptions {
	/** A free port unless given. */
	port?: number;
	latencyMs?: number;
}

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

/**
 * Starts a simulator of the registry data service on the loopback interface. It keeps to the
 * service's known interface; where that is silent, the code says that the choice is its own.
 */
export async function startSimulator({ port = 0, latencyMs = 0 }: SimulatorOptions = {}) {
	const store = createStore();
	const requests: RecordedRequest[] = [];
	const faults = new Faults();
	const rateLimiter = new RateLimiter();
	const sender = new Sender();
	const closing = new AbortController();
	// As many as answers that are waited with.
	setMaxListeners(0, closing.signal);
	// Ends quietly on close: the connection that would get the answer is gone by then.
	const wait = (ms: number) =>
		sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);

	const simulator = {
		...store,
		/** Both tokens of the first account. */
		...store.firstAccount,
		/** Base URL, plain http, without a trailing slash. */
		url: '',
		/** Every request received, in order of arrival. */
		requests,
		/** Applied to every request; may be set at any time. */
		latencyMs,
		clearRequests: () => void requests.splice(0),
		fault: (fault: Fault) => faults.add(fault),
		clearFaults: () => faults.clear(),
		rateLimit: (limit: RateLimit | null) => rateLimiter.set(limit),
		/** Throws for an unknown or paused webhook and when the last attempt met a network failure. */
		async deliver(webhookId: string, delivery: DeliveryRequest): Promise<DeliveryResult> {
			const webhook = store.find(webhookId);
			if (!webhook) throw new Error(`No webhook ${webhookId} to deliver to`);
			return await deliver(webhook, delivery, sender, closing.signal);
		},
		/** Closes every connection and ends pending answers and retries. */
		async close(): Promise<void> {
			closing.abort();
			sender.close();
			await endServer(server);
		},
	};

	const app = express();
	app.disable('x-powered-by').disable('etag');
	app.use(logRequests(requests));
	app.use(async (_req, _res, next) => {
		if (simulator.latencyMs > 0) await wait(simulator.latencyMs);
		next();
	});
	app.use(faults.middleware, rateLimiter.middleware, routes(store));
	app.use((req, res) => refuseUnknown(res, `${req.method} ${req.path}`));
	app.use(internalError);
	const server = createServer(app);
	simulator.url = `http://127.0.0.1:${await listen(server, port)}`;
	return simulator;
}

// Express tells an error handler by its four parameters.
const internalError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
	if (res.headersSent) return next(error);
	return refuse(res, 500, 'internal_error', error instanceof Error ? error.message : String(error));
};
