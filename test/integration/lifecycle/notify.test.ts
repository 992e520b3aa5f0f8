// What a trigger reports as a failed execution, writes to the log, shows with Watch Report, and stores by itself.
import { map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { serviceForEachTest } from '../../support/atService';
import { hookContext } from '../../support/contexts';
import { warnings } from '../../support/logCapture';
import { companyNumbers, held, watch, watching } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(5);
const [ONE, TWO] = COMPANIES;
const SIX = { parameters: watching(companyNumbers(6)) };
const PAUSED = { is_active: false };
const NONE = { count: 0, companies: [] };

const simulator = serviceForEachTest();
let workflow: ReturnType<typeof watch>;
let logged: () => string[];

beforeEach(() => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
	logged = warnings(workflow);
});

describe('Watch Report', () => {
	const watchingFor = (companies: string[], more = {}) =>
		watching(companies, { events: ['filing.new', 'watch.report'], ...more });
	beforeEach(async () => {
		workflow.setup.parameters = watchingFor(COMPANIES);
		await workflow.publish();
	});

	it('is an item like an event, is no event of the service, and comes at the end of a publish', () => {
		expect(workflow.executions).toHaveLength(1);
		const [{ json }] = workflow.executions[0].items;
		const { subject, text, ...item } = outputSchema.parse(json);
		expect(item).toEqual({
			event: 'watch.report',
			event_name: 'Watch Report',
			company_number: null,
			company_name: null,
			list_email: null,
			list_columns: null,
			webhook_id: null,
			delivery_id: null,
			received_at: expect.stringMatching(/^\d{4}-.*Z$/),
			payload: {
				...{ state: 'complete', wanted: 5, watched: 5, checked_at: json.received_at },
				summary: `${subject}\n\n${text}`,
				added: { count: 5, companies: expect.any(Array) },
				...{ removed: NONE, repaired: NONE, missing: NONE, left: NONE, changed: [] },
			},
		});
		for (const { events } of simulator.webhooks()) expect(events).toEqual(['filing.new']);
	});

	it('says what a change added, removed and left, with reasons and names, until all is complete', async () => {
		simulator.refuse(['10000007'], 422, 'No such company');
		const rows = companyNumbers(7).slice(1);
		const table = ['Company no.\tClient', ...rows.map((one) => `${one}\tOf ${one}`)];
		const only = (company: string, more = {}) => ({
			count: 1,
			companies: [{ company_number: company, company_name: `Of ${company}`, ...more }],
		});
		await workflow.change({ parameters: watchingFor(table) });
		expect(workflow.shown.at(-1)).toMatchObject({
			...{ state: 'incomplete', wanted: 6, watched: 5 },
			...{ added: only('10000006'), removed: { count: 1, companies: [{ company_number: ONE }] } },
			left: only('10000007', { reason: expect.stringContaining('No such') }),
		});
		await workflow.later();
		const { stores } = workflow;
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		expect([workflow.shown.length, workflow.stores]).toEqual([2, stores]);
		simulator.clearFaults();
		await workflow.later();
		// It was not called added before it was watched.
		const all = { state: 'complete', watched: 6, added: only('10000007') };
		expect(workflow.shown.at(-1)).toMatchObject({ ...all, removed: NONE, left: NONE });
	});

	it('comes at once, too, where n8n lets the trigger act only after its first publish', async () => {
		const other = watch(simulator, ['20000001']);
		Object.assign(other, { isWebhookFirst: true });
		other.setup.parameters = watchingFor(['20000001']);
		await other.publish();
		expect(map(other.shown, 'state')).toEqual(['complete']);
		await other.later();
		expect(other.shown).toHaveLength(1);
	});
});

describe('without Watch Report', () => {
	beforeEach(async () => {
		await workflow.publish();
	});

	it('a problem is a failed execution, and the log has the same words', async () => {
		simulator.refuse(['10000006']);
		await workflow.change(SIX);
		workflow.expectTold('10000006');
		const [verdict, text] = workflow.told[0].split(/ (?=Workflow: )/);
		expect(logged().join('\n')).toContain(`${verdict}. ${text}`);
	});

	it('what needs no one is a line in the log', async () => {
		const info = jest.spyOn(hookContext(workflow.load()).logger, 'info');
		await workflow.change(SIX);
		expect([workflow.executions, info.mock.calls.length]).toEqual([[], 1]);
	});

	it.each([
		// A run of the workflow, so that the error workflow chosen by then starts: n8n saves the state with it.
		['stopWorkflow', 0],
		['continueRegularOutput', 1],
		['continueErrorOutput', 1],
	] as const)('a problem fails with %s, and gives the next step nothing', async (onError, more) => {
		await workflow.change({ node: { onError } });
		const { stores } = workflow;
		simulator.drift(PAUSED, [ONE]);
		await workflow.later();
		const error = expect.stringContaining(ONE) as string;
		expect(workflow.executions).toEqual([{ items: [], error }]);
		expect(workflow.stores).toBe(stores + more);
		expect(workflow.state()?.facts.reportedAt).toEqual(expect.anything());
	});
});

describe('runs without items, which save the state', () => {
	it('are one for 25 creates', async () => {
		setTimes({ earlyAnswer: 60_000 });
		workflow.setup.parameters = watching(companyNumbers(110));
		await workflow.publish();
		expect(simulator.watched()).toHaveLength(110);
		expect([workflow.stores, workflow.executions]).toEqual([Math.floor(110 / 25), []]);
	});

	it('are one for any number of updates', async () => {
		workflow.setup.parameters = watching(companyNumbers(100));
		await workflow.publish();
		const { stores } = workflow;
		await workflow.change({
			parameters: watching(companyNumbers(100), { events: ['psc.added'] }),
		});
		expect(workflow.stores - stores).toBeLessThanOrEqual(1);
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
		const states = [workflow, second].map((one) => one.state()?.facts.phase);
		expect(states).toEqual(['unpublished', 'published']);
		// Each one's webhooks are no webhooks of others for the other.
		expect([workflow.told.length, second.told.length]).toEqual([2, 0]);
	});
});
