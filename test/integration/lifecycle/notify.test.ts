// What a trigger reports as a failed execution, writes to the log, shows with Watch Report, and stores by itself.
import { map } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { sampleItems } from '../../../nodes/CompanyRegistry/trigger/samples/sampleItems';
import { serviceForEachTest } from '../../support/atService';
import { hookContext } from '../../support/contexts';
import { warnings } from '../../support/logCapture';
import { companyNumbers, held, watch, watching } from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const COMPANIES = companyNumbers(5);
const [ONE, TWO] = COMPANIES;
const SIX = { parameters: watching(companyNumbers(6)) };
const HOUR = 3_600_000;
const PAUSED = { is_active: false };

const simulator = serviceForEachTest();
let workflow: ReturnType<typeof watch>;
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
		expect(outputSchema.parse(json)).toEqual({
			subject: '5 companies are watched',
			text: 'Workflow: Test workflow\n\nAdded:\n- 10000001\n- 10000002\n- 10000003\n- 10000004\n- 10000005',
			event: 'watch.report',
			event_name: 'Watch Report',
			company_number: null,
			company_name: null,
			list_email: null,
			list_columns: null,
			webhook_id: null,
			delivery_id: null,
			received_at: expect.stringMatching(/^\d{4}-.*Z$/),
			payload: expect.objectContaining({
				...{ state: 'complete', wanted: 5, watched: 5, checked_at: json.received_at },
				removed: { count: 0, companies: [] },
			}),
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
			added: ['10000006'],
			removed: [ONE],
			left: ['10000007'],
		});
		expect(workflow.shown.at(-1)).toMatchObject({
			summary: expect.stringMatching(/^1 of 6 companies is not watched\n/),
			left: {
				companies: [{ company_name: 'Of 10000007', reason: expect.stringContaining('No such') }],
			},
		});
		await workflow.later();
		const { stores } = workflow;
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		expect([workflow.shown.length, workflow.stores]).toEqual([2, stores]);
		simulator.clearFaults();
		await workflow.later();
		// It was not called added before it was watched.
		expect(latest()).toMatchObject({
			state: 'complete',
			summary: expect.stringMatching(/^6 companies are watched: 1 added\n/),
			watched: 6,
			added: ['10000007'],
			left: [],
		});
	});

	it('"repaired" says what a check repaired, and a check that finds nothing shows nothing', async () => {
		await workflow.later();
		expect(workflow.shown).toHaveLength(1);
		simulator.drift(PAUSED, [TWO]);
		await workflow.later();
		expect(latest()).toMatchObject({ state: 'repaired', repaired: [TWO], watched: 5 });
		expect(workflow.shown.at(-1)?.repaired.companies[0].reason).toMatch(
			/^Had been paused \(between \d\d:\d\d and \d\d:\d\d\)$/,
		);
		await workflow.later();
		expect(workflow.shown).toHaveLength(2);
	});

	it('comes at once, too, where n8n lets the trigger act only after its first publish', async () => {
		const other = watch(simulator, ['20000001']);
		Object.assign(other, { isWebhookFirst: true });
		other.setup.parameters = status(['20000001']);
		await other.publish();
		expect(map(other.shown, 'state')).toEqual(['complete']);
		await other.later();
		expect(other.shown).toHaveLength(1);
	});

	it('names who recovers, with all of the time, where the first repair failed', async () => {
		simulator.drift(PAUSED, [TWO]);
		simulator.fault({ method: 'PATCH', times: 3, action: { status: 503 } });
		await workflow.later();
		expect(latest()).toMatchObject({ state: 'incomplete', repaired: [], left: [TWO] });
		await workflow.later();
		expect(latest()).toMatchObject({
			state: 'repaired',
			summary: expect.stringMatching(/^Events may be missing for 1 company between/),
			added: [],
			repaired: [TWO],
			left: [],
		});
		expect([workflow.told.length, workflow.shown.length]).toEqual([1, 3]);
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
		workflow.expectTold('10000006');
		simulator.clearFaults();
		simulator.refuse(['10000006'], 409, 'Other words');
		await workflow.later();
		await workflow.later();
		expect(workflow.told).toHaveLength(2);
		await workflow.later(25 * HOUR);
		expect(workflow.told).toHaveLength(3);
		for (const words of workflow.told) {
			// No report has the same id.
			expect(words).not.toContain('Report ID');
			const [verdict, text] = words.split(/ (?=Workflow: )/);
			expect(logged().join('\n')).toContain(`${verdict}. ${text}`);
		}
	});

	it.each([
		// A run of the workflow, so that the error workflow chosen by then starts: n8n saves the state with it.
		['stopWorkflow', 0],
		['continueRegularOutput', 1],
		['continueErrorOutput', 1],
	] as const)('fails with %s, and gives the next step nothing', async (onError, more) => {
		await workflow.change({ node: { onError } });
		const { stores } = workflow;
		simulator.drift(PAUSED, [ONE]);
		await workflow.later();
		const error = expect.stringContaining('Events may be missing') as string;
		expect(workflow.executions).toEqual([{ items: [], error }]);
		expect(workflow.stores).toBe(stores + more);
		expect(workflow.state()?.facts.reported).toEqual(expect.anything());
	});
});

describe('a person reads the same verdict in the item and in the failed execution', () => {
	const EVENTS = { events: ['filing.new', 'watch.report'] };
	const SOME = companyNumbers(58);
	const RANGE = 'between \\d\\d:\\d\\d and \\d\\d:\\d\\d';
	const listOf = (rows: string[]) => table(rows, EVENTS);

	beforeEach(async () => {
		workflow.setup.parameters = listOf(clients(SOME));
		await workflow.publish();
		await workflow.later();
		workflow.executions.splice(0);
	});

	const items = () => workflow.executions.flatMap((execution) => map(execution.items, 'json'));
	const subjects = () => items().map(({ subject }) => subject);

	/** The preview of these parameters, as *Execute step* shows it. */
	async function preview(parameters: INodeParameters): Promise<string[]> {
		const before = workflow.setup.parameters;
		workflow.setup.parameters = parameters;
		const [{ json }] = await sampleItems(hookContext(workflow.load(), { isTest: true }));
		workflow.setup.parameters = before;
		return json.preview as string[];
	}

	/** One item and one failed execution, which begin with this verdict and have the same id; neither comes again. */
	async function expectBoth(verdict: RegExp): Promise<string> {
		await workflow.later();
		await workflow.later();
		const [item, ...others] = items();
		expect([others, workflow.told.length]).toEqual([[], 1]);
		expect(item.subject).toMatch(verdict);
		expect(String(item.subject).length).toBeLessThanOrEqual(120);

		const [told] = workflow.told;
		const { summary, report_id: id } = item.payload as IDataObject;
		expect(summary).toBe(`${String(item.subject)}\n\n${String(item.text)}`);
		expect(told).toBe(`${String(summary).replace(/\s+/g, ' ')} Report ID: ${String(id)}`);
		return told;
	}

	it('where 10 of 58 companies were pasted', async () => {
		const parameters = listOf(clients(SOME.slice(0, 10)));
		const verdict = '48 companies left your list: they stay watched until you confirm';
		const lines = await preview(parameters);
		expect(lines[0]).toBe(verdict);
		expect(lines).not.toContain('To end them, unpublish and publish this list');
		await workflow.change({ parameters });
		expect(simulator.watched()).toEqual(SOME);
		const told = await expectBoth(new RegExp(`^${verdict}$`));
		expect(told).toContain('unpublish and publish this list');
		expect(await preview(parameters)).toContain('To end them, unpublish and publish this list');

		await workflow.unpublish();
		expect((await preview(parameters)).slice(0, 2)).toEqual([
			'Publishing will watch 10 companies: 48 removed',
			'Publishing now ends 48 companies',
		]);
		workflow.executions.splice(0);
		await workflow.publish();
		expect(simulator.watched()).toEqual(SOME.slice(0, 10));
		expect(String(items().at(-1)?.text)).toContain(`- ${SOME[20]} Of ${SOME[20]}`);
	});

	it('where a number lost a digit, and its correction is no alarm', async () => {
		const parameters = listOf([...clients(SOME.slice(1)), `10000910\tOf ${ONE}`]);
		const lines = await preview(parameters);
		expect(lines.slice(0, 2)).toEqual([
			'Publishing will watch 59 companies: 1 changed number',
			'1 company has another number now: check it',
		]);
		await workflow.change({ parameters });
		expect(simulator.watched()).toEqual([...SOME, '10000910']);
		const told = await expectBoth(/^1 company has another number now: check it$/);
		expect(told).toContain(`- ${ONE} Of ${ONE} has the number 10000910 now`);

		workflow.executions.splice(0);
		await workflow.change({ parameters: listOf(clients(SOME)) });
		expect([simulator.watched(), workflow.told]).toEqual([SOME, []]);
		expect(subjects()).toEqual(['58 companies are watched']);
	});

	it('where the service can be asked again while another problem lasts: an item, and no alarm', async () => {
		await workflow.change({ parameters: listOf(clients(SOME.slice(0, 10))) });
		simulator.fault({ times: Infinity, action: { status: 401 } });
		await workflow.later();
		expect(subjects().at(-1)).toMatch(/^Could not check since/);
		expect(workflow.told).toHaveLength(2);

		simulator.clearFaults();
		await workflow.later();
		await workflow.later();
		const verdict = '48 companies left your list: they stay watched until you confirm';
		expect(subjects().slice(2)).toEqual([verdict]);
		expect(workflow.told).toHaveLength(2);
	});

	it('where the service can be asked again while each check finds the same drift', async () => {
		const checkWithDrift = async () => {
			simulator.drift(PAUSED, [SOME[0]]);
			await workflow.later();
		};
		for (let nth = 0; nth < 3; nth++) await checkWithDrift();
		// The third time is held back.
		expect(workflow.told).toHaveLength(2);
		simulator.fault({ times: Infinity, action: { status: 401 } });
		await workflow.later();
		expect(subjects().at(-1)).toMatch(/^Could not check since/);

		simulator.clearFaults();
		await checkWithDrift();
		expect(subjects().at(-1)).toMatch(/^Events may be missing for 1 company/);
		expect(workflow.told).toHaveLength(3);
	});

	it('where the service refuses another event for a company, and takes it later', async () => {
		const [webhook] = simulator.webhooks().filter((one) => one.company_number === ONE);
		simulator.fault({
			method: 'PATCH',
			times: Infinity,
			when: ({ path }) => path.endsWith(webhook.id),
			action: { status: 422, body: { error: 'refused', message: 'Not yet', status: 422 } },
		});
		const options = { additionalEvents: 'officer.appointed' };
		await workflow.change({ parameters: { ...listOf(clients(SOME)), options } });
		await expectBoth(/^1 of 58 companies is not watched$/);

		workflow.executions.splice(0);
		simulator.clearFaults();
		await workflow.later();
		expect(subjects()).toEqual([expect.stringMatching(`^Events may be missing for 1 .*${RANGE}$`)]);
		// A person has read how it began.
		expect(workflow.told).toEqual([]);
	});

	it('where another event could not be chosen for hours', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		const options = { additionalEvents: 'officer.appointed' };
		await workflow.change({ parameters: { ...listOf(clients(SOME)), options } });
		passTime(3 * HOUR);
		simulator.clearFaults();
		await workflow.later();
		expect(subjects().at(-1)).toMatch(new RegExp(`^Events may be missing for 58 .*${RANGE}$`));
		expect(workflow.told).toHaveLength(1);
	});

	it('where n8n had another address for a while: the move of the webhooks names all of the time', async () => {
		workflow.setup.webhookBaseUrl = 'https://moved.example.com/webhook';
		await workflow.start();
		expect(workflow.told).toHaveLength(1);
		passTime(5 * HOUR);
		workflow.executions.splice(0);
		const options = { addressChanged: 'move' };
		await workflow.change({ parameters: { ...listOf(clients(SOME)), options } });
		expect(subjects()).toEqual([
			expect.stringMatching(`^Events may be missing for 58 .*${RANGE}$`),
		]);
		const [from, to] = String(subjects()[0])
			.match(/\d\d(?=:)/g)!
			.map(Number);
		expect((to - from + 24) % 24).toBeGreaterThanOrEqual(5);
		// A person has read how it began.
		expect(workflow.told).toEqual([]);
	});

	it('which is an item only where nobody has to act, or without Watch Report a line in the log', async () => {
		await workflow.change({ parameters: listOf(clients(SOME.slice(1))) });
		expect([subjects(), workflow.told]).toEqual([['57 companies are watched: 1 removed'], []]);
		workflow.executions.splice(0);
		await workflow.change({ parameters: table(clients(SOME.slice(1))) });

		const info = jest.spyOn(hookContext(workflow.load()).logger, 'info');
		await workflow.change({ parameters: table(clients(SOME.slice(2))) });
		expect(workflow.executions).toEqual([]);
		expect(info.mock.calls.map(([line]) => line)).toEqual([
			expect.stringMatching(/: 56 companies are watched: 1 removed$/),
		]);
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
	let second: typeof workflow;

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
