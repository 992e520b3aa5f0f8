import type { RequestHandler, Response } from 'express';

import { queryOf, type RecordedRequest } from './requestLog';
import { refuse } from './routes';

export type FaultAction =
	| { status: number; body?: unknown; headers?: Record<string, string> }
	| { raw: string; status?: number }
	/** Never answers. */
	| 'hang'
	/** Closes the connection before anything is processed. */
	| 'drop'
	/** Processes the request, then closes the connection instead of answering. */
	| 'dropAfter'
	/** Processes the request, then sends the JSON a character at a time, never to its end. */
	| 'trickle';

type FaultRequest = Pick<RecordedRequest, 'method' | 'path' | 'query' | 'body'>;

export interface Fault {
	method?: string;
	path?: RegExp;
	when?: (req: FaultRequest) => boolean;
	/** First request to hit, 1-based, among those that match since the fault was added. */
	nth?: number;
	/** How many requests to hit from there on; 1 unless given, may be Infinity. */
	times?: number;
	action: FaultAction;
}

interface PendingFault extends Fault {
	seen: number;
	used: number;
}

/** The faults to come. One request meets at most one: the first added that is due. */
export class Faults {
	private pending: PendingFault[] = [];

	add(fault: Fault): void {
		this.pending.push({ ...fault, seen: 0, used: 0 });
	}

	clear(): void {
		this.pending = [];
	}

	readonly middleware: RequestHandler = (req, res, next) => {
		const query = queryOf(req);
		const action = this.next({ method: req.method, path: req.path, query, body: req.body });
		if (action === undefined) return next();
		if (action === 'hang') return undefined;
		if (action === 'drop') return req.socket.destroy();
		if (typeof action === 'object') return answer(res, action);
		if (action === 'dropAfter') loseAnswer(res);
		else trickleAnswer(res);
		return next();
	};

	private next(req: FaultRequest): FaultAction | undefined {
		const matching = this.pending.filter(
			({ method = req.method, path, when }) =>
				method === req.method && (!path || req.path.search(path) >= 0) && (!when || when(req)),
		);
		for (const fault of matching) fault.seen += 1;
		const due = matching.find(({ seen, used, nth = 1, times = 1 }) => seen >= nth && used < times);
		if (due) due.used += 1;
		return due?.action;
	}
}

type Answer = Extract<FaultAction, object>;

function answer(res: Response, action: Answer): void {
	if ('raw' in action) {
		res.status(action.status ?? 200).setHeader('Content-Type', 'text/html');
		return void res.end(action.raw);
	}
	res.set(action.headers ?? {});
	const { status } = action;
	if ('body' in action) res.status(status).json(action.body);
	else refuse(res, status, 'simulated_fault', `The simulator was told to answer ${status}`);
}

/** `end` is what every answer comes to, with a body or without one. */
function loseAnswer(res: Response): void {
	res.end = () => {
		res.socket?.destroy();
		return res;
	};
}

function trickleAnswer(res: Response): void {
	res.end = () => {
		// An answer with a known length would come to its end.
		res.removeHeader('Content-Length');
		res.setHeader('Content-Type', 'application/json');

		const timer = setInterval(() => res.write(' '), 50);
		res.once('close', () => clearInterval(timer));
		return res;
	};
}
