// How long webhooks stay active for a publish that may come, by what has happened before.
import { findMemory } from '../../../nodes/CompanyRegistry/trigger/memory/triggers';
import { TooSlow } from '../../../nodes/CompanyRegistry/trigger/subscriptions/publishErrors';
import * as reconciler from '../../../nodes/CompanyRegistry/trigger/subscriptions/reconciler';
import { startSimulator, type Simulator } from '../../simulator';
import { companyNumbers, watch, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';

const { WAIT } = reconciler;

let simulator: Simulator;
let workflow: SavedWorkflow;
let wanted: () => reconciler.GoalSetup[];

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, companyNumbers(2));
	const want = jest.spyOn(reconciler, 'want');
	wanted = () => want.mock.calls.map(([, setup]) => setup);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

it('the waits of the tests differ, and each is longer than the one before', () => {
	expect(WAIT.forChange).toBeLessThan(WAIT.forNextAttempt);
	expect(WAIT.forNextAttempt).toBeLessThan(WAIT.afterTimeOut);
});

it('after an unpublish: until a change would have been published', async () => {
	await workflow.publish();
	await workflow.unpublish();
	expect(wanted().map(({ delay }) => delay)).toEqual([undefined, WAIT.forChange]);
});

it('after the end of a test: not at all', async () => {
	const { stop } = await workflow.listen();
	await stop();
	expect(wanted().map(({ delay }) => delay)).toEqual([undefined, 0]);
});

it.each([
	['that failed: until n8n would have tried again', new Error('refused'), 'forNextAttempt'],
	['that ran out of time: until a user would have published again', new TooSlow(), 'afterTimeOut'],
] as const)('after a publish %s', async (_how, reason, wait) => {
	const published = await workflow.publish();
	await settled(published);
	const [publish] = wanted();
	expect(publish.onFailure(reason)?.delay).toBe(WAIT[wait]);
});

it.each([
	['while n8n may still try again is counted as one with it', 'forChange', true],
	['later than that is not', 'forNextAttempt', false],
] as const)('a publish after a failed one, %s', async (_when, longerThan, isOne) => {
	let now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	simulator.fault({ method: 'POST', times: Infinity, action: { status: 402 } });
	const { workflow: object, node } = workflow.load();
	const began = async () => {
		await expect(workflow.publish()).rejects.toThrow('plan does not cover');
		return findMemory({ workflow: object.id, node: node.id, kind: 'production' })?.publishing
			?.began;
	};
	const first = await began();
	now += WAIT[longerThan] + 1;
	expect((await began()) === first).toBe(isOne);
});
