// What is stored in the workflow survives what else is saved there, and a start ends no watch.
import { PAUSES, serviceForEachTest } from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, held, watch, watching } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const FIVE = companyNumbers(5);

const simulator = serviceForEachTest();
let workflow: ReturnType<typeof watch>;

beforeEach(() => {
	setTimes({});
	workflow = watch(simulator, FIVE);
	warnings(workflow);
});

// n8n closes its database right after the last trigger, so that one waits. The first tests: no other trigger acts yet.
describe('the end of n8n', () => {
	const WAIT = 2_000;
	let workflows: Array<typeof workflow>;

	beforeEach(async () => {
		setTimes({ save: WAIT });
		workflows = FIVE.map((company) => watch(simulator, [company]));
		for (const one of workflows) await one.publish();
	});

	/** How long it takes, as a multiple of the wait. */
	async function waitsOf(act: 'stop' | 'takeDown'): Promise<number> {
		const began = performance.now();
		// As n8n does it: one after the other.
		for (const one of workflows) await one[act]();
		return (performance.now() - began) / WAIT;
	}

	it('waits once, whatever the number of triggers', async () => {
		const waits = await waitsOf('stop');
		expect(waits).toBeGreaterThanOrEqual(1);
		expect(waits).toBeLessThan(workflows.length);
	});

	it('waits for nothing where n8n takes triggers down for a change', async () => {
		expect(await waitsOf('takeDown')).toBeLessThan(0.9);
	});
});

it('a state that something else has saved an old copy over is stored again, and once', async () => {
	await workflow.publish();
	workflow.staticData = {};
	for (let n = 0; n < 3; n++) await workflow.later();
	expect(held(simulator, workflow)).toHaveLength(5);
	expect(workflow.stores).toBe(1);

	// The same after a repair.
	simulator.drift('remove', [FIVE[0]]);
	await workflow.later();
	workflow.staticData = {};
	await workflow.later();
	expect(held(simulator, workflow)).toHaveLength(5);
});

it.each([false, true])('a start pauses nothing (webhook first: %s)', async (isFirst) => {
	// A change was interrupted: two companies have left the list, and their webhooks are still active.
	await workflow.publish();
	simulator.fault({ ...PAUSES, times: Infinity, action: { status: 422 } });
	await workflow.change({ parameters: watching(FIVE.slice(2)) });
	simulator.clearFaults();

	workflow.isWebhookFirst = isFirst;
	await workflow.start();
	expect(simulator.watched()).toEqual(FIVE);
	// The next check does.
	await workflow.later();
	expect(simulator.watched()).toEqual(FIVE.slice(2));
});
