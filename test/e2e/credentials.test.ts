// The button that tests a credential: what it takes, and what it says of each mistake.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

let surroundings: Surroundings;
let website: Server;

beforeAll(async () => {
	surroundings = await startSurroundings();
	website = createServer((_req, res) => {
		res.setHeader('content-type', 'text/html').end('<!doctype html><title>Dashboard</title>');
	}).listen(0, '127.0.0.1');
});

afterAll(async () => {
	website?.close();
	await surroundings?.stop();
});

/** What the credential's screen says about these values. */
async function tested(type: string, data: Record<string, string>) {
	const { client } = surroundings;
	const credential = await client.createCredential({ name: 'To Test', type, data });
	return await client.testCredential({ ...credential, data });
}

function websiteUrl(): string {
	return `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
}

it.each(['', '/', '/v1', '/v1/'])(
	'takes the right API key with %j after the base URL',
	async (end) => {
		const { url, apiKey } = surroundings.simulator;
		const { status } = await tested('companyRegistryApi', { baseUrl: `${url}${end}`, apiKey });
		expect(status).toBe('OK');
	},
);

it('takes a session token in the session credential', async () => {
	const { url, sessionToken } = surroundings.simulator;
	const { status } = await tested('companyRegistrySessionApi', { baseUrl: url, sessionToken });
	expect(status).toBe('OK');
});

it('says of a wrong API key that it is the key', async () => {
	const { url } = surroundings.simulator;
	const { status, message } = await tested('companyRegistryApi', { baseUrl: url, apiKey: 'wrong' });
	expect(status).toBe('Error');
	expect(message).toContain('did not accept the API key');
});

it('says of an API key in the session credential which credential it belongs in', async () => {
	const { url, apiKey } = surroundings.simulator;
	const { status, message } = await tested('companyRegistrySessionApi', {
		baseUrl: url,
		sessionToken: apiKey,
	});
	expect(status).toBe('Error');
	expect(message).toContain("API keys go in the 'Company Registry API' credential");
});

it.each([
	["a website's address", () => websiteUrl()],
	['a path that the service does not have', () => `${surroundings.simulator.url}/api`],
])('says of %s that it is the base URL', async (_case, baseUrl) => {
	const { apiKey } = surroundings.simulator;
	const { status, message } = await tested('companyRegistryApi', { baseUrl: baseUrl(), apiKey });
	expect(status).toBe('Error');
	expect(message).toContain('Base URL');
	expect(message).not.toContain('did not accept the API key');
});
