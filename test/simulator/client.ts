import type { Simulator, StoredWebhook } from '.';

/**
 * One plain request to the simulator, with the first account's API key unless given; null sends no Authorization
 * header. Throws when the answer is lost or not JSON.
 */
export async function call(
	simulator: Simulator,
	method: string,
	path: string,
	{ body, token = simulator.apiKey }: { body?: unknown; token?: string | null } = {},
) {
	const response = await fetch(simulator.url + path, {
		method,
		headers: {
			...(token !== null && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const answer: unknown = await response.json();
	return { status: response.status, headers: response.headers, body: answer };
}

/** Creates a webhook over the interface and returns what the simulator stored. */
export async function createWebhook(
	simulator: Simulator,
	url = 'https://n8n.example/hook',
	companyNumber = '00445790',
): Promise<StoredWebhook> {
	const body = { url, company_number: companyNumber, events: ['filing.new'] };
	const { status } = await call(simulator, 'POST', '/v1/webhooks', { body });
	const created = simulator.webhooks(simulator.apiKey).at(-1);
	if (status !== 201 || !created) throw new Error(`Creating a webhook was answered ${status}`);
	return created;
}
