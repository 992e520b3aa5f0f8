// What a trigger reports as a failed execution, writes to the log, shows with Watch Report, and stores by itself.
import type { IDataObject } from 'n8n-workflow';

import { PAUSES, serviceForEachTest } from '../../support/atService';
import { warnings } from '../../support/logCapture';
import {
	companyNumbers,
	held,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(5);
const [ONE, TWO] = COMPANIES;
const SIX = { parameters: watching(companyNumbers(6)) };
const HOUR = 3_600_000;
const PAUSED = { is_active: false };

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;
let logged: () => string[];

beforeEach(() => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
	logged = warnings(workflow);
});

/** A table with a heading. */
const table = (rows: string[], more = {}) =>
	watching([], { companyNumbers: ['Company no.\tClient', ...rows].join('\n'), ...more });
const clients = (companies: string[]) => companies.map((company) => `${company}\tOf ${company}`);

describe('Watch Report', () => {
	const status = (companies: string[], more = {}) =>
		watching(companies, { events: ['filing.new', 'watch.report'], ...more });
	/** The latest item, its lists by company numbers. */
	const latest = () => {
		const { added, removed, repaired, left, ...item } = workflow.shown.at(-1) ?? ({} as never);
		const numbers = Object.entries({ added, removed, repaired, left }).map(
			([name, { companies }]) => [name, companies.map(({ company_number }) => company_number)],
		);
		return { ...item, ...(Object.fromEntries(numbers) as Record<string, string[]>) };
	};

	beforeEach(async () => {
		workflow.setup.parameters = status(COMPANIES);
		await workflow.publish();
	});

	it('is an item like an event, is no event of the service, and comes at the end of a publish', () => {
		expect(workflow.executions).toHaveLength(1);
		const [{ json }] = workflow.executions[0].items;
		expect(json).toMatchObject({
			subject: 'Watch report: 5 of 5 companies are watched',
			event: 'watch.report',
			received_at: expect.stringMatching(/^\d{4}-.*Z$/),
			payload: { state: 'complete', wanted: 5, watched: 5, checked_at: json.received_at },
		});
		expect(latest()).toMatchObject({ added: COMPANIES, removed: [], repaired: [], left: [] });
		for (const { events } of simulator.webhooks()) expect(events).toEqual(['filing.new']);
	});

	it('"incomplete" says what a change added, removed and left, with reasons and names, until all is complete', async () => {
		simulator.refuse(['10000007'], 422, 'No such company');
		const { companyNumbers: text } = table(clients(companyNumbers(7).slice(1)));
		await workflow.change({ parameters: status([], { companyNumbers: text }) });
		expect(latest()).toMatchObject({
			state: 'incomplete',
			wanted: 6,
			watched: 5,
			added: ['10000006', '10000007'],
			removed: [ONE],
			left: ['10000007'],
		});
		expect(workflow.shown.at(-1)?.left.companies[0]).toMatchObject({
			company_name: 'Of 10000007',
			reason: expect.stringContaining('No such company'),
		});
		const { stores } = workflow;
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		expect([workflow.shown.length, workflow.stores]).toEqual([2, stores]);
		simulator.clearFaults();
		await workflow.later();
		expect(latest()).toMatchObject({ state: 'complete', watched: 6, left: [] });
	});

	it('"repaired" says what a check repaired, and a check that finds nothing shows nothing', async () => {
		await workflow.later();
		expect(workflow.shown).toHaveLength(1);
		simulator.drift(PAUSED, [TWO]);
		await workflow.later();
		expect(latest()).toMatchObject({ state: 'repaired', repaired: [TWO], watched: 5 });
		expect(workflow.shown.at(-1)?.repaired.companies[0].reason).toBe('Had been paused');
		await workflow.later();
		expect(workflow.shown).toHaveLength(2);
	});
});

describe('a report', () => {
	beforeEach(async () => {
		await workflow.publish();
	});

	it('comes once, again when it changes, otherwise once a day; the log has the same words', async () => {
		simulator.refuse(['10000006']);
		await workflow.change(SIX);
		await workflow.later();
		expect(workflow.told).toEqual([expect.stringContaining('10000006')]);
		simulator.clearFaults();
		simulator.refuse(['10000006'], 409, 'Other words');
		await workflow.later();
		await workflow.later();
		expect(workflow.told).toHaveLength(2);
		await workflow.later(25 * HOUR);
		expect(workflow.told).toHaveLength(3);
		for (const words of workflow.told) expect(logged().join('\n')).toContain(words);
	});

	it('is a run of the workflow, so that the error workflow chosen by then starts', async () => {
		simulator.drift(PAUSED);
		await workflow.later();
		expect(workflow.executions).toEqual([
			{ items: [], error: expect.stringContaining('Events may be missing') },
		]);
		// n8n has saved the state with it: a failed execution without a run would save nothing.
		expect([workflow.stores, workflow.state()?.facts.reported]).toEqual([0, expect.anything()]);
	});

	it.each([{ onError: 'continueRegularOutput' }, { onError: 'continueErrorOutput' }] as const)(
		'fails with %j, too, and gives the next step nothing',
		async (node) => {
			await workflow.change({ node });
			simulator.drift(PAUSED, [ONE]);
			await workflow.later();
			const error = expect.stringContaining('may be missing') as string;
			expect(workflow.executions).toEqual([{ items: [], error }]);
			expect(workflow.stores).toBe(1);
		},
	);

	it('names webhooks that could not be paused with their companies', async () => {
		await workflow.change({ parameters: table(clients(COMPANIES)) });
		simulator.fault({ ...PAUSES, times: Infinity, action: { status: 422 } });
		await workflow.change({ parameters: table(clients(COMPANIES.slice(1))) });
		expect(workflow.told).toEqual([
			expect.stringMatching(/could not pause .+: wh_\w+ \(10000001 Of 10000001\)\.$/),
		]);
		simulator.clearFaults();
		await workflow.later();
		expect(simulator.watched()).toEqual(COMPANIES.slice(1));
	});
});

describe('runs without items, which save the state', () => {
	it('are one for the companies that a long list is about to add, and one for 300 webhooks', async () => {
		setTimes({ earlyAnswer: 60_000 });
		workflow.setup.parameters = watching(companyNumbers(310));
		await workflow.publish();
		expect(simulator.watched()).toHaveLength(310);
		expect([workflow.stores, workflow.executions]).toEqual([2, []]);
	});

	it('are one for thirty seconds, and one at the end of a publish that goes on', async () => {
		setTimes({ earlyAnswer: 300, store: 700 });
		simulator.latencyMs = 150;
		workflow.setup.parameters = watching(companyNumbers(150));
		const began = performance.now();
		await workflow.publish();
		const periods = (performance.now() - began) / 700;
		expect(workflow.stores).toBeGreaterThanOrEqual(2);
		expect(workflow.stores).toBeLessThanOrEqual(2 + periods);
	});

	it('have what changed while n8n saved the one before', async () => {
		setTimes({ earlyAnswer: 300, store: 1 });
		simulator.latencyMs = 100;
		workflow.setup.parameters = watching(companyNumbers(60));
		await workflow.publish();
		expect(workflow.stores).toBeGreaterThan(3);
		expect(held(simulator, workflow)).toEqual(simulator.active());
		expect(Object.values(workflow.statuses())).toEqual(Array(60).fill('active'));
	});
});

describe('two triggers of one workflow, of which n8n holds copies of different age', () => {
	const OTHERS = companyNumbers(9).slice(5);
	let second: SavedWorkflow;

	beforeEach(async () => {
		await workflow.publish();
		const { workflowId } = workflow.setup;
		const node = { id: 'node-2', name: 'Second', webhookId: 'second' };
		second = watch(simulator, OTHERS, { workflowId, node });
		// Both in one database.
		Object.defineProperty(second, 'staticData', {
			get: () => workflow.staticData,
			set: (staticData: IDataObject) => (workflow.staticData = staticData),
		});
		await second.publish();
	});

	it('keep the state of each other at an emission, a change and an unpublish', async () => {
		const all = () => [...Object.keys(workflow.statuses()), ...Object.keys(second.statuses())];
		const everything = [...COMPANIES, ...OTHERS].sort();
		// The copy of the first one is from before the second one.
		simulator.drift(PAUSED, [ONE]);
		await workflow.later();
		expect(all().sort()).toEqual(everything);
		await second.change({ parameters: watching(OTHERS.slice(1)) });
		simulator.drift(PAUSED, [TWO]);
		await workflow.later();
		expect(second.statuses()[OTHERS[0]]).toBe('paused');
		await workflow.unpublish();
		expect(all().sort()).toEqual(everything);
		const states = [workflow, second].map((one) => one.state()?.facts.status);
		expect(states).toEqual(['unpublished', 'published']);
		// Each one's webhooks are no webhooks of others for the other.
		expect([workflow.told.length, second.told.length]).toEqual([2, 0]);
	});

	it('do not take a run of the workflow for newer that saved an old copy over a publish', async () => {
		const staticData = structuredClone(workflow.staticData);
		await workflow.change(SIX);
		workflow.staticData = staticData;
		simulator.drift(PAUSED, [ONE]);
		await second.later();
		await workflow.later();
		expect(Object.keys(workflow.statuses())).toEqual(companyNumbers(6));
		expect(simulator.webhooks()).toHaveLength(6 + OTHERS.length);
	});
});
