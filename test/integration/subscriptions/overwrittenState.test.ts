// Another trigger of the workflow has saved an older state over this trigger's.
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { afterRestart } from '../../support/restart';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

const [FIRST, ADDED] = ['00445790', 'SC123456'];
const BEFORE: INodeParameters = { ...watching(FIRST), events: ['filing.new'] };
const AFTER: INodeParameters = { ...watching(FIRST, ADDED), events: ['filing.new', 'psc.added'] };

let harness: TriggerHarness;
/** Static data as it was before the company and the event were added. */
let older: () => IDataObject;
/** As it is now. */
let current: () => IDataObject;
let added: string;

// n8n saves a workflow's static data as a whole: a polling trigger beside ours saves what it was started with.
beforeEach(async () => {
	harness = await startTriggerHarness();
	const before = harness.workflow({ parameters: BEFORE });
	await harness.publish(before);
	const snapshot = saved(before);
	older = () => structuredClone(snapshot);
	await harness.unpublish(before);
	const after = harness.workflow({ parameters: AFTER, staticData: saved(before) });
	await harness.publish(after);
	current = () => saved(after);
	[, { id: added }] = harness.simulator.webhooks();
});
afterEach(async () => await harness.close());

async function deliver(id: string, event: string): Promise<number> {
	const { simulator, proxy } = harness;
	return (await simulator.deliver(id, { event, ca: proxy.ca, ignoreActive: true })).status;
}

it('an event added since starts the workflow, also after a restart', async () => {
	const nodeType = await afterRestart();
	const executions = harness.serve(
		harness.workflow({ nodeType, parameters: AFTER, staticData: older() }),
	);
	const [{ id }] = harness.simulator.webhooks();
	expect(await deliver(id, 'psc.added')).toBe(200);
	expect(executions.flat().map(({ json }) => json.event)).toEqual(['psc.added']);
	expect(await deliver(id, 'officer.appointed')).toBe(200);
	expect(executions).toHaveLength(1);
});

it('a company taken out and added again since starts the workflow, also after a restart; one taken out for good does not', async () => {
	const [{ id: first }] = harness.simulator.webhooks();
	const ours = harness.workflow({
		parameters: { ...AFTER, ...watching(ADDED) },
		staticData: current(),
	});
	await harness.publish(ours);
	const nodeType = await afterRestart();
	const deliveredTo = async (...companies: string[]) => {
		const parameters = { ...AFTER, ...watching(...companies) };
		const executions = harness.serve(
			harness.workflow({ nodeType, parameters, staticData: saved(ours) }),
		);
		expect(await deliver(first, 'filing.new')).toBe(200);
		return executions.length;
	};
	expect(await deliveredTo(FIRST, ADDED)).toBe(1);
	expect(await deliveredTo(ADDED)).toBe(0);
});

it('a company added since is delivered by the process that published, and has to come again after a restart', async () => {
	const executions = harness.serve(harness.workflow({ parameters: AFTER, staticData: older() }));
	expect(await deliver(added, 'filing.new')).toBe(200);
	expect(executions).toHaveLength(1);

	const nodeType = await afterRestart();
	harness.serve(harness.workflow({ nodeType, parameters: AFTER, staticData: older() }));
	// The first one is shown to the user as a failed execution.
	expect(await deliver(added, 'filing.new')).toBe(500);
	expect(await deliver(added, 'filing.new')).toBe(503);
});

it('publishing in that process stores everything again and asks the service for a list at most', async () => {
	const again = harness.workflow({ parameters: AFTER, staticData: older() });
	harness.simulator.clearRequests();
	await harness.publish(again);
	expect(harness.simulator.requests.map(({ method }) => method)).toEqual(['GET']);

	const nodeType = await afterRestart();
	const executions = harness.serve(
		harness.workflow({ nodeType, parameters: AFTER, staticData: saved(again) }),
	);
	expect(await deliver(added, 'filing.new')).toBe(200);
	expect(executions).toHaveLength(1);
});

it('publishing does so too where what was stored before looks as it is wanted', async () => {
	const back = harness.workflow({ parameters: BEFORE, staticData: older() });
	await harness.unpublish(back);
	await harness.publish(back);
	const again = harness.workflow({ parameters: BEFORE, staticData: older() });
	await harness.publish(again);
	const secrets = harness.simulator.webhooks().map(({ secret }) => secret);
	expect(secrets.filter((secret) => JSON.stringify(saved(again)).includes(secret))).toEqual(
		secrets,
	);
});
