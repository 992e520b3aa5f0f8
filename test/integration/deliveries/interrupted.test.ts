// n8n that was killed while it published goes on serving the trigger: one delivery a day shows what to do.
import { SIGN_OF_LIFE } from '../../../nodes/CompanyRegistry/trigger/memory/phase';
import type { TestWorkflow } from '../../support/contexts';
import { captureLog } from '../../support/logCapture';
import { afterRestart } from '../../support/loadedTriggers';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

const { missedAfter } = SIGN_OF_LIFE;
const DAY = 24 * 3_600_000;

const parameters = watching('00445790');

let harness: TriggerHarness;
/** Milliseconds that the clock is ahead. */
let ahead: number;

beforeEach(async () => {
	harness = await startTriggerHarness();
	ahead = 0;
	const clock = Date.now.bind(Date);
	jest.spyOn(Date, 'now').mockImplementation(() => clock() + ahead);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await harness.close();
});

/** A trigger that was published and maybe taken down for the next version, after n8n's restart. */
async function restarted({ isTakenDown }: { isTakenDown: boolean }): Promise<TestWorkflow> {
	const before = harness.workflow({ parameters });
	await harness.publish(before);
	if (isTakenDown) await harness.unpublish(before);
	const nodeType = await afterRestart();
	return harness.workflow({ nodeType, parameters, staticData: saved(before) });
}

/** What each of some deliveries, so many milliseconds apart, is answered; of what is taken, an execution is begun. */
async function deliver(workflow: TestWorkflow, ...waits: number[]): Promise<number[]> {
	captureLog(workflow);
	const executions = harness.serve(workflow);
	const [{ id }] = harness.simulator.webhooks();
	const answers: number[] = [];
	for (const wait of waits) {
		ahead += wait;
		const sent = { ca: harness.proxy.ca, ignoreActive: true };
		answers.push((await harness.simulator.deliver(id, sent)).status);
	}
	expect(executions).toHaveLength(answers.filter((status) => status === 200).length);
	return answers;
}

it('is shown once a day by a delivery that comes again, and the others start the workflow', async () => {
	const workflow = await restarted({ isTakenDown: true });
	// Not while the publish may still be under way in another process.
	const waits = [1, missedAfter - 10_000, 10_000, 1, DAY - 60_000, 60_000];
	expect(await deliver(workflow, ...waits)).toEqual([200, 200, 500, 200, 200, 500]);
});

it('not once it has come to its end', async () => {
	const workflow = await restarted({ isTakenDown: false });
	expect(await deliver(workflow, 1, missedAfter + 1)).toEqual([200, 200]);
});

it('not of a publish that was begun since', async () => {
	const first = await restarted({ isTakenDown: true });
	await deliver(first, missedAfter * 0.6);
	const nodeType = first.nodeType;
	const again = harness.workflow({ parameters, staticData: saved(first) });
	await harness.publish(again);
	await harness.unpublish(again);
	const workflow = harness.workflow({ nodeType, parameters, staticData: saved(again) });
	expect(await deliver(workflow, missedAfter * 0.6)).toEqual([200]);
});
