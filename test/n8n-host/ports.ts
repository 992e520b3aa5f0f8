import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Below what operating systems give to connections and to servers that ask for any port. */
const FIRST = 10_000;
const COUNT = 20_000;

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
	const server = createServer();
	try {
		server.listen(port);
		await once(server, 'listening');
		return true;
	} catch {
		return false;
	} finally {
		server.close();
	}
}

/**
 * A port of the local host that is free, for a server that listens some seconds later: a
 * connection that another process opens until then gets none from here.
 */
export async function freePort(): Promise<number> {
	const port = FIRST + Math.floor(Math.random() * COUNT);
	return (await isPortFree(port)) ? port : await freePort();
}
