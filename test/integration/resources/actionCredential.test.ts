// How often an action reads its credential, and which addresses that credential may reach.
import { startSimulator, type Simulator } from '../../simulator';
import { actionSetup } from '../../support/actionNode';
import { runNode, runNodeIn, testWorkflow } from '../../support/contexts';

let simulator: Simulator;

beforeAll(async () => {
	simulator = await startSimulator();
});
beforeEach(() => simulator.clearRequests());
afterAll(async () => {
	await simulator.close();
});

const search = { resource: 'company', operation: 'search', query: '={{ $json.query }}' };
const items = ['tesco', 'circle', 'limited'].map((query) => ({ json: { query } }));

it('is read once for all items, but for what n8n reads with each request', async () => {
	const readsFor = async (count: number) => {
		const workflow = testWorkflow(actionSetup(simulator, search));
		await runNodeIn(workflow, items.slice(0, count));
		return workflow.credentials.reads;
	};
	const forOne = await readsFor(1);
	expect(await readsFor(3)).toBe(forOne + 2);
	expect(simulator.requests).toHaveLength(4);
});

it('is read again by the next run, which may find another base URL', async () => {
	const other = await startSimulator();
	try {
		const data = { baseUrl: simulator.url, apiKey: simulator.apiKey };
		const workflow = testWorkflow({
			...actionSetup(simulator, search),
			credentials: { companyRegistryApi: data },
		});
		await runNodeIn(workflow, items);
		Object.assign(data, { baseUrl: other.url, apiKey: other.apiKey });
		await runNodeIn(workflow, items);
		expect([simulator.requests.length, other.requests.length]).toEqual([3, 3]);
	} finally {
		await other.close();
	}
});

it.each(['example.com', '*.example.com, example.org'])(
	'that other nodes may use with "%s" only still reaches its own service',
	async (allowedDomains) => {
		const setup = actionSetup(simulator, search);
		const companyRegistryApi = {
			...setup.credentials?.companyRegistryApi,
			allowedHttpRequestDomains: 'domains',
			allowedDomains,
		};
		await runNode({ ...setup, credentials: { companyRegistryApi } }, items);
		expect(simulator.requests).toHaveLength(3);
	},
);

it('that other nodes may not use at all still reaches its own service', async () => {
	const setup = actionSetup(simulator, search);
	const companyRegistryApi = {
		...setup.credentials?.companyRegistryApi,
		allowedHttpRequestDomains: 'none',
	};
	await runNode({ ...setup, credentials: { companyRegistryApi } }, items);
	expect(simulator.requests).toHaveLength(3);
});
