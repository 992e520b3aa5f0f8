import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

/** As much of GitHub's interface as n8n's own GitHub Trigger uses to subscribe to a repository. */
export interface GithubApi {
	url: string;
	/** Destination and secret of the one hook. Throws before there is one. */
	hook(): { url: string; secret: string };
	close(): Promise<void>;
}

export async function startGithubApi(): Promise<GithubApi> {
	let hook: { url: string; secret: string } | undefined;
	const app = express();
	app.use(express.json());
	app.post('/repos/:owner/:repository/hooks', (req, res) => {
		hook = req.body.config;
		res
			.status(201)
			.json({ id: 1, active: true, events: req.body.events, config: { url: hook?.url } });
	});
	app.get(
		'/repos/:owner/:repository/hooks/:id',
		(_req, res) => void res.json({ id: 1, active: true }),
	);
	app.delete('/repos/:owner/:repository/hooks/:id', (_req, res) => void res.status(204).end());
	const server = createServer(app);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		hook() {
			if (!hook) throw new Error('The GitHub Trigger has not subscribed yet');
			return hook;
		},
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
