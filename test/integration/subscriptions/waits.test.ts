// How long webhooks stay active for a publish that may come, by what has happened before.
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
