// A report says that all is well only where it is.
import { omit } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../simulator';
import { PAUSES, RESUMES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const MINUTE = 60_000;
const REPORTED = { events: ['filing.new', 'watch.report'] };
const COMPANIES = companyNumbers(30);
const [FIRST, SECOND] = COMPANIES;

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	setTimes({ beforeReport: 10 * MINUTE });
	workflow = watch(simulator, [], { parameters: watching(COMPANIES, REPORTED) });
	await workflow.publish();
	await workflow.later();
});

const report = () => workflow.shown.at(-1)!;
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const change = async (companies: string[], more: INodeParameters = {}) =>
	await workflow.change({ parameters: watching(companies, { ...REPORTED, ...more }) });

it.each([false, true])(
	'companies that come back name the time in which their events were ignored, although no webhook could be paused (after a restart: %s)',
	async (isRestarted) => {
		simulator.fault({ ...PAUSES, times: Infinity, action: { status: 422 } });
		await change(COMPANIES.slice(2));
		passTime(90 * MINUTE);
		if (isRestarted) await workflow.restart();
		simulator.clearFaults();

		await change(COMPANIES);
		expect(report().summary).toMatch(
			/^Events may be missing for 2 companies between 07:\d\d and 0[89]:\d\d\n/,
		);
		expect(report().summary).toContain(`- ${FIRST}\n- ${SECOND}\n`);
	},
);

it('no company is watched where the service has lost more webhooks than a check replaces, and all have a gap once it has them again', async () => {
	await change(companyNumbers(60));
	const empty = { status: 200, body: { data: [] } };
	simulator.fault({ method: 'GET', times: Infinity, action: empty });
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 404 } });
	await workflow.later();
	expect(workflow.subjects.at(-1)).toBe('60 of 60 companies are not watched');
	expect(report()).toMatchObject({
		watched: 0,
		summary: expect.not.stringContaining('may still deliver'),
	});

	simulator.clearFaults();
	await workflow.later();
	expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 60 companies between /);
});

it.each<[string, Pick<Fault, 'action' | 'nth'>]>([
	['is down', { action: { status: 503 } }],
	['refuses the key from the third on', { nth: 3, action: { status: 401 } }],
])('no missing webhook counts as watched where the service %s', async (_what, fault) => {
	simulator.drift('remove', COMPANIES.slice(0, 10));
	simulator.fault({ method: 'PATCH', times: Infinity, ...fault });
	await workflow.later();
	await workflow.later(15 * MINUTE);
	expect(workflow.subjects.at(-1)).toBe('10 of 30 companies are not watched');
	expect(report().watched).toBe(20);
	expect(report().summary).not.toContain('companies are watched');
});

it('webhooks that the list lacks count as watched where those that are asked about are there', async () => {
	const sixty = companyNumbers(60);
	await change(sixty);
	const shown = simulator.webhooks().slice(0, 20);
	const data = shown.map((one) => omit(one, ['secret', 'account', 'url']));
	simulator.fault({ method: 'GET', times: Infinity, action: { status: 200, body: { data } } });
	for (let check = 0; check < 4; check++) await workflow.later();
	expect(workflow.told).toEqual([]);
});

it('the gap of a pause whose answer was lost ends with the resume, not with the return to the list', async () => {
	simulator.fault({ ...PAUSES, times: Infinity, action: 'dropAfter' });
	await change(COMPANIES.slice(1));
	simulator.clearFaults();
	simulator.fault({ ...RESUMES, times: Infinity, action: { status: 503 } });
	await change(COMPANIES);
	passTime(5 * 60 * MINUTE);
	simulator.clearFaults();
	await workflow.later(MINUTE);
	const [, from, to] = /between (.*) and (.*)$/.exec(workflow.subjects.at(-1)!)!;
	expect(minutesOf(to) - minutesOf(from)).toBeGreaterThanOrEqual(5 * 60);
});

it('a gap leads before a failure that may pass soon, and neither is told again', async () => {
	await workflow.stop();
	passTime(20 * MINUTE);
	simulator.fault({ times: Infinity, action: { status: 503 } });
	await workflow.start();
	workflow.expectTold(
		/^Events may be missing for 30 companies between .* Could not check since \S+ \(last seen: 30 of 30 watched\)\./,
	);
	await workflow.later(11 * MINUTE);
	expect(workflow.told).toHaveLength(2);
	expect(workflow.told[1]).toMatch(/^Could not check since \S+ \(last seen: 30 of 30 watched\) W/);

	simulator.clearFaults();
	await workflow.later();
	await workflow.later();
	expect(workflow.subjects.slice(1)).toEqual([
		...workflow.told.map((text) => expect.stringContaining(text.split(' Workflow')[0])),
		'30 companies are watched',
	]);
	expect(workflow.told).toHaveLength(2);
});

it('a failure that lasts has the gap in its subject', async () => {
	simulator.drift({ is_active: false }, [FIRST]);
	simulator.fault({ method: 'PATCH', times: 1, action: { status: 401 } });
	await workflow.later();
	await workflow.stop();
	passTime(20 * MINUTE);
	simulator.fault({ times: Infinity, action: { status: 401 } });
	await workflow.start();
	expect(workflow.subjects.at(-1)).toMatch(
		/^Could not check since .* watched\); events may be missing for 29 companies$/,
	);
});

it('the gap of a webhook that is missing without a word of the service begins when it was first missing', async () => {
	simulator.drift('remove', [FIRST]);
	const notFound = { raw: 'Not found', status: 404 };
	simulator.fault({ method: 'PATCH', times: Infinity, action: notFound });
	await workflow.later();
	await workflow.later(25 * 60 * MINUTE);
	simulator.clearFaults();
	await workflow.later();
	const [, from, to] = /company between (.*) and (.*)$/.exec(workflow.subjects.at(-1)!)!;
	// With their days, because these differ.
	expect(from).not.toBe(to);
	expect([from, to]).toEqual([
		expect.stringMatching(/^\d+ \w+ /),
		expect.stringMatching(/^\d+ \w+ /),
	]);
});

it('the gap of an unpublish begins earlier for webhooks that someone else had paused before', async () => {
	simulator.drift({ is_active: false }, [FIRST]);
	passTime(40 * MINUTE);
	await workflow.unpublish();
	passTime(60 * MINUTE);
	await workflow.publish();
	const [gap, others] = [FIRST, SECOND].map((company) => {
		const [, from, to] = new RegExp(`${company}: between (.*) and (.*)`).exec(report().summary)!;
		return minutesOf(to) - minutesOf(from);
	});
	expect(gap - others).toBeGreaterThan(30);
});

it('a company that leaves the list while its webhooks move to another n8n is called removed', async () => {
	await workflow.stop();
	workflow.setup.webhookBaseUrl = 'https://moved.example.com/webhook';
	passTime(MINUTE);
	await workflow.start();
	await change(COMPANIES.slice(1), { options: { addressChanged: 'move' } });
	expect(report().removed.companies).toMatchObject([{ company_number: FIRST }]);
});

it('a refused number just goes once it is corrected, also after a check that refused the key', async () => {
	const [wrong, right] = ['10000999', '10000998'];
	const named = (company: string) =>
		[...COMPANIES, company].map((one) => `${one}\t${one === company ? 'Acme' : `Client ${one}`}`);
	simulator.refuse([wrong]);
	await change(named(wrong));
	simulator.clearFaults();
	simulator.fault({ times: Infinity, action: { status: 401 } });
	await workflow.later();
	simulator.clearFaults();
	simulator.refuse([wrong]);

	await change(named(right));
	expect(workflow.subjects.at(-1)).toBe('31 companies are watched: 1 added');
});
