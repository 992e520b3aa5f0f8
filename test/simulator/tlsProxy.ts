import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';

import { generate } from 'selfsigned';

import { endServer, listen } from '../n8n-host/ports';

/** Longer than any client keeps an idle connection, so that the proxy never closes one in use. */
const idleTimeoutMs = 75_000;
/** Shorter than n8n keeps one, five seconds: one that it closes just then would cost a delivery. */
const restingMs = 2_000;

/** Where requests go on this machine: to one port, or to that of each path. */
export type TargetPort = number | ((path: string) => number);

/**
 * Stands for the reverse proxy that users run in front of n8n: ends TLS on localhost with a
 * self-signed certificate and passes everything on to http://127.0.0.1:targetPort. Answers 502
 * while nothing listens there.
 */
export async function startTlsProxy({ targetPort }: { targetPort: TargetPort }) {
	const { cert, key } = await ownCertificate();
	const agent = new http.Agent({ keepAlive: true, timeout: restingMs });
	const server = https.createServer({ cert, key, keepAliveTimeout: idleTimeoutMs }, (req, res) => {
		const forwarded = http.request({
			host: '127.0.0.1',
			port: typeof targetPort === 'number' ? targetPort : targetPort(req.url ?? '/'),
			agent,
			method: req.method,
			path: req.url,
			headers: requestHeaders(req),
		});
		forwarded.on('response', (answer) => passOn(answer, res));
		forwarded.on('error', () => giveUp(res));
		// A client that has gone needs no answer, so the target need not go on either.
		res.on('close', () => forwarded.destroy());
		req.pipe(forwarded);
	});
	const port = await listen(server);

	return {
		/** Without a trailing slash. */
		url: `https://localhost:${port}`,
		/** The certificate to trust, in PEM form. */
		ca: cert,
		async close(): Promise<void> {
			agent.destroy();
			await endServer(server);
		},
	};
}

/** Valid for localhost and 127.0.0.1: the package adds both for this common name. */
export async function ownCertificate(): Promise<{ cert: string; key: string }> {
	const name = [{ name: 'commonName', value: 'localhost' }];
	const { cert, private: key } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
	return { cert, key };
}

function requestHeaders(req: IncomingMessage): string[] {
	const from = req.socket.remoteAddress ?? '';
	return endToEnd(req.rawHeaders).concat('X-Forwarded-For', from, 'X-Forwarded-Proto', 'https');
}

/** Name and value pairs without those that are about one connection only. */
function endToEnd(rawHeaders: string[]): string[] {
	return rawHeaders.filter((_, index) => {
		const name = rawHeaders[index - (index % 2)]?.toLowerCase() ?? '';
		return name !== 'connection' && name !== 'keep-alive';
	});
}

function passOn(answer: IncomingMessage, res: ServerResponse): void {
	res.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
	pipeline(answer, res).catch(() => res.destroy());
}

function giveUp(res: ServerResponse): void {
	if (res.headersSent) return void res.destroy();
	res.writeHead(502, { 'Content-Type': 'text/plain' }).end('Bad gateway: no answer');
}
