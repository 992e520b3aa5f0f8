// The errors of actions: refusals, unexpected answers and no answer.
import type { INodeParameters } from 'n8n-workflow';

import { REQUEST_LIMIT } from '../../../nodes/CompanyRegistry/registry/registry';
import { startSimulator, type FaultAction } from '../../simulator';
import { actionSetup, byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { runNode } from '../../support/contexts';

const simulator = serviceForEachTest();

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
	options: { alreadyWatched: 'another' },
};

async function runWith(credential: Record<string, string>) {
	const setup = actionSetup(simulator, search);
	const companyRegistryApi = { ...setup.credentials?.companyRegistryApi, ...credential };
	return await runNode({ ...setup, credentials: { companyRegistryApi } });
}

it('the node follows no redirect, and so keeps its token', async () => {
	const elsewhere = await startSimulator();
	simulator.fault({ action: { status: 307, headers: { location: elsewhere.url } } });
	const error = await failureOf(runAction(simulator, search));
	expect(error.message).toBe('The registry service redirects to another address');
	expect(elsewhere.requests).toEqual([]);
	await elsewhere.close();
});

describe('an unexpected answer', () => {
	it.each([
		['a web page', { raw: '<!DOCTYPE html><html></html>', contentType: 'text/html' }, /web page/],
		[
			'an item without a number',
			{ raw: '{"data":{"items":[{"company_name":"A"}]}}' },
			/Unexpected answer/,
		],
		['an empty answer', { raw: '' }, /Unexpected answer/],
	])('fails the run: %s', async (_name, action, message) => {
		simulator.fault({ action });
		const error = await failureOf(runAction(simulator, search));
		expect(error.message).toMatch(message);
		expect(error.description).toContain("'Base URL'");
		expect(error.httpCode).toBe('200');
	});
});

describe('a request without an answer', () => {
	it.each([
		['http://127.0.0.1:1', 'Nothing answers at the Base URL'],
		['https://registry.invalid', "The Base URL's host name was not found"],
	])('is explained for %s', async (baseUrl, message) => {
		const error = await failureOf(runWith({ baseUrl }));
		expect(error.message).toBe(message);
		expect(error.description).toContain("'Company Registry API' credential");
	});

	it('is explained for a closed connection', async () => {
		simulator.fault({ times: Infinity, action: 'drop' });
		const error = await failureOf(runAction(simulator, search));
		expect(error.message).toMatch(/closed before an answer arrived/);
	});

	it('is explained for a slow service', async () => {
		jest.replaceProperty(REQUEST_LIMIT, 'silenceForItem', 100);
		simulator.fault({ action: 'hang' });
		const error = await failureOf(runAction(simulator, search));
		jest.restoreAllMocks();
		expect(error.message).toBe('The registry service did not answer in time');
	});

	it('is prevented for a Base URL with a password, which no error repeats', async () => {
		const error = await failureOf(runWith({ baseUrl: 'https://me:secret@example.com' }));
		expect(error.message).toMatch(/'Base URL' is not an https address.*enter the address/);
		expect(error.message).not.toContain('secret');
	});
});

// Running a create again may create a second webhook.
it.each<[string, INodeParameters, FaultAction, boolean]>([
	['a lost answer to Create', create, 'dropAfter', true],
	['an unexpected answer to Create', create, { status: 201, body: {} }, true],
	['a 503 to Create', create, { status: 503 }, false],
	['a 500 to Search', search, { status: 500 }, false],
])(
	'after %s, the error advises a check before the next try',
	async (_case, parameters, action, isAdvised) => {
		simulator.fault({ times: Infinity, action });
		const { description } = await failureOf(runAction(simulator, parameters));
		expect(description.includes('Check before retrying')).toBe(isAdvised);
	},
);

it("with 'On Error' set to 'Continue', each failure is an error item paired with its input", async () => {
	const items = [{ query: 'tessellate' }, { query: ' ' }, { query: 'euler' }, { query: 'circle' }];
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
	// With other keys, n8n takes the success branch.
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
