// What a trigger has left behind at accounts that it used before: which of it is paused, and when it is forgotten.
import { openRegistry, type Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import {
	TriggerMemory,
	type RememberedWebhook,
} from '../../../nodes/CompanyRegistry/trigger/memory/triggerMemory';
import {
	isAnythingLeft,
	pauseLeftAccounts,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/pausing/leftAccounts';
import { startSimulator, type Simulator } from '../../simulator';
import { hookContext } from '../../support/contexts';
import { companyNumbers, watch } from '../../support/savedWorkflow';
import { warnings } from '../../support/warnings';

let simulator: Simulator;
let memory: TriggerMemory;
/** The service as the account sees it that was left, and as the one in use does. */
let left: Registry;
let inUse: Registry;

beforeEach(async () => {
	simulator = await startSimulator();
	warnings(watch(simulator, []));
	left = await openRegistry(hookContext(watch(simulator, []).load()));
	inUse = await openRegistry(
		hookContext(watch({ url: simulator.url, apiKey: simulator.addAccount().apiKey }, []).load()),
	);
	memory = new TriggerMemory();
	memory.account = inUse.account;
	memory.leftAccounts.set(left.account, left);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

/** Webhooks of the account that was left, as they are remembered; all are active at the service. */
function remember(...statuses: Array<RememberedWebhook['status']>): void {
	const companies = companyNumbers(statuses.length);
	for (const [index, status] of statuses.entries()) {
		const id = `wh_${index + 1}`;
		const [company, secret, events] = [companies[index], `secret of ${id}`, ['filing.new']];
		const url = `https://n8n.example.com/webhook?ref=${id}`;
		simulator.restoreWebhook({ id, company_number: company, url, events, is_active: true, secret });
		memory.note({ reference: id, company, id, secret, status, account: left.account, url, events });
	}
}

const pause = async (isSuperseded = false) =>
	await pauseLeftAccounts(hookContext(watch(simulator, []).load()), memory, inUse, {
		isSuperseded,
	});
const statuses = () => memory.of(left.account).map(({ status }) => status);

describe('something is left', () => {
	it.each<[string, Array<RememberedWebhook['status']>, boolean]>([
		['where one of several may be active', ['paused', 'watched'], true],
		['where it is not known whether one is paused', ['unconfirmed'], true],
		['not where all are paused', ['paused', 'paused'], false],
		['not where nothing is known', [], false],
	])('%s', (_where, remembered, isLeft) => {
		remember(...remembered);
		expect(isAnythingLeft(memory)).toBe(isLeft);
	});

	it('not at the account in use', () => {
		remember('watched');
		memory.account = left.account;
		expect(isAnythingLeft(memory)).toBe(false);
	});
});

describe('pausing what is left', () => {
	it('pauses what may be active, remembers that, and forgets the account', async () => {
		remember('paused', 'watched', 'unconfirmed');
		await pause();
		expect(simulator.requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
			'PATCH /v1/webhooks/wh_2',
			'PATCH /v1/webhooks/wh_3',
		]);
		expect(statuses()).toEqual(['paused', 'paused', 'paused']);
		expect(memory.leftAccounts.size).toBe(0);
	});

	it('keeps the account while something there may be active', async () => {
		remember('watched', 'watched');
		simulator.fault({ path: /wh_2/, times: Infinity, action: { status: 402 } });
		await pause();
		expect(statuses()).toEqual(['paused', 'watched']);
		expect([...memory.leftAccounts.keys()]).toEqual([left.account]);
	});

	it('does nothing at the account in use, and forgets that it was left', async () => {
		remember('watched');
		memory.account = left.account;
		inUse = left;
		await pause();
		expect(simulator.requests).toEqual([]);
		expect(statuses()).toEqual(['watched']);
		expect(memory.leftAccounts.size).toBe(0);
	});

	it('forgets an account that the node names, as the next publish asks it again', async () => {
		remember('watched');
		inUse = left;
		simulator.fault({ times: Infinity, action: { status: 402 } });
		await pause();
		expect(memory.leftAccounts.size).toBe(0);
	});

	it('does nothing once something else is wanted', async () => {
		remember('watched');
		await pause(true);
		expect(simulator.requests).toEqual([]);
		expect(memory.leftAccounts.size).toBe(1);
	});
});
