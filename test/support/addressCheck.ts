import type { TriggerHarness } from './triggerHarness';

export interface Answer {
	status: number;
	body: unknown;
}

/** The address in the first create that the stand-in has received and has not answered yet. */
export async function findFirstCreate({ simulator }: TriggerHarness): Promise<string> {
	for (;;) {
		const create = simulator.requests.find(({ method }) => method === 'POST');
		if (create) return (create.body as { url: string }).url;
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** Sends JSON to an address of the trigger, as anybody can. */
export async function post(
	{ server }: TriggerHarness,
	url: string,
	body: string,
	headers: Record<string, string> = {},
): Promise<Answer> {
	const { pathname, search } = new URL(url);
	const response = await fetch(server.url + pathname + search, {
		method: 'POST',
		// As bytes: n8n answers a malformed JSON body by itself.
		headers: { 'content-type': 'application/octet-stream', ...headers },
		body,
	});
	return { status: response.status, body: await response.json() };
}
