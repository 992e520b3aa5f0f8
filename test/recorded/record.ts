import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { filter, get } from 'lodash';

import type { CustomScheme } from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import {
	findScheme,
	type Diagnosis,
} from '../../nodes/CompanyRegistry/trigger/signatures/findScheme';
import {
	verifyDelivery,
	type SentDelivery,
} from '../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { listen } from '../n8n-host/ports';
import { jsonOr } from '../simulator/requestLog';
import { headerShapes, hide, shapeOf } from './shapes';

/** One request and its answer, as somebody may read who has no key. */
export interface Exchange {
	request: { method: string; path: string; body?: unknown; hasToken: boolean };
	answer: { status: number; contentType: string; body: unknown };
}

/** What an account of the service did on one day. */
export interface Recording {
	/** The list without a token, a search, a creation, the list, a pause: in this order. */
	exchanges: Exchange[];
	/** Undefined where none came in time. */
	delivery?: {
		/** Values show their form only, but for what every delivery has in common. */
		headers: Record<string, string>;
		/** Parsed JSON; the text as sent where it is not JSON. */
		body: unknown;
		/** How it proves that it is genuine, with the settings that would say so; undefined if that was not found. */
		signed?: Signed;
	};
}

type Signed = Diagnosis | { reason: 'recognised'; scheme?: CustomScheme };

export interface RecordOptions {
	/** Without `/v1`. */
	baseUrl: string;
	apiKey: string;
	/** Https, without a trailing slash; leads to `http://localhost:<port>`. */
	publicUrl: string;
	port: number;
	/** Company number. One with much to report brings a delivery sooner. */
	company: string;
	/** How long to wait for a delivery. */
	waitMs: number;
	signal?: AbortSignal;
	log(line: string): void;
}

/**
 * Searches, creates a webhook, waits for a delivery to it and pauses it, whatever happens meanwhile. The
 * answer holds neither key nor secret, and no address or reference of the one who records.
 * Throws where no webhook could be created.
 */
export async function record(options: RecordOptions): Promise<Recording> {
	const { baseUrl, apiKey, publicUrl, company, log } = options;
	const url = `${publicUrl}/record?ref=${randomBytes(16).toString('base64url')}`;
	const secrets = new Map([
		[url, '<url>'],
		[new URL(publicUrl).host, '<host>'],
		[apiKey, '<api key>'],
	]);
	const send = async (method: string, path: string, body?: object, hasToken = true) => {
		const response = await fetch(`${baseUrl}${path}`, {
			method,
			headers: {
				...(hasToken && { authorization: `Bearer ${apiKey}` }),
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && JSON.stringify(body),
			redirect: 'manual',
		});
		const contentType = response.headers.get('content-type') ?? '';
		const answer = { status: response.status, contentType, body: jsonOr(await response.text()) };
		log(`${method} ${hide(path, secrets)}: ${answer.status}`);
		return { request: { method, path, body, hasToken }, answer };
	};

	const receiver = await receive(options, url);
	try {
		const exchanges: Exchange[] = [
			await send('GET', '/v1/webhooks', undefined, false),
			await send('GET', `/v1/search?q=${company}&items_per_page=2`),
		];
		const wanted = { url, company_number: company, events: ['filing.new'] };
		const creation = await send('POST', '/v1/webhooks', wanted);
		exchanges.push(creation);
		const { id, secret }: Record<string, unknown> = get(creation.answer.body, 'data') ?? {};
		if (typeof secret === 'string') secrets.set(secret, `<secret: ${shapeOf(secret)}>`);
		if (typeof id !== 'string' || typeof secret !== 'string') {
			throw new Error(`No webhook was created: ${JSON.stringify(hide(creation.answer, secrets))}`);
		}
		secrets.set(id, '<webhook id>');
		let delivery: Recording['delivery'];
		try {
			const list = await send('GET', '/v1/webhooks');
			exchanges.push({ ...list, answer: { ...list.answer, body: onlyOwn(list.answer.body, id) } });
			log(`Waiting up to ${options.waitMs / 60_000} minutes for a delivery to ${publicUrl} …`);
			delivery = await receiver.next(secret);
		} finally {
			exchanges.push(await send('PATCH', `/v1/webhooks/${id}`, { is_active: false }));
		}
		return hide({ exchanges, ...(delivery && { delivery }) }, secrets);
	} finally {
		receiver.close();
	}
}

/** Answers 200 to whatever comes. */
async function receive({ port, waitMs, signal }: RecordOptions, url: string) {
	const came: Array<{ headers: IncomingHttpHeaders; rawBody: Buffer }> = [];
	const server = createServer((req, res) => {
		void buffer(req).then((rawBody) => {
			res.end();
			if (req.method === 'POST') came.push({ headers: req.headers, rawBody });
		});
	});
	await listen(server, port);
	return {
		/** The first that is proven; else, once the time is over, the last that came, if any did. */
		async next(secret: string): Promise<Recording['delivery']> {
			const end = Date.now() + waitMs;
			let last: Recording['delivery'];
			for (;;) {
				for (const { headers, rawBody } of came.splice(0)) {
					const now = Date.now() / 1000;
					const signed = howSigned({ rawBody, headers, secret, now, tolerance: 300, url });
					const body = jsonOr(rawBody.toString());
					last = { headers: headerShapes(headers), body, ...(signed && { signed }) };
					if (signed) return last;
				}
				if (signal?.aborted || Date.now() >= end) return last;
				await sleep(100);
			}
		},
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** Recognised by itself, or by the settings that would prove it. */
function howSigned(delivery: SentDelivery): Signed | undefined {
	const verdict = verifyDelivery(delivery);
	// What signs a time is not described without it.
	const needsTime = verdict.accepted && verdict.claim.time !== undefined;
	const found = findScheme(delivery, needsTime);
	if (!verdict.accepted) return found;
	return { reason: 'recognised', ...(found?.reason === 'custom' && { scheme: found.scheme }) };
}

/** The account's other webhooks are nobody's business. */
function onlyOwn(body: unknown, id: string): unknown {
	const data: unknown = get(body, 'data');
	return Array.isArray(data) ? { ...(body as object), data: filter(data, { id }) } : body;
}
