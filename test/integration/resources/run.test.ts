// What the items of one run of the action node share, and what two runs never do.
import { omit } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { waitFor } from '../../n8n-host/waitFor';
import type { RecordedRequest, Simulator } from '../../simulator';
import { createWebhook } from '../../simulator/client';
import { actionSetup, byId, byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import {
	executeDataOf,
	runNode,
	runTool,
	runWithHints,
	testWorkflow,
} from '../../support/contexts';

/** So long that requests that are sent together have come before the first is answered, in milliseconds. */
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
/** Has the service refuse the first, or so many, creates for this company. */
const refuse = ({ number }: { number: string }, times = 1) =>
	simulator.fault({
		times,
		when: ({ method, body }) =>
			method === 'POST' && (body as { company_number: string }).company_number === number,
		action: { status: 422, body: {} },
	});
const sent = (method: string) => simulator.requests.filter((request) => request.method === method);

describe('tools of one AI agent', () => {
	it('each use their own credential', async () => {
		await createWebhook(simulator);
		const first = tool(simulator, webhook('getAll'));
		const executeData = executeDataOf(first, []);
		expect(await runTool(first, executeData)).toHaveLength(1);
		expect(await runTool(tool(other, webhook('getAll')), executeData)).toEqual([]);
		expect([simulator.requests.length, other.requests.length]).toEqual([2, 1]);
	});

	it('see what another tool of the agent has created', async () => {
		const list = tool(simulator, webhook('getAll'));
		const executeData = executeDataOf(list, []);
		expect(await runTool(list, executeData)).toEqual([]);
		await runTool(tool(simulator, create({ companyNumber: byNumber('445790') })), executeData);
		expect(await runTool(list, executeData)).toHaveLength(1);
	});
});

describe('the credential', () => {
	it('of each item is used where its base URL is an expression', async () => {
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

	it.each(['domains', 'none'])(
		"reaches its own service, whatever other nodes may do with it: '%s'",
		async (allowedHttpRequestDomains) => {
			const setup = actionSetup(simulator, webhook('getAll'));
			const companyRegistryApi = {
				...setup.credentials?.companyRegistryApi,
				allowedHttpRequestDomains,
				allowedDomains: 'example.com',
			};
			await runNode({ ...setup, credentials: { companyRegistryApi } });
			expect(simulator.requests).toHaveLength(1);
		},
	);

	it('is read anew when n8n repeats a run that failed', async () => {
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

it('many items run ten at a time, and are put out in their order', async () => {
	simulator.latencyMs = LATENCY;
	const output = await runAction(simulator, create(), { items: numbers(25) });
	expect(most(simulator.requests)).toBe(10);
	expect(output.map(({ json }) => json.company_number)).toEqual(
		numbers(25).map(({ number }) => number),
	);
});

it('a run that is cancelled sends nothing more, and waits for nothing', async () => {
	simulator.fault({ times: Infinity, action: { status: 429, headers: { 'Retry-After': '30' } } });
	const cancelling = new AbortController();
	const workflow = testWorkflow(actionSetup(simulator, create()));
	const items = numbers(25).map((json) => ({ json }));
	const run = failureOf(runWithHints(workflow, items, { signal: cancelling.signal }));
	const isRefused = () => simulator.requests.filter(({ status }) => status === 429).length === 10;
	await waitFor('ten refusals', isRefused, { timeoutMs: 25_000, everyMs: 10 });
	cancelling.abort();
	await run;
	expect(simulator.requests).toHaveLength(10);
});

it('an operation that the node does not have fails before any request', async () => {
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

	it('pauses what a run that fails has created, and names each and what could not be paused', async () => {
		const items = numbers(12);
		refuse(items[11]);
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
		expect(error.description).toContain(`could not be paused: ${active[0].id}`);
	});

	it('keeps what it has created where the node goes on after a failure', async () => {
		const items = numbers(3);
		refuse(items[2]);
		const output = await runAction(simulator, create(), { items, onError: 'continueErrorOutput' });
		expect(output[2].json).toHaveProperty('error');
		expect(output.map(({ json }) => typeof json.secret)).toEqual(['string', 'string', 'undefined']);
		expect(simulator.webhooks().map(({ is_active }) => is_active)).toEqual([true, true]);
		expect(sent('PATCH')).toEqual([]);
	});
});

describe("Create with n8n's Retry On Fail, which runs all items again", () => {
	const items = numbers(2);
	const run = async (parameters: INodeParameters = {}, all = items) =>
		await runAction(simulator, create(parameters), { items: all });
	/** A first try that fails, and has created and paused one webhook. */
	const lose = async () => {
		refuse(items[1]);
		await failureOf(run());
	};
	const states = () => simulator.webhooks().map(({ is_active }) => is_active);

	it('resumes what the tries before have created, with its secret', async () => {
		refuse(items[1], 2);
		await failureOf(run());
		const [{ id }] = simulator.webhooks();
		expect((await failureOf(run())).description).toContain(id);
		expect(states()).toEqual([false]);
		const output = await run();
		expect(states()).toEqual([true, true]);
		expect(output.map(({ json }) => json)).toEqual(
			simulator.webhooks().map((stored) => omit(stored, 'account', 'url')),
		);
		expect(simulator.webhooks()[0].id).toBe(id);
	});

	it('resumes it as it was created, whatever has changed it since', async () => {
		await lose();
		const [{ id }] = simulator.webhooks();
		const updateFields = { url: 'https://example.com/other', events: ['psc.added'] };
		await runAction(simulator, webhook('update', { webhookId: byId(id), updateFields }));
		await run();
		expect(simulator.webhooks()[0]).toMatchObject({
			url: 'https://example.com/events',
			events: ['filing.new'],
			is_active: true,
		});
	});

	it('does so too where the node goes on, but n8n repeats it as its first item has failed', async () => {
		const setup = actionSetup(simulator, create());
		const node = { onError: 'continueRegularOutput', retryOnFail: true } as const;
		refuse(items[0], 2);
		const inputs = items.map((json) => ({ json }));
		const tries = [];
		while (tries.length < 3) tries.push(await runNode({ ...setup, node }, inputs));
		expect(tries.map(([first]) => 'error' in first.json)).toEqual([true, true, false]);
		expect(states()).toEqual([true, true]);
		expect(tries[2][1].json).toEqual(tries[0][1].json);
	});

	it.each<[string, INodeParameters, object[]]>([
		['another address', { url: 'https://example.com/other' }, [items[0]]],
		['other events', { events: ['psc.added'] }, [items[0]]],
		['the same twice', {}, [items[0], items[0]]],
	])('creates one for %s', async (_what, parameters, all) => {
		await lose();
		await run(parameters, all as typeof items);
		expect(simulator.webhooks()).toHaveLength(2);
	});

	it('creates a new one where the service does not know it any more, and after 15 minutes', async () => {
		await lose();
		simulator.fault({ method: 'PATCH', action: { status: 404, body: {} } });
		await run({}, [items[0]]);
		expect(simulator.webhooks()).toHaveLength(2);
		await lose();
		const later = Date.now() + 900_000;
		jest.spyOn(Date, 'now').mockImplementation(() => later);
		await run({}, [items[0]]);
		expect(simulator.webhooks()).toHaveLength(4);
	});

	it('resumes it later where that fails for a while', async () => {
		await lose();
		simulator.fault({ method: 'PATCH', times: 3, action: { status: 500, body: {} } });
		await failureOf(run({}, [items[0]]));
		await run({}, [items[0]]);
		expect(states()).toEqual([true]);
	});
});

describe('a list with more pages', () => {
	const row = { id: 'wh_1', company_number: '00445790', events: [], is_active: true };

	it.each<[string, object, object?]>([
		['a next page', { next_page: 2 }],
		['a sign that there are more', { has_more: true }],
		['a sign of a next page', { pageInfo: { hasNextPage: true } }],
		['a token', { 'next-page-token': 'abc' }],
		['a cursor', { pagination: { cursor: 'abc' } }],
		['an address', { links: { next: { href: '/v1/webhooks?page=2' } } }],
		['a total above its rows', { meta: { total: '2' } }],
		['a total of results', { total_results: 2 }],
		['a count above its rows', { meta: { page: { count: 2 } } }],
		['more pages', { totalPages: 2 }],
		['a last page', { last_page: 2 }],
		['a link to a next page', { links: [{ rel: 'self' }, { rel: 'next', href: '/v1' }] }],
		['a next link', { '@odata.nextLink': '/v1/webhooks?page=2' }],
		['a page that is not the last', { isLastPage: false }],
		['a total of items', { items_total: 2 }],
		['a number of pages', { number_of_pages: 2 }],
		['a Link header', {}, { Link: '</v1/webhooks?page=1>; rel="prev", </p>; rel="next"' }],
	])('that speaks of %s is hinted at', async (_what, beside, headers = {}) => {
		expect(await hintsAt(beside, headers)).toEqual([
			expect.objectContaining({ message: expect.stringContaining('more pages') }),
		]);
	});

	it.each<[string, object, object?]>([
		['nothing', {}],
		['no next page', { next: null, has_more: false, cursor: '', total: 1, links: { self: '/' } }],
		['its only page', { page: 1, total_pages: 1, count: 1, per_page: 100, has_next: 'false' }],
		['the last page', { last: true, links: [{ rel: 'self' }] }],
		['limits', { rate_limit: { total: 5000, count: 7, next_reset: 60 } }],
		['a page before', {}, { Link: '</next?page=1>; rel="prev"' }],
	])('is not suspected where it speaks of %s', async (_what, beside, headers = {}) => {
		expect(await hintsAt(beside, headers)).toEqual([]);
	});

	async function hintsAt(beside: object, headers: object) {
		const body = { data: [row], ...beside };
		simulator.fault({ action: { status: 200, body, headers: { ...headers } } });
		const parameters = webhook('getAll');
		return (await runWithHints(testWorkflow(actionSetup(simulator, parameters)))).hints;
	}

	it.each<[object, object[], string]>([
		[{ has_more: true }, [], 'has more pages'],
		[{}, [{ id: 'wh_2' }], 'cannot be read'],
	])('fails Return All, which would give a part for all: %j %j', async (beside, more, message) => {
		simulator.fault({ action: { status: 200, body: { data: [row, ...more], ...beside } } });
		const error = await failureOf(runAction(simulator, webhook('getAll', { returnAll: true })));
		expect(error.message).toContain(message);
		expect(error.description).toContain("'Limit'");
	});

	it('is named where the webhook is not found', async () => {
		simulator.fault({ action: { status: 200, body: { data: [row], has_more: true } } });
		const parameters = webhook('get', { webhookId: byId('wh_2') });
		expect((await failureOf(runAction(simulator, parameters))).description).toContain(
			'on a page of the list',
		);
	});
});

/** How many of these requests were under way at once, by when they came and were answered. */
function most(requests: RecordedRequest[]): number {
	return Math.max(
		...requests.map(
			({ at }) => requests.filter((one) => one.at <= at && at < one.at + LATENCY - 5).length,
		),
	);
}
