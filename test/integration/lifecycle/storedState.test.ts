// What is stored in the workflow survives what else is saved there, and a start ends no watch.
import { PAUSES, serviceForEachTest } from '../../support/atService';
import { captureLog, warnings } from '../../support/logCapture';
import {
	companyNumbers,
	held,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const DAY = 86_400_000;
const FIVE = companyNumbers(5);
const STATUS = { events: ['filing.new', 'watch.report'] };

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	setTimes({});
	workflow = watch(simulator, FIVE);
	warnings(workflow);
});

describe('a state that something else has saved an old copy over', () => {
	it('is stored again by the next check, and once', async () => {
		await workflow.publish();
		workflow.staticData = {};
		for (let n = 0; n < 3; n++) await workflow.later();
		expect(held(simulator, workflow)).toHaveLength(5);
		expect(workflow.stores).toBe(1);
	});

	it('is stored again by the end of n8n, so that the next start makes no second webhooks', async () => {
		await workflow.publish();
		for (let n = 0; n < 3; n++) await workflow.later();
		workflow.staticData = {};
		await workflow.stop();
		expect(held(simulator, workflow)).toHaveLength(5);
		await workflow.start();
		expect([simulator.watched(), simulator.ids().length]).toEqual([FIVE, 5]);
	});

	it('is stored again after a repair', async () => {
		await workflow.publish();
		for (let n = 0; n < 2; n++) await workflow.later();
		simulator.drift('remove', [FIVE[0]]);
		await workflow.later();
		workflow.staticData = {};
		await workflow.later();
		expect(held(simulator, workflow)).toHaveLength(5);
	});
});

describe('when n8n took the trigger down', () => {
	it('is forgotten once it was started after a kill, so that a later publish names no false gap', async () => {
		workflow.setup.parameters = watching(FIVE, STATUS);
		await workflow.publish();
		await workflow.takeDown();
		await workflow.start('update');
		expect(workflow.state()?.facts.takenDownAt).toBeUndefined();
		const before = workflow.told.length;
		passTime(5 * DAY);
		await workflow.publish(workflow.load(), 'update');
		expect(workflow.shown.at(-1)?.summary).toMatch(/^5 companies are watched/);
		expect(workflow.told).toHaveLength(before);
	});
});

describe('a start', () => {
	it.each([false, true])(
		'pauses nothing, and the next check does (n8n registers the webhook first: %s)',
		async (isWebhookFirst) => {
			// A change was interrupted: two companies have left the list, and their webhooks are still active.
			await workflow.publish();
			simulator.fault({ ...PAUSES, times: Infinity, action: { status: 422 } });
			await workflow.change({ parameters: watching(FIVE.slice(2)) });
			simulator.clearFaults();

			workflow.isWebhookFirst = isWebhookFirst;
			await workflow.start();
			expect(simulator.watched()).toEqual(FIVE);
			await workflow.later();
			expect(simulator.watched()).toEqual(FIVE.slice(2));
		},
	);
});

describe('the state of another trigger node', () => {
	it('is dropped at a store once it was unpublished for 30 days with all webhooks paused, and logged', async () => {
		const other = watch(simulator, ['20000001'], {
			workflowId: workflow.setup.workflowId,
			node: { id: 'deleted' },
		});
		await other.publish();
		const [{ id, secret }] = simulator.webhooks();
		await other.unpublish();
		workflow.staticData = other.staticData;
		await workflow.publish();
		expect(JSON.stringify(workflow.staticData)).toContain(secret);

		passTime(29 * DAY);
		await workflow.later();
		expect(JSON.stringify(workflow.staticData)).toContain(secret);
		const log = captureLog(workflow.load());
		passTime(2 * DAY);
		simulator.drift({ is_active: false }, [FIVE[0]]);
		await workflow.later();
		expect(JSON.stringify(workflow.staticData)).not.toContain(secret);
		expect(log.filter((line) => line.includes(id))).toHaveLength(1);
		expect(log.join()).not.toContain(secret);
		expect(held(simulator, workflow)).toHaveLength(5);
	});
});
