import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Whether nothing listens on `port` of the local host now. */
export async function isPortFree(port: number): Promise<boolean> {
	return (await portFrom(port)) !== undefined;
}

/** A port of the local host that was free a moment ago. */
export async function freePort(): Promise<number> {
	const port = await portFrom(0);
	if (port === undefined) throw new Error('The operating system gave out no free port');
	return port;
}

async function portFrom(wanted: number): Promise<number | undefined> {
	const server = createServer();
	try {
		server.listen(wanted);
		await once(server, 'listening');
		return (server.address() as AddressInfo).port;
	} catch {
		return undefined;
	} finally {
		server.close();
	}
}
