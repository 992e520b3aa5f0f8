// The errors of actions: refusals, unexpected answers and no answer.
import type { INodeParameters, OnError } from 'n8n-workflow';

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

// test/unit/registry/failure.test.ts covers the other causes.
it.each<[string, FaultAction, RegExp, string]>([
	['an empty answer', { raw: '' }, /documented form/, '200'],
	['a slow service', 'hang', /^No answer arrived/, 'none'],
])('%s fails the run, with its cause', async (_case, action, message, httpCode) => {
	jest.replaceProperty(REQUEST_LIMIT, 'silenceForItem', 500);
	simulator.fault({ times: Infinity, action });
	const error = await failureOf(runAction(simulator, search));
	jest.restoreAllMocks();
	expect(error.message).toMatch(message);
	expect(error.httpCode).toBe(httpCode);
});

it('an invalid Base URL fails the run, and its password is not repeated', async () => {
	const setup = actionSetup(simulator, search);
	const baseUrl = 'https://me:secret@example.com';
	const companyRegistryApi = { ...setup.credentials?.companyRegistryApi, baseUrl };
	const error = await failureOf(runNode({ ...setup, credentials: { companyRegistryApi } }));
	expect(error.message).toMatch(/'Base URL' is not an https address(?!.*secret)/);
});

it('the node follows no redirect, and so keeps its token', async () => {
	const elsewhere = await startSimulator();
	simulator.fault({ action: { status: 307, headers: { location: elsewhere.url } } });
	const error = await failureOf(runAction(simulator, search));
	expect(error.message).toBe('The registry service redirects to another address');
	expect(elsewhere.requests).toEqual([]);
	await elsewhere.close();
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

describe('an error item', () => {
	const itemAfter = async (action: FaultAction, onError: OnError = 'continueRegularOutput') => {
		simulator.fault({ times: Infinity, action });
		const [output] = await runAction(simulator, search, { onError });
		return output;
	};

	// n8n moves an item with other keys to the error output only if it has an error of its own.
	it.each<[OnError, boolean]>([
		['continueRegularOutput', false],
		['continueErrorOutput', true],
	])(
		"with %s has the service's error object without a token, and is marked for n8n: %j",
		async (onError, isMarked) => {
			const body = { error: simulator.apiKey, message: 'No circles, wh_1', status: 422, more: 1 };
			const item = await itemAfter({ status: 422, body }, onError);
			expect(item.json).toEqual({
				error: expect.stringContaining('422'),
				details: expect.any(Object),
				service_error: { error: '…', message: 'No circles, wh_1', status: 422 },
			});
			expect(item.error !== undefined).toBe(isMarked);
			expect(Object.keys({ ...item })).toEqual(['json', 'pairedItem']);
		},
	);

	it.each<[string, FaultAction]>([
		['no answer', 'drop'],
		['another body', { status: 422, body: { message: 'no code' } }],
	])('has no error object of the service after %s', async (_what, action) => {
		expect((await itemAfter(action)).json).not.toHaveProperty('service_error');
	});
});
