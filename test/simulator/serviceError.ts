import type { Response } from 'express';
import type { ZodError } from 'zod';

// Only the 401 is the service's own wording of a code; the other codes and statuses are not
// shown and are the simulator's choice, in the service's error object.

export function refuse(res: Response, status: number, error: string, message: string): void {
	res.status(status).json({ error, message, status });
}

export function refuseUnauthorised(res: Response): void {
	const message =
		'Missing or invalid Authorization header. Use "Bearer <api key>" or "Bearer <session token>".';
	refuse(res, 401, 'unauthorized', message);
}

export function refuseInvalid(res: Response, { issues }: ZodError): void {
	const message = issues
		.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
		.join('; ');
	refuse(res, 400, 'invalid_request', message);
}

export function refuseUnknown(res: Response, what: string): void {
	refuse(res, 404, 'not_found', `${what} was not found`);
}
