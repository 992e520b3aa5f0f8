// Several things at once: none hides another, and none stops what has nothing to do with it.
import { map } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { failureOf, PAUSES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { MINUTE, passTime, setTimes } from '../../support/times';

const REPORTED = { events: ['filing.new', 'watch.report'] };
const DOWN = { times: Infinity, action: { status: 503 } };
const FIVE = companyNumbers(5);
const SIXTY = companyNumbers(60);
const NEW = '20000001';

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => setTimes({ beforeReport: 10 * MINUTE }));

const latest = () => workflow.shown.at(-1)!;
const change = async (parameters: INodeParameters) =>
	await failureOf(workflow.change({ parameters }));

/** From publish to the first check, which has been forgotten. */
async function published(parameters: INodeParameters): Promise<void> {
	workflow = watch(simulator, [], { parameters });
	await workflow.publish();
	await workflow.later();
	workflow.executions.splice(0);
}

// A paste of the wrong clients, as many as before.
it('a wrong list, a restart and two more readings of it take no one out, and the right list ends it', async () => {
	const [RIGHT, WRONG] = [SIXTY.slice(0, 30), SIXTY.slice(30)];
	await published(watching(RIGHT, REPORTED));
	await change(watching(WRONG, REPORTED));
	await workflow.stop();
	await workflow.start();
	await change(watching(WRONG, REPORTED));
	await change(watching(WRONG, REPORTED));
	expect(simulator.watched()).toEqual(SIXTY);
	expect(simulator.requests.filter(PAUSES.when)).toEqual([]);

	const ofRight = simulator.active().filter(({ company_number: one }) => RIGHT.includes(one));
	await change(watching(RIGHT, REPORTED));
	expect(simulator.watched()).toEqual(RIGHT);
	expect(simulator.active()).toEqual(ofRight);
	expect(latest()).toMatchObject({ state: 'complete', watched: 30, removed: { count: 30 } });
	// Nobody of the right list was ever paused, and so misses nothing.
	expect(simulator.requests.filter(PAUSES.when)).toHaveLength(30);
	expect(map(workflow.shown, 'missing.count')).toEqual(workflow.shown.map(() => 0));
});

it('a problem that was told is not told again by checks that fail, restarts or their end', async () => {
	await published(watching(FIVE));
	simulator.refuse([NEW]);
	await change(watching([...FIVE, NEW]));
	for (let nth = 0; nth < 3; nth++) {
		await workflow.stop();
		passTime(6 * MINUTE);
		simulator.fault(DOWN);
		await workflow.start();
	}
	simulator.clearFaults();
	simulator.refuse([NEW]);
	await workflow.later();
	const [notWatched, noCheck] = [/^1 of 6 companies/, /^Could not check/];
	const expected = [notWatched, noCheck].map((words) => expect.stringMatching(words) as string);
	expect(workflow.told).toEqual(expected);
});
