// A new key, where the list shows none of the webhooks that are known: whose are they?
import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { companyNumbers, watch, type SavedWorkflow } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(5);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator({ listMaximum: 0 });
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	await workflow.unpublish();
	workflow.setup.credentials = {
		companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.addApiKey() },
	};
	simulator.clearRequests();
});
afterEach(async () => await simulator.close());

const posts = () => simulator.requests.filter(({ method }) => method === 'POST').length;
const firstUpdate = () => simulator.requests.find(({ method }) => method === 'PATCH');

it('an update that changes nothing is asked before anything is made, and answered: the same account', async () => {
	await workflow.publish();
	expect(simulator.webhooks()).toHaveLength(5);
	expect(firstUpdate()?.body).toEqual({ events: ['filing.new'] });
	expect(simulator.webhooks().every(({ is_active }) => is_active)).toBe(true);
});

it.each([403, 404, 410])(
	'three that are refused with %i say that it is another',
	async (status) => {
		simulator.fault({ method: 'PATCH', times: 3, action: { status } });
		await workflow.publish();
		expect(simulator.requests.slice(0, 5).map(({ method }) => method)).toEqual([
			'GET',
			'PATCH',
			'PATCH',
			'PATCH',
			'POST',
		]);
		expect(posts()).toBe(5);
	},
);

it.each<[string, FaultAction]>([
	['500', { status: 500 }],
	['422', { status: 422 }],
	['no answer', 'drop'],
])('where it is answered with %s, publishing stops', async (_what, action) => {
	simulator.fault({ method: 'PATCH', times: Infinity, action });
	await expect(workflow.publish()).rejects.toThrow(/Publish again|publish again/);
	expect(posts()).toBe(0);
});
