import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';

export interface DeliveryAnswer {
	status: number;
	/** Names in lower case; repeated headers joined with commas. */
	headers: Record<string, string>;
	body: string;
}

// How long the service waits for an answer is not shown; this is the simulator's choice. One that hangs up and
// sends again starts the workflow twice, as it should: so longer than n8n needs on a slow machine.
const answerTimeoutMs = 150_000;

/** Posts exact bytes, over connections that are kept open from one delivery to the next. */
export class Sender {
	private readonly plain = new http.Agent({ keepAlive: true });
	private readonly secure = new https.Agent({ keepAlive: true });

	/** Throws on a network failure, when no answer comes in time, and when closed meanwhile. */
	async post(
		url: string,
		headers: Record<string, string | string[]>,
		body: Buffer,
		ca?: string,
	): Promise<DeliveryAnswer> {
		const options = {
			method: 'POST',
			headers: { ...headers, 'content-length': String(body.length) },
			timeout: answerTimeoutMs,
		};
		const request = url.startsWith('https:')
			? https.request(url, { ...options, agent: this.secure, ca })
			: http.request(url, { ...options, agent: this.plain });
		return await new Promise((resolve, reject) => {
			request.on('response', (response) => resolve(readAnswer(response)));
			request.on('timeout', () => request.destroy(new Error(`No answer from ${url} in time`)));
			request.on('error', reject);
			request.end(body);
		});
	}

	close(): void {
		this.plain.destroy();
		this.secure.destroy();
	}
}

async function readAnswer(response: http.IncomingMessage): Promise<DeliveryAnswer> {
	const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
	return {
		status: response.statusCode ?? 0,
		headers: Object.fromEntries(headers),
		body: await text(response),
	};
}
