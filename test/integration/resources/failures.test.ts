// What an action says when the service refuses, answers strangely or not at all.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INodeParameters } from 'n8n-workflow';

import { REQUEST_LIMIT } from '../../../nodes/CompanyRegistry/registry/registry';
import { startTlsProxy, type TlsProxy } from '../../simulator/tlsProxy';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { actionSetup, byNumber, failureOf, runAction } from '../../support/actionNode';
import { runNode } from '../../support/contexts';

let simulator: Simulator;
const others: Server[] = [];

beforeAll(async () => {
	simulator = await startSimulator();
});
beforeEach(() => {
	simulator.clearFaults();
	simulator.clearRequests();
});
afterEach(() => {
	for (const server of others.splice(0)) {
		server.closeAllConnections();
		server.close();
	}
});
afterAll(async () => {
	await simulator.close();
});

const search = {
	resource: 'company',
	operation: 'search',
	query: '={{ $json.query ?? "circle" }}',
};
const create = {
	resource: 'webhook',
	operation: 'create',
	companyNumber: byNumber('00445790'),
	url: 'https://example.com/events',
	events: ['filing.new'],
};

async function runWith(credential: Record<string, string>, parameters: INodeParameters = search) {
	const setup = actionSetup(simulator, parameters);
	const companyRegistryApi = { ...setup.credentials?.companyRegistryApi, ...credential };
	return await runNode({ ...setup, credentials: { companyRegistryApi } });
}

describe('a request that the service refuses', () => {
	it('says which token belongs where when it is the wrong one', async () => {
		const error = await failureOf(runWith({ apiKey: 'wrong' }));
		expect(error.message).toBe('The registry service did not accept the API key');
		expect(error.description).toMatch(
			/Session tokens go in.*The service said: ".*" \(unauthorized\)/s,
		);
		expect(error.httpCode).toBe('401');
		expect(error.context.itemIndex).toBe(0);
	});

	it.each([
		[403, 'not allowed'],
		[404, 'nothing at this address'],
		[429, 'too many requests'],
		[500, 'could not process'],
		[503, 'could not process'],
	])('keeps status %d and names the item', async (status, words) => {
		const when = ({ path }: { path: string }) => path === '/v1/search';
		const headers = { 'Retry-After': '3600' };
		simulator.fault({ nth: 2, times: Infinity, when, action: { status, headers, body: {} } });
		const items = [{ query: 'circle' }, { query: 'euler' }];
		const error = await failureOf(runAction(simulator, search, { items }));
		expect(error.message).toContain(words);
		expect(error.httpCode).toBe(String(status));
		expect([0, 1]).toContain(error.context.itemIndex);
	});

	it('does not follow a redirect with the token', async () => {
		const seen: unknown[] = [];
		const elsewhere = await listen(
			createServer((request, response) => {
				seen.push(request.headers.authorization);
				response.end('{"data":{"items":[]}}');
			}),
		);
		const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
		simulator.fault({ action: { status: 307, headers: { location } } });
		const error = await failureOf(runAction(simulator, search));
		expect(error.message).toBe('The registry service redirects to another address');
		expect(seen).toEqual([]);
	});
});

describe('an answer that is not understood', () => {
	it.each([
		['a web page', { raw: '<!DOCTYPE html><html></html>', contentType: 'text/html' }, /web page/],
		['text', { raw: 'OK', contentType: 'text/plain' }, /Unexpected answer/],
		['JSON of another kind', { raw: '{"items":[]}' }, /Unexpected answer/],
		[
			'an item without a number',
			{ raw: '{"data":{"items":[{"company_name":"A"}]}}' },
			/Unexpected answer/,
		],
		['nothing', { raw: '' }, /Unexpected answer/],
	])('fails rather than giving nothing: %s', async (_name, action, message) => {
		simulator.fault({ action });
		const error = await failureOf(runAction(simulator, search));
		expect(error.message).toMatch(message);
		expect(error.description).toContain("'Base URL'");
		expect(error.httpCode).toBe('200');
	});
});

describe('a request without an answer', () => {
	it('says that nothing answers', async () => {
		const closed = await listen(createServer());
		const { port } = closed.address() as AddressInfo;
		closed.close();
		const error = await failureOf(runWith({ baseUrl: `http://127.0.0.1:${port}` }));
		expect(error.message).toBe('Nothing answers at the Base URL');
		expect(error.description).toContain("'Company Registry API' credential");
	});

	it('says that the host was not found', async () => {
		const error = await failureOf(runWith({ baseUrl: 'https://registry.invalid' }));
		expect(error.message).toBe("The Base URL's host name was not found");
	});

	it('says that the connection closed', async () => {
		simulator.fault({ times: Infinity, action: 'drop' });
		const error = await failureOf(runAction(simulator, search));
		expect(error.message).toMatch(/closed before an answer arrived/);
	});

	it('says that the service was too slow', async () => {
		jest.replaceProperty(REQUEST_LIMIT, 'silenceForItem', 100);
		simulator.fault({ action: 'hang' });
		const error = await failureOf(runAction(simulator, search));
		jest.restoreAllMocks();
		expect(error.message).toBe('The registry service did not answer in time');
	});

	it.each([
		['not an address', 'is not a web address'],
		['https://me:secret@example.com', 'is not a web address'],
		['http://registry.example.com', 'does not start with https'],
	])('refuses the Base URL %s', async (baseUrl, words) => {
		const error = await failureOf(runWith({ baseUrl }));
		expect(error.message).toBe(`The credential's 'Base URL' ${words}`);
		expect(error.description).not.toContain('secret');
	});
});

// It runs every item again: for one that has created a webhook that is a second webhook.
describe("n8n's Retry On Fail", () => {
	let proxy: TlsProxy;

	beforeAll(async () => {
		proxy = await startTlsProxy({ targetPort: Number(new URL(simulator.url).port) });
	});
	afterAll(async () => await proxy.close());

	const LOOK = 'Check before retrying';
	const RETRY = "'Retry On Fail'";
	const LATER = { 'Retry-After': '3600' };

	it.each<[string, INodeParameters, FaultAction | 'closed' | 'certificate', string | undefined]>([
		['searches, by 429', search, { status: 429, headers: LATER }, RETRY],
		['searches, by 500', search, { status: 500 }, RETRY],
		['searches, by 402', search, { status: 402 }, undefined],
		['creates, by 429', create, { status: 429, headers: LATER }, undefined],
		['creates, by 503', create, { status: 503 }, undefined],
		['creates, by 500', create, { status: 500 }, LOOK],
		['creates, by a lost answer', create, 'dropAfter', LOOK],
		['creates, by a closed port', create, 'closed', undefined],
		['searches, by a closed port', search, 'closed', undefined],
		['creates, by a certificate that nobody knows', create, 'certificate', undefined],
		['creates, by an answer that nobody understands', create, { status: 201, body: {} }, LOOK],
	])(
		'is advised only where it is safe: a step that %s',
		async (_case, parameters, action, advice) => {
			let baseUrl = simulator.url;
			if (action === 'closed') baseUrl = 'http://127.0.0.1:1';
			else if (action === 'certificate') baseUrl = proxy.url;
			else simulator.fault({ times: Infinity, action });
			const { description } = await failureOf(runWith({ baseUrl }, parameters));
			expect([LOOK, RETRY].filter((words) => description?.includes(words))).toEqual(
				advice ? [advice] : [],
			);
		},
	);
});

describe('continue on fail', () => {
	const items = [{ query: 'tessellate' }, { query: ' ' }, { query: 'euler' }, { query: 'circle' }];

	it('gives an error item for each failure, paired with its input', async () => {
		simulator.fault({
			times: Infinity,
			when: ({ query }) => query.q === 'circle',
			action: { status: 500, body: {} },
		});
		const output = await runAction(simulator, search, { items, onError: 'continueErrorOutput' });

		const failures = output.filter(({ json }) => json.error !== undefined);
		// The first search finds two companies.
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(failures).toHaveLength(2);
		// Other keys would send the item to the success branch.
		expect(failures[0]).toEqual({
			json: {
				error: "'Search Text' is empty",
				details: { description: expect.stringContaining('Enter'), httpCode: 'none', item: 1 },
			},
			pairedItem: { item: 1 },
		});
		expect(failures[1]).toMatchObject({
			json: { error: expect.stringContaining('could not process'), details: { httpCode: '500' } },
			pairedItem: { item: 3 },
		});
	});
});

async function listen(server: Server): Promise<Server> {
	others.push(server);
	return await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
