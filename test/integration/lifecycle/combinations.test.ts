// Several things at once: none hides another, and none stops what has nothing to do with it.
import { map } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { failureOf, PAUSES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { HOUR, MINUTE, passTime, setTimes } from '../../support/times';

const REPORTED = { events: ['filing.new', 'watch.report'] };
const PSC = { events: ['filing.new', 'psc.added', 'watch.report'] };
const DOWN = { times: Infinity, action: { status: 503 } };
const FIVE = companyNumbers(5);
const [FIRST] = FIVE;
const SIXTY = companyNumbers(60);
const NEW = '20000001';

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => setTimes({ beforeReport: 10 * MINUTE }));

const latest = () => workflow.shown.at(-1)!;
const missing = () => map(latest().missing.companies, 'company_number').sort();
const change = async (parameters: INodeParameters) =>
	await failureOf(workflow.change({ parameters }));

/** From publish to the first check, which has been forgotten. */
async function published(parameters: INodeParameters): Promise<void> {
	workflow = watch(simulator, [], { parameters });
	await workflow.publish();
	await workflow.later();
	workflow.executions.splice(0);
}

/** The service refuses to make these webhooks active, or to change their events. */
function refuseUpdates(companies: string[], status = 422): void {
	const all = simulator.webhooks().filter((one) => companies.includes(one.company_number));
	const path = new RegExp(map(all, 'id').join('|'));
	simulator.fault({ method: 'PATCH', path, times: Infinity, action: { status } });
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

it('a stop of n8n gives no all-clear after checks that failed', async () => {
	await published(watching(FIVE, REPORTED));
	await workflow.stop();
	passTime(2 * MINUTE);
	simulator.drift({ is_active: false });
	simulator.fault(DOWN);
	await workflow.start();
	await workflow.stop();
	expect(workflow.shown).toEqual([]);
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

it.each([
	['refuses 25', 25, 422],
	['gives no clear answer for three', 3, 500],
])('a new company is watched where the service %s webhooks', async (_what, count, status) => {
	await published(watching(SIXTY, REPORTED));
	refuseUpdates(SIXTY.slice(0, count), status);
	await change(watching(SIXTY, PSC));
	await change(watching([...SIXTY, NEW], PSC));
	await workflow.later();
	expect(simulator.watched()).toContain(NEW);
});

it('a gap that no publish could end goes on', async () => {
	await published(watching(FIVE, REPORTED));
	await workflow.unpublish();
	passTime(HOUR);
	refuseUpdates([FIRST]);
	await workflow.publish();
	expect(missing()).toEqual(FIVE.slice(1));
	simulator.clearFaults();
	await workflow.later();
	expect(missing()).toEqual([FIRST]);
	const [{ from, to }] = latest().missing.companies;
	expect((Date.parse(to!) - Date.parse(from!)) / HOUR).toBeGreaterThan(1.9);
});
