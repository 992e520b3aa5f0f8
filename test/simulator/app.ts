import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';

import { answerDifferently, type Differences } from './differences';
import type { Faults } from './faults';
import type { RateLimiter } from './rateLimit';
import type { RequestLog } from './requestLog';
import { routes } from './routes';
import { refuse, refuseUnknown } from './serviceError';
import type { Store } from './store';

export interface AppParts {
	store: Store;
	requestLog: RequestLog;
	faults: Faults;
	rateLimiter: RateLimiter;
	/** Current latency of every request, in milliseconds. */
	latencyMs: () => number;
	/** Pauses for milliseconds and ends early when the service is closed. */
	wait: (ms: number) => Promise<void>;
	/** How the answers differ at present from the stand-in's own choices. */
	differences: () => Differences;
	listMaximum?: number;
}

/** The service's whole known interface, behind whatever trouble the tests asked for. */
export function createApp(parts: AppParts): Express {
	const { store, requestLog, faults, rateLimiter, latencyMs, wait, differences, listMaximum } =
		parts;
	const latency: RequestHandler = async (_req, _res, next) => {
		if (latencyMs() > 0) await wait(latencyMs());
		next();
	};

	const app = express();
	app.disable('x-powered-by').disable('etag');
	app.use(requestLog.middleware(), latency, answerDifferently(differences));
	app.use(faults.middleware(wait), rateLimiter.middleware, routes(store, listMaximum));
	app.use((req, res) => refuseUnknown(res, `${req.method} ${req.path}`));
	app.use(internalError);
	return app;
}

// Express tells an error handler by its four parameters.
const internalError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
	if (res.headersSent) return next(error);
	return refuse(res, 500, 'internal_error', error instanceof Error ? error.message : String(error));
};
