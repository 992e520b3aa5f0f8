// Which deliveries start the workflow while it is changed, and after a change of account, secrets or stored state.
import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import type { Simulator } from '../../simulator';

import type { NodeSetup, TestWorkflow } from '../../support/contexts';
import { callHook, register, saved } from '../../support/savedWorkflow';
import { afterRestart, settled } from '../../support/loadedTriggers';
import { startTriggerHarness, watching, type TriggerHarness } from '../../support/triggerHarness';

const COMPANIES = ['00445790', 'SC123456'];
const [FIRST] = COMPANIES;
const BEFORE: INodeParameters = watching(...COMPANIES);
const AFTER: INodeParameters = { ...BEFORE, events: ['filing.new', 'psc.added'] };

let harness: TriggerHarness;

beforeEach(async () => {
	harness = await startTriggerHarness();
});
afterEach(async () => await harness.close());

/** Publishes by what is in static data. */
async function publish(setup: Partial<NodeSetup>): Promise<TestWorkflow> {
	const workflow = harness.workflow(setup);
	await harness.publish(workflow);
	return workflow;
}

/** What a delivery for this webhook is answered, whether it is paused or not. */
async function deliver(id: string): Promise<number> {
	const { simulator, proxy } = harness;
	return (await simulator.deliver(id, { ca: proxy.ca, ignoreActive: true })).status;
}

describe('a delivery that comes', () => {
	let published: TestWorkflow;

	beforeEach(async () => {
		published = await publish({ parameters: BEFORE });
		harness.simulator.clearRequests();
	});

	/** What each webhook's delivery is answered, and for which companies they start executions. */
	async function deliverToAll(served: TestWorkflow) {
		const executions = harness.serve(served);
		const all = harness.simulator.webhooks();
		const answers = await Promise.all(all.map(async ({ id }) => await deliver(id)));
		return {
			answers,
			started: executions
				.flat()
				.map(({ json }) => json.company_number)
				.sort(),
		};
	}

	const TAKEN = { answers: [200, 200], started: COMPANIES };

	/** n8n has taken the old version down, has saved that, and loads the next. */
	async function takenDown(setup: Partial<NodeSetup>): Promise<TestWorkflow> {
		await callHook('delete', published);
		return harness.workflow({ staticData: saved(published), ...setup });
	}

	const otherEvents = () => ({ parameters: AFTER });
	const otherAccount = ({ url: baseUrl, addAccount }: Simulator) => ({
		parameters: BEFORE,
		credentials: { companyRegistryApi: { baseUrl, apiKey: addAccount().apiKey } },
	});

	it.each<[string, string, (service: Simulator) => Partial<NodeSetup>, boolean]>([
		['the webhooks are being changed', 'PATCH', otherEvents, false],
		['another process, whose memory this one lacks, is changing them', 'PATCH', otherEvents, true],
		['another account is being set up', 'POST', otherAccount, false],
	])('while %s, is taken', async (_what, method, setup, isOther) => {
		const next = await takenDown(setup(harness.simulator));
		const nodeType = isOther ? await afterRestart() : next.nodeType;
		const served = harness.workflow({ nodeType, parameters: AFTER, staticData: saved(published) });
		harness.simulator.latencyMs = 600;
		const publishing = register(next);
		await harness.simulator.received(1, method);
		expect(await deliverToAll(served)).toEqual(TAKEN);
		harness.simulator.latencyMs = 0;
		await publishing;
		await settled(next);
	});

	it('for a company that was taken out, is taken until the next version is published, and starts nothing from then on', async () => {
		const next = await takenDown({ parameters: watching(FIRST) });
		expect(
			await deliverToAll(harness.workflow({ parameters: BEFORE, staticData: saved(next) })),
		).toEqual(TAKEN);
		await register(next);
		await settled(next);
		expect(await deliverToAll(next)).toEqual({ answers: [200, 200], started: [FIRST] });
	});
});

// The way out that SECURITY.md gives for a secret that has become known.
it('a trigger node put in the place of another gets secrets of its own, and the old ones open nothing', async () => {
	const { simulator, proxy } = harness;
	const node = () => ({ id: randomUUID(), webhookId: randomUUID(), parameters: watching(FIRST) });
	const before = await publish({ node: node() });
	const [leaked] = simulator.webhooks();
	await harness.unpublish(before);

	const after = await publish({ node: node(), staticData: before.workflow.staticData });
	const [old, current] = simulator.webhooks();
	expect(old).toEqual({ ...leaked, is_active: false });
	expect(current.secret).not.toBe(leaked.secret);

	const executions = harness.serve(after);
	const send = async (url: string, secret: string) =>
		(await simulator.deliver(current.id, { ca: proxy.ca, url, secret })).status;
	expect(await send(leaked.url, leaked.secret)).toBe(404);
	expect(executions).toEqual([]);
	expect(await send(current.url, current.secret)).toBe(200);
	expect(await send(current.url, leaked.secret)).toBe(401);
	expect(executions).toHaveLength(1);
});
