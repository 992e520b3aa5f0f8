// n8n's credential test, for both credentials.
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { CompanyRegistryApi } from '../../../credentials/CompanyRegistryApi.credentials';
import { CompanyRegistrySessionApi } from '../../../credentials/CompanyRegistrySessionApi.credentials';
import { serviceForEachTest } from '../../support/atService';
import { runNode } from '../../support/contexts';

const simulator = serviceForEachTest();

/**
 * Returns the message of n8n's credential test, or `OK`. It sends the request through n8n's routing and
 * then applies the rules in n8n's order.
 */
async function testCredential(
	{ name, test }: ICredentialType,
	data: ICredentialDataDecryptedObject,
): Promise<string> {
	const { request, rules = [] } = test as ICredentialTestRequest;
	const messageOf = (
		kind: string,
		value: (properties: { key?: string; message: string }) => unknown,
	) =>
		rules.find(({ type, properties }) => type === kind && properties.value === value(properties))
			?.properties.message;
	const nodeType = { description: descriptionSending(name, request) };
	try {
		const [{ json }] = await runNode({ nodeType, credentials: { [name]: data } });
		return messageOf('responseSuccessBody', ({ key = '' }) => json?.[key]) ?? 'OK';
	} catch (error) {
		const { cause, message } = error as Error & {
			cause?: { code?: string; response?: { status: number; statusText: string } };
		};
		const { status, statusText } = cause?.response ?? {};
		return messageOf('responseCode', () => status) ?? statusText ?? cause?.code ?? message;
	}
}

function descriptionSending(credential: string, request: ICredentialTestRequest['request']) {
	const description: Partial<INodeTypeDescription> = {
		displayName: 'No Operation',
		name: 'noOp',
		credentials: [{ name: credential, required: true }],
		properties: [
			{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
		],
	};
	return description as INodeTypeDescription;
}

describe.each([
	{
		credential: new CompanyRegistryApi(),
		field: 'apiKey' as const,
		route: '/v1/webhooks',
		refused: /did not accept the API key.*'Company Registry Session API' credential/,
	},
	{
		credential: new CompanyRegistrySessionApi(),
		field: 'sessionToken' as const,
		route: '/v1/usage',
		refused: /did not accept the session token.*log in to the service again/,
	},
])('$credential.displayName', ({ credential, field, route, refused }) => {
	const test = async (changes: Record<string, string> = {}) =>
		await testCredential(credential, {
			baseUrl: simulator.url,
			[field]: simulator[field],
			...changes,
		});

	it('passes with one request to its own route, whatever is around pasted values', async () => {
		const pasted = { baseUrl: ` ${simulator.url}/v1/ `, [field]: ` ${simulator[field]}\n` };
		await expect(test(pasted)).resolves.toBe('OK');
		expect(simulator.requests).toMatchObject([{ method: 'GET', path: route, status: 200 }]);
	});

	it.each([
		['a wrong token, and where it belongs', { status: 401 }, refused],
		['a token without permission', { status: 403 }, refused],
		['an unknown path', { status: 404 }, /Base URL does not lead/],
		['another service', { raw: '{"status":"ok"}' }, /Base URL does not lead/],
		// n8n names the other statuses.
		['a redirect', { status: 301, headers: { location: '/' } }, /^Moved Permanently$/],
		['a fault of the service', { status: 503 }, /^Service Unavailable$/],
	])('explains %s', async (_name, action, message) => {
		simulator.fault({ times: Infinity, action });
		await expect(test()).resolves.toMatch(message);
	});

	it('sends no token to an http address', async () => {
		const { port } = new URL(simulator.url);
		// This address reaches the simulator, so a request would arrive.
		const baseUrl = `http://0.0.0.0:${port}`;
		await expect(test({ baseUrl })).resolves.toMatch(/'Base URL' is not an https address/);
		expect(simulator.requests).toEqual([]);
	});
});
