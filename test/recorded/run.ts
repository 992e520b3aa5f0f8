// `npm run record -- --company 00445790` shows what an account of the service does, and the scheme that proves a
// delivery of it.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, parseArgs } from 'node:util';

import { get } from 'lodash';

import { normaliseBaseUrl } from '../../nodes/CompanyRegistry/registry/credential';
import { findScheme } from '../../nodes/CompanyRegistry/trigger/signatures/findScheme';
import { verifyDelivery } from '../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { endServer, listen } from '../n8n-host/ports';
import { jsonOr } from '../simulator/requestLog';

const USAGE = `npm run record -- --company <number> [--wait <minutes>] [--port <port>]
with COMPANY_REGISTRY_BASE_URL, COMPANY_REGISTRY_API_KEY, and in N8N_WEBHOOK_URL a public https address that
leads to http://localhost:<port> (5678 unless given). It creates one webhook for that company, which nobody
can delete; it is paused in the end.`;

interface Delivery {
	headers: IncomingHttpHeaders;
	rawBody: Buffer;
}

/** Never shown: the key and the secret. */
const hidden: string[] = [];

async function main(): Promise<void> {
	const { company, wait, port } = options();
	const baseUrl = normaliseBaseUrl(process.env.COMPANY_REGISTRY_BASE_URL);
	const apiKey = process.env.COMPANY_REGISTRY_API_KEY;
	const publicUrl = normaliseBaseUrl(process.env.N8N_WEBHOOK_URL);
	if (!baseUrl || !apiKey || !publicUrl?.startsWith('https://') || !company) throw new Error(USAGE);
	hidden.push(apiKey);

	const send = requestsTo(baseUrl, apiKey);
	const url = `${publicUrl}/record?ref=${randomBytes(16).toString('base64url')}`;
	const receiver = await receive(Number(port));
	try {
		await requestsTo(baseUrl)('GET', '/v1/webhooks');
		await send('GET', `/v1/search?q=${company}&items_per_page=2`);
		const wanted = { url, company_number: company, events: ['filing.new'] };
		const creation = await send('POST', '/v1/webhooks', wanted);
		const { id, secret } = get(creation, 'data') ?? ({} as Record<string, unknown>);
		if (typeof id !== 'string' || typeof secret !== 'string')
			throw new Error('No webhook was created.');
		try {
			await send('GET', '/v1/webhooks');
			console.log(`\nWaiting up to ${wait} minutes for a delivery to ${publicUrl} …`);
			const isProven = (delivery: Delivery) => showDelivery(delivery, secret, url);
			const isSeen = await receiver.until(isProven, Number(wait) * 60_000);
			if (!isSeen) console.log('\nNo delivery came that can be proved.');
		} finally {
			await send('PATCH', `/v1/webhooks/${id}`, { is_active: false });
		}
	} finally {
		await receiver.close();
	}
	console.log('\nCompare this with test/simulator, and see docs/maintainers/recording.md.');
}

function options() {
	const { values } = parseArgs({
		options: {
			company: { type: 'string' },
			wait: { type: 'string', default: '60' },
			port: { type: 'string', default: '5678' },
		},
	});
	return values;
}

/** Sends requests, with a token if there is one, and shows their answers. */
function requestsTo(baseUrl: string, token?: string) {
	return async (method: string, path: string, body?: object): Promise<unknown> => {
		const response = await fetch(`${baseUrl}${path}`, {
			method,
			headers: {
				...(token && { authorization: `Bearer ${token}` }),
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && JSON.stringify(body),
			redirect: 'manual',
		});
		const answer = jsonOr(await response.text());
		const secret: unknown = get(answer, 'data.secret');
		if (typeof secret === 'string') hidden.push(secret);
		const type = response.headers.get('content-type') ?? '';
		show(`${method} ${path}${token ? '' : ' without a token'}: ${response.status} ${type}`, answer);
		return answer;
	};
}

/** Answers 200 to whatever comes. */
async function receive(port: number) {
	const came: Delivery[] = [];
	const interrupted = new AbortController();
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => interrupted.abort());
	const server = createServer((req, res) => {
		void buffer(req).then((rawBody) => {
			res.end();
			if (req.method === 'POST') came.push({ headers: req.headers, rawBody });
		});
	});
	await listen(server, port);
	return {
		/** Whether such a delivery came in that time, and before an interruption. */
		async until(isWanted: (delivery: Delivery) => boolean, ms: number): Promise<boolean> {
			const end = Date.now() + ms;
			while (!interrupted.signal.aborted && Date.now() < end) {
				if (came.splice(0).some(isWanted)) return true;
				await sleep(100);
			}
			return false;
		},
		close: async () => await endServer(server),
	};
}

/** With the scheme that proves it. Answers whether it is genuine. */
function showDelivery({ headers, rawBody }: Delivery, secret: string, url: string): boolean {
	show('A delivery', { headers, body: jsonOr(rawBody.toString()) });
	const sent = { rawBody, headers, secret, now: Date.now() / 1000, tolerance: 300, url };
	const verification = verifyDelivery(sent);
	// What signs a time is not described without it.
	const found = findScheme(sent, verification.accepted && verification.claim.time !== undefined);
	if (verification.accepted) console.log('\nIt is recognised.');
	if (found?.reason === 'custom') show('The custom scheme that proves it', found.scheme);
	else console.log('\nNo custom scheme describes it.');
	return verification.accepted || found?.reason === 'custom';
}

function show(title: string, value: unknown): void {
	const text = `\n${title} = ${inspect(value, { depth: null })}`;
	console.log(hidden.reduce((shown, secret) => shown.replaceAll(secret, '<hidden>'), text));
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
