// Which deliveries start the workflow while it is changed.
import { map } from 'lodash';

import type { Simulator } from '../../simulator';
import type { NodeSetup, TestWorkflow } from '../../support/contexts';
import { afterRestart } from '../../support/loadedTriggers';
import { watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { startTriggerHarness, type TriggerHarness } from '../../support/triggerHarness';

const COMPANIES = ['00445790', 'SC123456'];
const [FIRST] = COMPANIES;
const AFTER = watching(COMPANIES, { events: ['filing.new', 'psc.added'] });

let harness: TriggerHarness;
let published: SavedWorkflow;

beforeEach(async () => {
	harness = await startTriggerHarness();
	published = harness.watch(COMPANIES);
	await published.publish();
	harness.simulator.clearRequests();
	// n8n takes the old version down, saves that, and then loads the next one.
	await published.takeDown();
});
afterEach(async () => await harness.close());

/** What each webhook's delivery is answered, paused or not, and for which companies they start executions. */
async function deliverToAll(served: TestWorkflow) {
	const { simulator, proxy } = harness;
	const executions = harness.serve(served);
	const deliveries = simulator
		.ids()
		.map(async (id) => await simulator.deliver(id, { ca: proxy.ca, ignoreActive: true }));
	const answers = map(await Promise.all(deliveries), 'status');
	return { answers, started: map(executions.flat(), 'json.company_number').sort() };
}

const TAKEN = { answers: [200, 200], started: COMPANIES };

const otherEvents = () => ({ parameters: AFTER });
const otherAccount = ({ url: baseUrl, addAccount }: Simulator) => ({
	credentials: { companyRegistryApi: { baseUrl, apiKey: addAccount().apiKey } },
});

it.each<[string, string, (service: Simulator) => Partial<NodeSetup>, boolean]>([
	['the webhooks are being changed', 'PATCH', otherEvents, false],
	['another process, whose memory this one lacks, is changing them', 'PATCH', otherEvents, true],
	['another account is being set up', 'POST', otherAccount, false],
])('a delivery that comes while %s is taken', async (_what, method, changes, isOther) => {
	const { simulator } = harness;
	const { setup, staticData } = published;
	const nodeType = isOther ? await afterRestart() : setup.nodeType;
	const served = harness.watch([], { ...setup, nodeType, parameters: AFTER }).load(staticData);
	Object.assign(setup, changes(simulator));
	simulator.latencyMs = 600;
	const publishing = published.publish();
	await simulator.received(1, method);
	expect(await deliverToAll(served)).toEqual(TAKEN);
	simulator.latencyMs = 0;
	await publishing;
});

it('a delivery for a company that was taken out is taken until the next version is published, and starts nothing from then on', async () => {
	expect(await deliverToAll(published.load())).toEqual(TAKEN);
	published.setup.parameters = watching([FIRST]);
	await published.publish();
	expect(await deliverToAll(published.load())).toEqual({ answers: [200, 200], started: [FIRST] });
});
