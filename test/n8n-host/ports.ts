import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Below the ports that operating systems give to connections, which in containers may begin at 16,000. */
const RANGE = { first: 10_000, end: 16_000 };

/** Has the server listen on the loopback interface, at any free port unless given. Answers the port. */
export async function listen(server: Server, port = 0): Promise<number> {
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

/** Ends the server and all its connections. */
export async function endServer(server: HttpServer): Promise<void> {
	const closed = once(server, 'close');
	server.close();
	server.closeAllConnections();
	await closed;
}

/** Whether nothing listens on `port` of the local host now. */
export async function isPortFree(port: number): Promise<boolean> {
	const server = await tryToListen(port);
	if (!server) return false;
	await new Promise((resolve) => server.close(resolve));
	return true;
}

/**
 * A port of the local host for a server that listens some seconds later, or again after a restart. Until this process
 * ends, no other call answers it, in any process of this machine: the odd port above stays open as its lock.
 */
export async function freePort(): Promise<number> {
	const { first, end } = RANGE;
	const pairs = Math.floor((end - first) / 2);
	const start = Math.floor(Math.random() * pairs);
	for (let tried = 0; tried < pairs; tried++) {
		const port = first + 2 * ((start + tried) % pairs);
		const lock = await tryToListen(port + 1);
		if (!lock) continue;
		lock.unref();
		if (await isPortFree(port)) return port;
		lock.close();
	}
	throw new Error(`No port is free from ${first} to ${end}`);
}

/** A server without purpose at that port of all addresses; undefined where someone listens already. */
async function tryToListen(port: number): Promise<Server | undefined> {
	const server = createServer();
	try {
		server.listen(port);
		await once(server, 'listening');
		return server;
	} catch {
		return undefined;
	}
}
