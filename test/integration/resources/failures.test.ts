// The errors of actions: refusals, unexpected answers and no answer.
import { map } from 'lodash';
import type { INodeParameters, OnError } from 'n8n-workflow';

import { REQUEST_LIMIT } from '../../../nodes/CompanyRegistry/registry/registry';
import type { FaultAction } from '../../simulator';
import { byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';

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
	const items = [{ query: 'tessellate' }, { query: ' ' }, { query: 'euler' }];
	const output = await runAction(simulator, search, { items, onError: 'continueErrorOutput' });
	// The first search finds two companies.
	expect(map(output, 'pairedItem.item')).toEqual([0, 0, 1, 2]);
	// With other keys, n8n takes the success branch.
	const details = { description: expect.stringContaining('Enter'), httpCode: 'none', item: 1 };
	expect(output[2].json).toEqual({ error: "'Search Text' is empty", details });
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
				details: { description: expect.any(String), httpCode: '422', item: 0 },
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
