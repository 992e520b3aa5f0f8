import type { Request, RequestHandler, Response } from 'express';

import { refuseUnauthorised } from './serviceError';
import type { Account, Store } from './store';

export type AccountHandler = (account: Account, req: Request, res: Response) => void;

export interface Guards {
	/** Data and webhook routes: an API key or a session token. */
	withAnyToken(handler: AccountHandler): RequestHandler;
	/** Account routes: a session token; an API key is answered like any wrong token. */
	withSession(handler: AccountHandler): RequestHandler;
}

export function createGuards(store: Store): Guards {
	const guard =
		(handler: AccountHandler, sessionOnly: boolean): RequestHandler =>
		(req, res) => {
			const token = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1];
			const caller = token === undefined ? undefined : store.caller(token);
			if (!caller || (sessionOnly && caller.token !== 'session')) return refuseUnauthorised(res);
			return handler(caller.account, req, res);
		};
	return {
		withAnyToken: (handler) => guard(handler, false),
		withSession: (handler) => guard(handler, true),
	};
}
