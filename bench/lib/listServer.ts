import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves one text, as the list behind a link, until the process ends. @returns its address */
export async function startListServer(text: string): Promise<string> {
	const server = createServer((_request, response) => response.end(text));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/clients.tsv`;
}
