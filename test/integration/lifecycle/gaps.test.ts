// Times in which events may be missing are told with all of their time, whatever happens before and beside them.
import { map, pick } from 'lodash';

import { PAUSES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const COMPANIES = companyNumbers(5);
const [ONE, TWO, THREE] = COMPANIES;
const HOUR = 3_600_000;
const PAUSED = { is_active: false };
const REPORTS = { events: ['filing.new', 'watch.report'] };

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	setTimes({});
	workflow = watch(simulator, [], { parameters: watching(COMPANIES, REPORTS) });
	await workflow.publish();
	await workflow.later();
});

const change = async (companies: string[], more = {}) =>
	await workflow.change({ parameters: watching(companies, { ...REPORTS, ...more }) });
const summaries = () => map(workflow.shown, 'summary').join('\n');
/** What was told before does not count. */
const forget = () => workflow.executions.splice(0);

/** Someone pauses a webhook, and the service refuses its repair. */
async function pauseWithoutRepair(company: string): Promise<void> {
	simulator.drift(PAUSED, [company]);
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
	await workflow.later();
	expect(workflow.told).toHaveLength(1);
}

/** Someone pauses the webhook before each of these checks. */
async function pauseBeforeChecks(company: string, count: number): Promise<void> {
	for (let nth = 0; nth < count; nth++) {
		simulator.drift(PAUSED, [company]);
		await workflow.later();
	}
}

it('names a company that was dropped and added again beside one that someone paused', async () => {
	await change(COMPANIES.slice(1));
	passTime(HOUR);
	simulator.drift(PAUSED, [TWO]);
	forget();
	await change(COMPANIES);
	expect(workflow.told).toEqual([expect.stringMatching(`- ${TWO}\\b.*- ${ONE}\\b`)]);
});

it('counts from the pause whose answer was lost, where the company is back later', async () => {
	simulator.fault({ ...PAUSES, times: Infinity, action: 'dropAfter' });
	await change(COMPANIES.slice(1));
	await workflow.later();
	await workflow.later();
	simulator.clearFaults();
	forget();
	await change(COMPANIES);
	await workflow.later();
	expect(workflow.told).toEqual([
		expect.stringMatching(/^Events may be missing for 1 company between/),
	]);
});

it('has all of the time where n8n was restarted before the repair', async () => {
	await pauseWithoutRepair(ONE);
	for (let nth = 0; nth < 4; nth++) await workflow.later();
	await workflow.stop();
	simulator.clearFaults();
	forget();
	await workflow.start();
	const [, from, to] = /(\d\d):\d\d and (\d\d):\d\d/.exec(summaries()) ?? [];
	expect((Number(to) - Number(from) + 24) % 24).toBeGreaterThanOrEqual(5);
});

it('is told of a paused company that is dropped and added again', async () => {
	await pauseWithoutRepair(ONE);
	simulator.clearFaults();
	await change(COMPANIES.slice(1));
	await workflow.later();
	forget();
	await change(COMPANIES);
	expect(summaries()).toContain('Events may be missing for 1 company between');
});

it('counts no day in which a webhook on a further page was watched', async () => {
	const hide = () => {
		const [first] = simulator.webhooks();
		const data = [pick(first, ['id', 'company_number', 'events', 'is_active'])];
		simulator.fault({ method: 'GET', action: { status: 200, body: { data, has_more: true } } });
	};
	await workflow.takeDown();
	hide();
	await workflow.start('update');
	for (let nth = 0; nth < 3; nth++) {
		hide();
		await workflow.later();
	}
	forget();
	simulator.drift(PAUSED, [THREE]);
	hide();
	await workflow.later();
	expect(workflow.told.join()).toContain(`${THREE}: Had been paused`);
});

describe('drift that each check finds again', () => {
	it('is not told more often because of another company', async () => {
		await pauseBeforeChecks(ONE, 4);
		expect(workflow.told).toHaveLength(2);
		for (let nth = 0; nth < 6; nth++) {
			if (nth % 3 === 0) simulator.drift(PAUSED, [TWO]);
			await pauseBeforeChecks(ONE, 1);
		}
		expect(workflow.told.length).toBeLessThanOrEqual(4);
	});

	it('gives the end of n8n no other reason for a company that was refused', async () => {
		simulator.refuse(['10000009'], 422, 'No such company');
		await change([...COMPANIES, '10000009'], { options: { unwatchable: 'skip' } });
		await pauseBeforeChecks(ONE, 4);
		forget();
		await workflow.stop();
		expect(summaries()).toContain('No such company');
		expect(workflow.told.join()).not.toContain('lost or unusable');
	});
});
