// One run of the action node: concurrency, shared state, failures and lists with more pages.
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { waitFor } from '../../n8n-host/waitFor';
import type { RecordedRequest, Simulator } from '../../simulator';
import { createWebhook } from '../../simulator/client';
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
import { offeredOperations } from '../../support/operations';

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
const tool = (service: Simulator, parameters: INodeParameters) =>
	testWorkflow({ ...actionSetup(service, parameters), node: { name: service.url } });
const numbers = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ number: String(10_000_001 + index) }));

describe('tools of one AI agent', () => {
	it('are described by what their operation does, whatever the node is called', () => {
		const description = ({ resource, operation }: Record<'resource' | 'operation', string>) => {
			const { node, nodeType } = tool(simulator, { resource, operation });
			return NodeHelpers.getToolDescriptionForNode(node, nodeType);
		};
		for (const { resource, operation } of offeredOperations()) {
			const choice = { resource: String(resource.value), operation: String(operation.value) };
			expect(description(choice)).toBe(`${operation.action} in Company Registry`);
		}
	});

	it('each use their own credential', async () => {
		await createWebhook(simulator);
		const first = tool(simulator, webhook('getAll'));
		const executeData = executeDataOf(first, []);
		expect(await runTool(first, executeData)).toHaveLength(1);
		expect(await runTool(tool(other, webhook('getAll')), executeData)).toEqual([]);
		expect([simulator.requests.length, other.requests.length]).toEqual([2, 1]);
	});

	it('see the webhooks that another tool has created', async () => {
		const list = tool(simulator, webhook('getAll'));
		const executeData = executeDataOf(list, []);
		expect(await runTool(list, executeData)).toEqual([]);
		await runTool(tool(simulator, create({ companyNumber: byNumber('445790') })), executeData);
		expect(await runTool(list, executeData)).toHaveLength(1);
	});
});

describe('the credential', () => {
	it('may differ for each item, by an expression', async () => {
		const workflow = testWorkflow({
			...actionSetup(simulator, webhook('getAll')),
			credentials: {
				companyRegistryApi: { baseUrl: '={{ $json.url }}', apiKey: '={{ $json.apiKey }}' },
			},
		});
		const items = [simulator, other, simulator].map(({ url, apiKey }) => ({
			json: { url, apiKey },
		}));
		await runWithHints(workflow, items);
		expect([simulator.requests.length, other.requests.length]).toEqual([1, 1]);
	});

	it('works although the HTTP Request node may not use it', async () => {
		const setup = actionSetup(simulator, webhook('getAll'));
		const data = { ...setup.credentials?.companyRegistryApi, allowedHttpRequestDomains: 'none' };
		await runNode({ ...setup, credentials: { companyRegistryApi: data } });
		expect(simulator.requests).toHaveLength(1);
	});

	it('is read again when n8n retries a failed run', async () => {
		const data = { baseUrl: 'nowhere', apiKey: simulator.apiKey };
		const workflow = testWorkflow({
			...actionSetup(simulator, webhook('getAll')),
			credentials: { companyRegistryApi: data },
		});
		const executeData = executeDataOf(workflow, [{ json: {} }]);
		await failureOf(runWithHints(workflow, [{ json: {} }], { executeData }));
		data.baseUrl = simulator.url;
		await runWithHints(workflow, [{ json: {} }], { executeData });
		expect(simulator.requests).toHaveLength(1);
	});
});

it('ten items run at a time, and the output keeps their order', async () => {
	simulator.latencyMs = LATENCY;
	const output = await runAction(simulator, create(), { items: numbers(25) });
	expect(mostAtOnce(simulator.requests)).toBe(10);
	expect(output.map(({ json }) => json.company_number)).toEqual(
		numbers(25).map(({ number }) => number),
	);
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
		expect(simulator.webhooks().map(({ is_active }) => is_active)).toEqual([true, true]);
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
	const hintsAt = async (beside: object, headers: Record<string, string> = {}) => {
		simulator.fault({ action: { status: 200, body: { data: [row], ...beside }, headers } });
		return (await runShown(simulator, webhook('getAll'))).hints;
	};

	const previous = '</v1/webhooks?page=1>; rel="prev"';

	it.each<[boolean, string, object, Record<string, string>?]>([
		[true, 'a next page', { next_page: 2 }],
		[true, 'more results in page info', { pageInfo: { hasMore: true } }],
		[true, 'more pages', { totalPages: 2 }],
		[true, 'a cursor', { pagination: { cursor: 'abc' } }],
		[true, 'a next address', { links: { next: { href: '/v1/webhooks?page=2' } } }],
		[true, 'a total above the number of rows', { meta: { total: '2' } }],
		[true, 'a Link header with a next page', {}, { Link: `${previous}, </p>; rel="next"` }],
		[false, 'a Link header without one', {}, { Link: previous }],
		[false, 'no next page', { next: null, has_more: false, cursor: '', total: 1 }],
		[false, 'the only page', { page: 1, total_pages: 1, count: 1, per_page: 100 }],
		[false, 'limits', { rate_limit: { total: 5000, count: 7, next_reset: 60 } }],
	])('gives a hint (%s) for %s', async (isGiven, _what, beside, headers = {}) => {
		const expected = isGiven ? [expect.stringContaining('more pages')] : [];
		expect(await hintsAt(beside, headers)).toEqual(expected);
	});

	it.each<[object, object[]]>([
		[{ has_more: true }, []],
		[{}, [{ id: 'wh_2' }]],
	])("fails 'Return All', which would be incomplete: %j %j", async (beside, more) => {
		simulator.fault({ action: { status: 200, body: { data: [row, ...more], ...beside } } });
		const error = await failureOf(runAction(simulator, webhook('getAll', { returnAll: true })));
		expect(error.message).toContain('cannot read the whole list');
		expect(error.description).toContain("'Limit'");
	});

	it('is named if Get does not find the webhook', async () => {
		simulator.fault({ action: { status: 200, body: { data: [row], has_more: true } } });
		const parameters = webhook('get', { webhookId: byId('wh_2') });
		expect((await failureOf(runAction(simulator, parameters))).description).toContain(
			'on a page of the list',
		);
	});
});

/** The highest number of these requests that were open at the same time. */
function mostAtOnce(requests: RecordedRequest[]): number {
	return Math.max(
		...requests.map(
			({ at }) => requests.filter((one) => one.at <= at && at < one.at + LATENCY - 5).length,
		),
	);
}
