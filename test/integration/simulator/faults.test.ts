// A fault that loses an answer or never ends it does so to every answer, also to one without a body.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

import { Faults } from '../../simulator/faults';

let faults: Faults;
let server: Server;

beforeEach(async () => {
	faults = new Faults();
	const app = express();
	app.use(faults.middleware);
	app.get('/body', (_req, res) => void res.json({ data: [] }));
	app.get('/empty', (_req, res) => void res.status(204).end());
	server = createServer(app).listen(0, '127.0.0.1');
	await once(server, 'listening');
});

afterEach(async () => {
	server.close();
	server.closeAllConnections();
	await once(server, 'close');
});

async function ask(path: string): Promise<Response> {
	const { port } = server.address() as AddressInfo;
	return await fetch(`http://127.0.0.1:${port}${path}`);
}

describe.each(['/body', '/empty'])('the answer to %s', (path) => {
	it('does not arrive with dropAfter, and the next one does', async () => {
		faults.add({ action: 'dropAfter' });
		await expect(ask(path)).rejects.toThrow('fetch failed');
		expect((await ask(path)).ok).toBe(true);
	});

	it('begins and goes on with trickle', async () => {
		faults.add({ action: 'trickle' });
		const { status, body } = await ask(path);
		expect(status).toBe(200);
		const reader = body!.getReader();
		for (let part = 0; part < 3; part++) expect((await reader.read()).done).toBe(false);
		await reader.cancel();
	});
});
