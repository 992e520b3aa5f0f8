// n8n's end: it closes its database right after the last trigger, so that one waits for what was stored.
import { serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, type SavedWorkflow } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const WAIT = 2_000;

const simulator = serviceForEachTest();
let workflows: SavedWorkflow[];

beforeEach(async () => {
	setTimes({ save: WAIT });
	workflows = companyNumbers(4).map((company) => watch(simulator, [company]));
	for (const one of workflows) await one.publish();
});

/** How long it takes, as a multiple of the wait. */
async function waitsOf(act: () => Promise<void>): Promise<number> {
	const began = performance.now();
	await act();
	return (performance.now() - began) / WAIT;
}

it('waits once, whatever the number of triggers', async () => {
	const waits = await waitsOf(async () => {
		// As n8n does it: one after the other.
		for (const one of workflows) await one.stop();
	});
	expect(waits).toBeGreaterThanOrEqual(1);
	expect(waits).toBeLessThan(workflows.length);
});

it('waits for nothing where n8n takes triggers down for a change', async () => {
	const waits = await waitsOf(async () => {
		for (const one of workflows) await one.takeDown();
	});
	expect(waits).toBeLessThan(0.9);
});
