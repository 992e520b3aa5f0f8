// Actions wait when the service asks them to, and give up when it asks for too much.
import { failureOf, runAction } from '../../support/actionNode';
import { startSimulator, type Simulator } from '../../simulator';

const search = { resource: 'company', operation: 'search', query: '={{ $json.query }}', limit: 1 };
const create = {
	resource: 'webhook',
	operation: 'create',
	companyNumber: { __rl: true, mode: 'number', value: '={{ $json.number }}' },
	url: 'https://n8n.example/hook',
	events: ['filing.new'],
};

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});

afterEach(async () => await simulator.close());

const statuses = () => simulator.requests.map(({ status }) => status);

test('more items than the service lets through at once all succeed, each once', async () => {
	simulator.rateLimit({ requests: 20, perMs: 1000 });
	const items = Array.from({ length: 50 }, (_, index) => ({ number: String(10_000_000 + index) }));

	const output = await runAction(simulator, create, { items });

	expect(output).toHaveLength(items.length);
	expect(output.map(({ json }) => json.company_number)).toEqual(items.map(({ number }) => number));
	expect(statuses()).toContain(429);
	expect(simulator.webhooks()).toHaveLength(items.length);
}, 30_000);

test.each([429, 503])('%d with Retry-After is asked again after that time', async (status) => {
	simulator.fault({ action: { status, headers: { 'Retry-After': '1' } } });

	const output = await runAction(simulator, search, { items: [{ query: 'euler' }] });

	expect(output).toHaveLength(1);
	expect(statuses()).toEqual([status, 200]);
	const [refused, answered] = simulator.requests;
	expect(answered.at - refused.at).toBeGreaterThanOrEqual(1000);
});

test('a time too long to wait fails at once, with the status', async () => {
	simulator.fault({ action: { status: 429, headers: { 'Retry-After': '3600' } } });

	const error = await failureOf(runAction(simulator, search, { items: [{ query: 'euler' }] }));

	expect(error.httpCode).toBe('429');
	expect(error.context.itemIndex).toBe(0);
	expect(statuses()).toEqual([429]);
});
