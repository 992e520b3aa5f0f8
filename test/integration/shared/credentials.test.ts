// n8n's test of both credentials, and what it says to a user.
import type { ICredentialType } from 'n8n-workflow';

import { CompanyRegistryApi } from '../../../credentials/CompanyRegistryApi.credentials';
import { CompanyRegistrySessionApi } from '../../../credentials/CompanyRegistrySessionApi.credentials';
import { startSimulator, type Simulator } from '../../simulator';
import { testCredential } from '../../support/credentialTest';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
});

interface Case {
	credential: ICredentialType;
	field: 'apiKey' | 'sessionToken';
	route: string;
	refused: RegExp;
}

describe.each<Case>([
	{
		credential: new CompanyRegistryApi(),
		field: 'apiKey',
		route: '/v1/webhooks',
		refused: /did not accept the API key.*'Company Registry Session API' credential/,
	},
	{
		credential: new CompanyRegistrySessionApi(),
		field: 'sessionToken',
		route: '/v1/usage',
		refused: /did not accept the session token.*Log in to the service again/,
	},
])('$credential.displayName', ({ credential, field, route, refused }) => {
	const test = async (changes: Record<string, string> = {}) =>
		await testCredential(credential, {
			baseUrl: simulator.url,
			[field]: simulator[field],
			...changes,
		});

	it('is accepted by one request to its own route', async () => {
		await expect(test()).resolves.toBe('OK');
		expect(simulator.requests).toMatchObject([{ method: 'GET', path: route, status: 200 }]);
	});

	it.each(['/', '/v1', '/v1/', '//', '/v1/v1'])(
		'forgives a base URL ending with %s',
		async (end) => {
			await expect(test({ baseUrl: ` ${simulator.url}${end} ` })).resolves.toBe('OK');
		},
	);

	it('forgives spaces around the token', async () => {
		await expect(test({ [field]: ` ${simulator[field]}\n` })).resolves.toBe('OK');
	});

	it('says that the token is wrong and where it belongs', async () => {
		await expect(test({ [field]: 'wrong' })).resolves.toMatch(refused);
	});

	it.each([
		['a path that leads nowhere', { status: 404 }, /Base URL does not lead/],
		['a redirect', { status: 301, headers: { location: '/' } }, /redirects.*'Base URL'/],
		[
			'a web page',
			{ raw: '<!DOCTYPE html><html></html>', contentType: 'text/html' },
			/Base URL leads/,
		],
		['another service', { raw: '{"status":"ok"}' }, /Base URL leads/],
		['nothing', { raw: '' }, /Base URL leads/],
		['too many requests', { status: 429 }, /temporarily unavailable.*429/],
		['a fault of the service', { status: 503 }, /temporarily unavailable.*503/],
	])('says what is wrong when it meets %s', async (_name, action, message) => {
		simulator.fault({ times: Infinity, action });
		await expect(test()).resolves.toMatch(message);
	});

	it('hides its token on the screen', () => {
		const property = credential.properties.find(({ name }) => name === field);
		expect(property?.typeOptions?.password).toBe(true);
		expect(credential.properties.find(({ name }) => name === 'baseUrl')).toMatchObject({
			required: true,
			default: '',
		});
	});
});

it('an API key fails the test of the session credential', async () => {
	const message = await testCredential(new CompanyRegistrySessionApi(), {
		baseUrl: simulator.url,
		sessionToken: simulator.apiKey,
	});
	expect(message).toMatch(/did not accept the session token/);
});
