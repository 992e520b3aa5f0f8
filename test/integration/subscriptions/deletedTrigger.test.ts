// A trigger that is deleted from a workflow with another one is forgotten, but for what may be active.
import { startSimulator, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';

const DAY = 86_400_000;

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, companyNumbers(3));
	await workflow.publish();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const secrets = () => simulator.webhooks().map(({ secret }) => secret);
const isKnown = (secret: string) => JSON.stringify(workflow.staticData).includes(secret);

/** The workflow goes on with another trigger only, published once more after so many days. */
async function replaceTrigger(days: number): Promise<void> {
	workflow.setup.node = { id: 'another', webhookId: 'another' };
	workflow.setup.parameters = watching(['00000006']);
	await workflow.publish();
	const later = Date.now() + days * DAY;
	jest.spyOn(Date, 'now').mockImplementation(() => later);
	await workflow.unpublish();
	await workflow.publish();
}

it('its secrets go with the next publish after 90 days', async () => {
	const [first] = secrets();
	await workflow.unpublish();
	await replaceTrigger(90);
	expect(isKnown(first)).toBe(false);
	expect(isKnown(secrets()[3])).toBe(true);
});

it('before that it may come back, and finds its webhooks', async () => {
	const { setup } = workflow;
	const before = simulator.webhooks();
	await workflow.unpublish();
	workflow.setup = { ...setup };
	await replaceTrigger(89);
	workflow.setup = setup;
	workflow.setup.nodeType = await afterRestart();
	await workflow.publish();
	expect(simulator.webhooks().slice(0, 3)).toEqual(before);
	expect(simulator.webhooks()).toHaveLength(4);
});

it('what could not be paused stays known', async () => {
	const [{ id }] = simulator.webhooks();
	const [first, second] = secrets();
	simulator.fault({
		method: 'PATCH',
		path: new RegExp(id),
		times: Infinity,
		action: { status: 403 },
	});
	await workflow.unpublish();
	await replaceTrigger(90);
	expect(isKnown(first)).toBe(true);
	expect(isKnown(second)).toBe(false);
});
