// One run of the action node: concurrency, shared state, failures and lists with more pages.
import { map } from 'lodash';
import type { ICredentialDataDecryptedObject, INodeParameters, OnError } from 'n8n-workflow';

import { waitFor } from '../../n8n-host/waitFor';
import type { FaultAction, RecordedRequest, Simulator } from '../../simulator';
import {
	actionSetup,
	byId,
	byNumber,
	failureOf,
	runAction,
	runShown,
} from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import {
	executeDataOf,
	runNode,
	runTool,
	runWithHints,
	testWorkflow,
} from '../../support/contexts';

/** Long enough for concurrent requests to arrive before the first answer, in milliseconds. */
const LATENCY = 500;

const simulator = serviceForEachTest();
const other = serviceForEachTest();

const webhook = (operation: string, parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'webhook',
	operation,
	...parameters,
});
const create = (parameters: INodeParameters = {}) =>
	webhook('create', {
		companyNumber: byNumber('={{ $json.number }}'),
		url: 'https://example.com/events',
		options: { alreadyWatched: 'another' },
		...parameters,
	});
const createOne = create({ companyNumber: byNumber('00445790') });
const query = '={{ $json.query ?? "circle" }}';
const search = { resource: 'company', operation: 'search', query };
const tool = (service: Simulator, parameters: INodeParameters) =>
	testWorkflow({ ...actionSetup(service, parameters), node: { name: service.url } });
const numbers = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ number: String(10_000_001 + index) }));

it('tools of one AI agent each use their own credential, and see what another has created', async () => {
	const list = tool(simulator, webhook('getAll'));
	const executeData = executeDataOf(list, []);
	expect(await runTool(list, executeData)).toEqual([]);
	await runTool(tool(simulator, createOne), executeData);
	expect(await runTool(list, executeData)).toHaveLength(1);
	expect(await runTool(tool(other, webhook('getAll')), executeData)).toEqual([]);
	expect([simulator.requests.length, other.requests.length]).toEqual([3, 1]);
});

describe('the credential', () => {
	const workflowWith = (companyRegistryApi: ICredentialDataDecryptedObject) =>
		testWorkflow({
			...actionSetup(simulator, webhook('getAll')),
			credentials: { companyRegistryApi },
		});

	it('may differ for each item, by an expression', async () => {
		const workflow = workflowWith({ baseUrl: '={{ $json.url }}', apiKey: '={{ $json.apiKey }}' });
		const accounts = [simulator, other, simulator];
		await runWithHints(
			workflow,
			accounts.map(({ url, apiKey }) => ({ json: { url, apiKey } })),
		);
		expect([simulator.requests.length, other.requests.length]).toEqual([1, 1]);
	});

	it('works although the HTTP Request node may not use it', async () => {
		const { url: baseUrl, apiKey } = simulator;
		const data = { baseUrl, apiKey, allowedHttpRequestDomains: 'none' };
		await runWithHints(workflowWith(data), [{ json: {} }]);
		expect(simulator.requests).toHaveLength(1);
	});
});

it('ten items run at a time, and the output keeps their order', async () => {
	simulator.latencyMs = LATENCY;
	const output = await runAction(simulator, create(), { items: numbers(25) });
	expect(mostAtOnce(simulator.requests)).toBe(10);
	expect(map(output, 'json.company_number')).toEqual(map(numbers(25), 'number'));
});

it('a cancelled run ends at once and sends nothing more', async () => {
	simulator.fault({ times: Infinity, action: { status: 429, headers: { 'Retry-After': '30' } } });
	const cancelling = new AbortController();
	const { signal } = cancelling;
	const run = failureOf(runShown(simulator, create(), numbers(25), { signal }));
	const isRefused = () => simulator.requests.filter(({ status }) => status === 429).length === 10;
	await waitFor('ten refusals', isRefused, { timeoutMs: 25_000, everyMs: 10 });
	cancelling.abort();
	await run;
	expect(simulator.requests).toHaveLength(10);
});

it('an unknown operation fails before any request', async () => {
	const error = await failureOf(runAction(simulator, webhook('__CUSTOM_API_CALL__')));
	expect(error.description).toContain("Choose another 'Operation'");
	expect(simulator.requests).toEqual([]);
});

describe('a failure', () => {
	// test/unit/registry/failure.test.ts covers the causes.
	// Running a create again may create a second webhook.
	it.each<[string, boolean, INodeParameters, FaultAction]>([
		['a lost answer to Create', true, createOne, 'dropAfter'],
		['a 503 to Create', false, createOne, { status: 503 }],
		['a 500 to Search', false, search, { status: 500 }],
	])('after %s advises a check: %j', async (_case, isAdvised, parameters, action) => {
		simulator.fault({ times: Infinity, action });
		const { description } = await failureOf(runAction(simulator, parameters));
		expect(description.includes('Check before retrying')).toBe(isAdvised);
	});

	it("with 'On Error' set to 'Continue' is an error item paired with its input", async () => {
		const items = [{ query: 'tessellate' }, { query: ' ' }, { query: 'euler' }];
		const output = await runAction(simulator, search, { items, onError: 'continueErrorOutput' });
		// The first search finds two companies.
		expect(map(output, 'pairedItem.item')).toEqual([0, 0, 1, 2]);
		// With other keys, n8n takes the success branch.
		const details = { description: expect.stringContaining('Enter'), httpCode: 'none', item: 1 };
		expect(output[2].json).toEqual({ error: "'Search Text' is empty", details });
	});

	// n8n moves an item with other keys to the error output only if it has an error of its own.
	it.each<[OnError, boolean]>([
		['continueRegularOutput', false],
		['continueErrorOutput', true],
	])("with %s is an item with the service's error object without a token", async (...row) => {
		const [onError, isMarked] = row;
		const body = { error: simulator.apiKey, message: 'No circles, wh_1', status: 422, more: 1 };
		simulator.fault({ times: Infinity, action: { status: 422, body } });
		const [item] = await runAction(simulator, search, { onError });
		expect(item.json).toEqual({
			error: expect.stringContaining('422'),
			details: { description: expect.any(String), httpCode: '422', item: 0 },
			service_error: { error: '…', message: 'No circles, wh_1', status: 422 },
		});
		// Only n8n sees the error.
		expect(item.error !== undefined).toBe(isMarked);
		expect(Object.keys({ ...item })).toEqual(['json', 'pairedItem']);
	});
});

describe('Create', () => {
	it('checks every item before the first request', async () => {
		const items = [{ number: '445790' }, { number: 'SC123456' }, { number: 'Tesco' }];
		const error = await failureOf(runAction(simulator, create(), { items }));
		expect(error.message).toBe('"Tesco" is not a company number');
		expect(error.context.itemIndex).toBe(2);
		expect(simulator.requests).toEqual([]);
	});

	it('pauses the webhooks of a failed run, and names those paused and those still active', async () => {
		const items = numbers(12);
		simulator.refuse([items[11].number]);
		simulator.fault({ method: 'PATCH', action: { status: 403, body: {} } });
		const error = await failureOf(runAction(simulator, create(), { items }));
		expect(error.context.itemIndex).toBe(11);
		const created = simulator.webhooks();
		expect(created.length).toBeGreaterThan(1);
		for (const { id, company_number } of created) {
			expect(error.description).toContain(`${id} (${company_number})`);
		}
		const active = created.filter(({ is_active }) => is_active);
		expect(active).toHaveLength(1);
		expect(error.description).toContain(`are still active: ${active[0].id}`);
	});

	it("keeps the webhooks of other items if 'On Error' is 'Continue'", async () => {
		const items = numbers(3);
		simulator.refuse([items[2].number]);
		const output = await runAction(simulator, create(), { items, onError: 'continueErrorOutput' });
		expect(output[2].json).toHaveProperty('error');
		expect(output.map(({ json }) => typeof json.secret)).toEqual(['string', 'string', 'undefined']);
		expect(map(simulator.webhooks(), 'is_active')).toEqual([true, true]);
		expect(simulator.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
	});

	it("refuses to run with 'Retry On Fail', which would create webhooks again", async () => {
		const setup = actionSetup(simulator, create());
		const inputs = numbers(2).map((json) => ({ json }));
		const error = await failureOf(runNode({ ...setup, node: { retryOnFail: true } }, inputs));
		expect(error.message).toBe("'Create' does not run with 'Retry On Fail'");
		expect(simulator.requests).toEqual([]);
	});
});

describe('a list of webhooks that may have more pages', () => {
	const row = { id: 'wh_1', company_number: '00445790', events: [], is_active: true };

	it.each<[boolean, string, object]>([
		[true, 'a next page', { next_page: 2 }],
		[true, 'more results in page info', { pageInfo: { hasMore: true } }],
		[true, 'more pages', { totalPages: 2 }],
		[true, 'a total above the number of rows', { meta: { total: '2' } }],
		[false, 'no next page', { next: null, has_more: false, cursor: '', total: 1 }],
		[false, 'limits', { rate_limit: { total: 5000, count: 7, next_reset: 60 } }],
	])('gives a hint (%s) for %s', async (isGiven, _what, beside) => {
		simulator.fault({ action: { status: 200, body: { data: [row], ...beside } } });
		const { hints } = await runShown(simulator, webhook('getAll'));
		expect(hints).toEqual(isGiven ? [expect.stringContaining('more pages')] : []);
	});

	it("fails 'Return All', which would be incomplete, and may have the webhook that Get does not find", async () => {
		const body = { data: [row], has_more: true };
		simulator.fault({ times: 2, action: { status: 200, body } });
		const all = await failureOf(runAction(simulator, webhook('getAll', { returnAll: true })));
		expect(all.message).toContain('cannot read the whole list');
		const parameters = webhook('get', { webhookId: byId('wh_2') });
		const { description } = await failureOf(runAction(simulator, parameters));
		expect(description).toContain('in a part of the list');
	});
});

/** The highest number of these requests that were open at the same time. */
function mostAtOnce(requests: RecordedRequest[]): number {
	const isOpen = (sent: number, now: number) => sent <= now && now < sent + LATENCY - 5;
	const times = map(requests, 'at');
	return Math.max(...times.map((now) => times.filter((sent) => isOpen(sent, now)).length));
}
