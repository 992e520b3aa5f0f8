// The button that tests a credential: what it takes, and what it says of each mistake.
import { useSurroundings } from './surroundings';

const surroundings = useSurroundings();

/** What the credential's screen says about these values. */
async function tested(type: string, data: Record<string, string>) {
	const { client } = surroundings;
	const credential = await client.createCredential({ name: 'To Test', type, data });
	return await client.testCredential({ ...credential, data });
}

it('takes the right API key, with what is pasted after the base URL, and a session token', async () => {
	const { url, apiKey, sessionToken } = surroundings.simulator;
	const key = await tested('companyRegistryApi', { baseUrl: `${url}/v1/`, apiKey });
	expect(key.status).toBe('OK');
	const session = await tested('companyRegistrySessionApi', { baseUrl: url, sessionToken });
	expect(session.status).toBe('OK');
});

it('says of a wrong API key that it is the key, and of one in the session credential where it belongs', async () => {
	const { url, apiKey } = surroundings.simulator;
	expect(await tested('companyRegistryApi', { baseUrl: url, apiKey: 'wrong' })).toMatchObject({
		status: 'Error',
		message: expect.stringContaining('did not accept the API key'),
	});
	const misplaced = { baseUrl: url, sessionToken: apiKey };
	expect(await tested('companyRegistrySessionApi', misplaced)).toMatchObject({
		status: 'Error',
		message: expect.stringContaining("API keys go in the 'Company Registry API' credential"),
	});
});

it("says of a website's address that it is the base URL", async () => {
	const { simulator } = surroundings;
	const { url, apiKey } = simulator;
	simulator.fault({ times: Infinity, action: { raw: '<!doctype html><title>Dashboard</title>' } });
	const { status, message } = await tested('companyRegistryApi', { baseUrl: url, apiKey });
	expect(status).toBe('Error');
	expect(message).toContain('Base URL');
	expect(message).not.toContain('did not accept the API key');
});
