import { randomUUID } from 'node:crypto';

/** What a browser does for n8n's editor: keeps the cookie, names itself, unwraps `data`. */
export class N8nSession {
	private cookies = new Map<string, string>();

	private readonly browserId = randomUUID();

	/** `url` as in http://127.0.0.1:5678, without a trailing slash. */
	constructor(readonly url: string) {}

	/**
	 * `path` is relative to `/rest`. Answers the `data` of the response, or the whole of it where
	 * there is none. Throws where it is not 2xx.
	 */
	async request<T>(method: string, path: string, body?: object): Promise<T> {
		const text = await this.send(method, `/rest${path}`, body);
		const answer = text === '' ? undefined : JSON.parse(text);
		return answer?.data ?? answer;
	}

	/** The text of what the editor loads besides, such as `/types/nodes.json`. */
	async file(path: string): Promise<string> {
		return await this.send('GET', path);
	}

	/** Answers the text of the response. */
	private async send(method: string, path: string, body?: object): Promise<string> {
		const response = await fetch(this.url + path, {
			method,
			headers: {
				'browser-id': this.browserId,
				// A busy n8n drops a resting connection in the moment that it is used again.
				connection: 'close',
				cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && JSON.stringify(body),
			// npm installs a package in one of them, beside other tests.
			signal: AbortSignal.timeout(300_000),
		});
		this.keepCookies(response);
		const text = await response.text();
		if (!response.ok) {
			throw new Error(
				`n8n answered ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`,
			);
		}
		return text;
	}

	private keepCookies(response: Response): void {
		for (const cookie of response.headers.getSetCookie()) {
			const [pair] = cookie.split(';');
			const separator = pair.indexOf('=');
			this.cookies.set(pair.slice(0, separator), pair.slice(separator + 1));
		}
	}
}
