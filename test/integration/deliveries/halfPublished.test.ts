// n8n that was killed while it published goes on serving the trigger: deliveries are taken, and the log
// says what to do.
import { hookContext, type TestWorkflow } from '../../support/contexts';
import { afterRestart } from '../../support/restart';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

const LONGEST_PUBLISH = 150_000;
const HOUR = 3_600_000;
const WARNING = /latest publish of this trigger never came to an end.*Unpublish the workflow/;

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

/** What each of some deliveries, so many milliseconds apart, is answered, and how often is warned. */
async function deliver(workflow: TestWorkflow, ...waits: number[]) {
	const warn = jest.spyOn(hookContext(workflow).logger, 'warn').mockImplementation();
	const executions = harness.serve(workflow);
	const [{ id }] = harness.simulator.webhooks();
	for (const wait of waits) {
		ahead += wait;
		await harness.simulator.deliver(id, { ca: harness.proxy.ca, ignoreActive: true });
	}
	const warnings = warn.mock.calls.filter(([text]) => WARNING.test(String(text))).length;
	return { executions: executions.length, warnings };
}

it('each delivery starts the workflow, and one an hour is warned of', async () => {
	const workflow = await restarted({ isTakenDown: true });
	expect(await deliver(workflow, 1, LONGEST_PUBLISH, 1, HOUR)).toEqual({
		executions: 4,
		warnings: 2,
	});
});

it('not while the publish may still be under way in another process', async () => {
	const workflow = await restarted({ isTakenDown: true });
	const twice = await deliver(workflow, 1, LONGEST_PUBLISH - 20_000);
	expect(twice).toEqual({ executions: 2, warnings: 0 });
});

it('not once it has come to its end', async () => {
	const workflow = await restarted({ isTakenDown: false });
	const twice = await deliver(workflow, 1, LONGEST_PUBLISH + 1);
	expect(twice).toEqual({ executions: 2, warnings: 0 });
});

it('not of a publish that was begun since', async () => {
	const first = await restarted({ isTakenDown: true });
	await deliver(first, LONGEST_PUBLISH * 0.6);
	const nodeType = first.nodeType;
	const again = harness.workflow({ parameters, staticData: saved(first) });
	await harness.publish(again);
	await harness.unpublish(again);
	const workflow = harness.workflow({ nodeType, parameters, staticData: saved(again) });
	const once = await deliver(workflow, LONGEST_PUBLISH * 0.6);
	expect(once).toEqual({ executions: 1, warnings: 0 });
});
