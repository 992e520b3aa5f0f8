import express, { type Request, type RequestHandler } from 'express';

export interface RecordedRequest {
	method: string;
	/** Without the query. */
	path: string;
	query: Record<string, string>;
	/** Parsed JSON; the text as sent where it is not JSON; undefined without a body. */
	body: unknown;
	/** Status of the answer; 0 as long as none has been sent in full. */
	status: number;
	/** Arrival, in milliseconds since the epoch. */
	at: number;
}

/**
 * Adds every request that arrives, refused and dropped ones included, in order of arrival. Reads the body itself,
 * so that a malformed one is recorded and can be refused.
 */
export function logRequests(requests: RecordedRequest[]): RequestHandler[] {
	return [
		express.text({ type: () => true, limit: '1mb' }),
		(req, res, next) => {
			req.body = typeof req.body === 'string' ? jsonOr(req.body) : undefined;
			const { method, path, body } = req;
			const recorded = { method, path, query: queryOf(req), body, status: 0, at: Date.now() };
			requests.push(recorded);
			res.on('finish', () => (recorded.status = res.statusCode));
			next();
		},
	];
}

/** Parsed JSON, or the text where it is none. */
export function jsonOr(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

export function queryOf(req: Request): Record<string, string> {
	return Object.fromEntries(new URL(req.originalUrl, 'http://localhost').searchParams);
}
