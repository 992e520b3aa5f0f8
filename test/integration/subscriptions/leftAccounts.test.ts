// What a trigger leaves behind at the account before is paused there, also when the change to another fails.
import { startSimulator, type Simulator } from '../../simulator';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';

let simulator: Simulator;
let workflow: SavedWorkflow;
let logged: () => string[];

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, companyNumbers(37));
	await workflow.publish();
	logged = warnings(workflow);
	simulator.clearRequests();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const active = () => simulator.webhooks().filter(({ is_active }) => is_active);
const methods = () => simulator.requests.map(({ method }) => method);
const withKey = (apiKey: string, baseUrl = simulator.url) => ({
	companyRegistryApi: { baseUrl, apiKey },
});
const LATER = { status: 429, headers: { 'Retry-After': '1' } };

/** Publishes a change that fails, and waits until the background is quiet; returns what was said. */
async function failToChange(setup: Parameters<SavedWorkflow['change']>[0]): Promise<string> {
	const said = await workflow.change(setup).then(
		() => 'It did not fail',
		(error: Error) => error.message,
	);
	await settled(workflow.load());
	return said;
}

describe('a change of the credential that fails has the webhooks paused with the one before', () => {
	afterEach(() => {
		expect(active()).toEqual([]);
		expect(logged()).toEqual([]);
	});

	it('where the service refuses the new key', async () => {
		const said = await failToChange({ credentials: withKey('mistyped') });
		expect(said).toContain('did not accept the API key');
	});

	it('where the new service is down', async () => {
		const other = await startSimulator();
		await other.close();
		const said = await failToChange({ credentials: withKey(other.apiKey, other.url) });
		expect(said).toContain('Nothing answers at the Base URL');
	});

	it('where the new account sets up only some, which are paused as well', async () => {
		simulator.fault({ method: 'POST', nth: 3, action: { status: 402 } });
		const said = await failToChange({ credentials: withKey(simulator.addAccount().apiKey) });
		expect(said).toContain('plan does not cover');
		logged = () => [];
	});

	it('where another parameter cannot be used', async () => {
		const said = await failToChange({
			credentials: withKey(simulator.addAccount().apiKey),
			parameters: watching(['nonsense!']),
		});
		expect(said).toContain('is not a company number');
	});

	it('where neither the new credential nor another parameter can be used', async () => {
		const said = await failToChange({
			credentials: withKey('key', ''),
			parameters: watching(['nonsense!']),
		});
		expect(said).toContain('is not a company number');
	});

	it('where the new credential cannot be used, and the service asks to wait', async () => {
		simulator.fault({ method: 'PATCH', times: 3, action: LATER });
		const said = await failToChange({ credentials: withKey('key', '') });
		expect(said).toContain('not a web address');
	});

	it('where the new key is refused, and the service asks to wait', async () => {
		simulator.fault({ method: 'PATCH', times: 3, action: LATER });
		await failToChange({ credentials: withKey('mistyped') });
	});
});

it('a new key of the same account that fails at first is used to pause, since the one before may be invalid', async () => {
	simulator.fault({ method: 'POST', action: { status: 402 } });
	const apiKey = simulator.addApiKey();
	await failToChange({
		credentials: withKey(apiKey),
		parameters: watching(companyNumbers(38)),
	});
	expect(active()).toEqual([]);
	// The publish has found the webhooks listed, so nothing has to be listed again.
	expect(methods().filter((method) => method === 'GET')).toHaveLength(1);
});

describe('a change of the account that succeeds', () => {
	const change = async () =>
		await workflow.change({ credentials: withKey(simulator.addAccount().apiKey) });

	it('does not wait until the account before is paused, and has the new secrets saved', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: 'hang' });
		await change();
		expect(active()).toHaveLength(2 * 37);
		const stored = JSON.stringify(workflow.staticData);
		expect(stored).toContain('"published":true');
		for (const { secret } of active()) expect(stored).toContain(secret);
		simulator.clearFaults();
	});

	it('and then fails at a publish before the account before is paused still has that paused', async () => {
		simulator.latencyMs = 50;
		await change();
		simulator.latencyMs = 0;
		await failToChange({ credentials: withKey('mistyped') });
		expect(active()).toEqual([]);
	});

	it('and is unpublished while the account before asks to wait does not wait for that first', async () => {
		simulator.fault({
			method: 'PATCH',
			times: 30,
			action: { status: 429, headers: { 'Retry-After': '20' } },
		});
		await change();
		while (!methods().includes('PATCH')) await new Promise((resolve) => setTimeout(resolve, 5));
		await new Promise((resolve) => setTimeout(resolve, 100));
		const began = Date.now();
		simulator.clearFaults();
		await workflow.unpublish();
		expect(Date.now() - began).toBeLessThan(10_000);
		expect(active()).toEqual([]);
	}, 30_000);
});
