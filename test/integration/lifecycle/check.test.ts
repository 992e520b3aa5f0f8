// A published trigger checks its webhooks by the clock, repairs what differs, and reports it with the company.
import { map, omit, range } from 'lodash';

import { nextCheck } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import type { FaultAction, StoredWebhook } from '../../simulator';
import { PAUSES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { HOUR, MINUTE, passTime, setTimes } from '../../support/times';

const COMPANIES = companyNumbers(3);
const [ONE, TWO] = COMPANIES;
const PAUSED = { is_active: false };
const EVENTS = ['filing.new', 'watch.report'];

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => setTimes({}));

/** A published trigger whose last check was good, with *Watch Report* unless other events are given. */
async function publish(companies = COMPANIES, more: object = {}): Promise<void> {
	const parameters = watching(companies, { events: EVENTS, ...more });
	workflow = watch(simulator, [], { parameters });
	await workflow.publish();
	await workflow.later();
	workflow.executions.splice(0);
	simulator.clearRequests();
}

async function change(companies: string[], more: object = {}): Promise<void> {
	await workflow.change({ parameters: watching(companies, { events: EVENTS, ...more }) });
}

/** Someone pauses the webhook before each of these checks. */
async function pauseBeforeChecks(company: string, count: number): Promise<void> {
	for (let nth = 0; nth < count; nth++) {
		simulator.drift(PAUSED, [company]);
		await workflow.later();
	}
}

/** The companies whose events may be missing, by the latest item, with the hours for which. */
function missing(): Array<[company: string, hours: number | null]> {
	const companies = workflow.shown.at(-1)?.missing.companies ?? [];
	return companies.map(({ company_number, from, to }) => {
		if (!from || !to) return [company_number, null];
		return [company_number, Math.round((Date.parse(to) - Date.parse(from)) / HOUR)];
	});
}

describe('a check of a healthy account', () => {
	beforeEach(async () => {
		workflow = watch(simulator, COMPANIES);
		await workflow.publish();
		simulator.clearRequests();
	});

	it('is one GET and leaves no execution; only the first one after a change stores once more', async () => {
		for (let nth = 0; nth < 4; nth++) {
			await workflow.later();
			expect([workflow.executions, workflow.stores]).toEqual([[], 1]);
		}
		expect(simulator.methods()).toEqual(['GET', 'GET', 'GET', 'GET']);
	});

	it.each([
		['tenMinutes', 10 * MINUTE],
		['hour', HOUR],
		['day', 24 * HOUR],
	])('comes by the clock, whose expression stays the same: %s', async (checkEvery, period) => {
		const { cron } = workflow;
		expect(cron).toMatch(/^\d{1,2} \* \* \* \* \*$/);
		await workflow.change({ parameters: watching(COMPANIES, { options: { checkEvery } }) });
		expect(workflow.cron).toBe(cron);
		simulator.clearRequests();
		await workflow.later(period);
		expect(simulator.counts()).toEqual({ GET: 1 });
		await workflow.tick(0);
		expect(simulator.counts()).toEqual({ GET: 1 });
		await workflow.later(period);
		expect(simulator.counts()).toEqual({ GET: 2 });
		await workflow.unpublish();
		simulator.clearRequests();
		await workflow.later(9 * period);
		expect(simulator.methods()).toEqual([]);
	});
});

describe('drift is repaired, and reported once with its company and the time since the last good check', () => {
	const KINDS: Array<[string, Partial<StoredWebhook> | 'remove']> = [
		['a pause', PAUSED],
		['other events', { events: ['psc.added'] }],
		['another address', { url: 'https://elsewhere.example.com/' }],
		['a removal', 'remove'],
	];

	it.each(KINDS)('%s', async (what, changes) => {
		await publish();
		const [{ url }] = simulator.webhooks();
		simulator.drift(changes, [ONE]);
		if (what === 'another address') simulator.listWithUrls();
		await workflow.later();
		expect(simulator.watched()).toEqual(COMPANIES);
		for (const one of simulator.active()) {
			expect([one.url.split('?')[0], one.events]).toEqual([url.split('?')[0], ['filing.new']]);
		}
		expect(missing()).toEqual([[ONE, 1]]);
		expect(workflow.shown[0]).toMatchObject({ state: 'repaired', watched: 3, left: { count: 0 } });
		await workflow.later();
		expect([workflow.shown.length, workflow.told]).toEqual([1, []]);
	});

	it.each<[string, Partial<StoredWebhook> | 'remove', string, FaultAction]>([
		['loses its answer', PAUSED, 'PATCH', 'dropAfter'],
		['cannot create for a while', 'remove', 'POST', { status: 503 }],
	])('also where the first repair %s', async (_how, changes, method, action) => {
		setTimes({ beforeReport: 10 * MINUTE });
		await publish();
		simulator.drift(changes, [ONE]);
		simulator.fault({ method, times: 3, action });
		await workflow.later();
		expect(workflow.shown).toEqual([]);
		simulator.clearFaults();
		await workflow.later(5 * MINUTE);
		expect(simulator.watched()).toEqual(COMPANIES);
		expect([missing(), workflow.shown.length]).toEqual([[[ONE, 1]], 1]);
	});

	it.each(KINDS.slice(0, 2))(
		'also %s whose repair fails for hours, with its whole time',
		async (_what, changes) => {
			setTimes({ beforeReport: 24 * HOUR });
			await publish();
			simulator.drift(changes, [ONE]);
			simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 500 } });
			for (let nth = 0; nth < 3; nth++) await workflow.later();
			expect(workflow.shown).toEqual([]);
			simulator.clearFaults();
			await workflow.later();
			expect([missing(), simulator.watched()]).toEqual([[[ONE, 4]], COMPANIES]);
		},
	);

	it('also where the repair is refused: at once, each day, and then with its whole time', async () => {
		await publish();
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
		await pauseBeforeChecks(ONE, 1);
		await workflow.later();
		expect(missing()).toEqual([[ONE, null]]);
		expect(map(workflow.shown, 'left.count')).toEqual([1]);
		await workflow.later(25 * HOUR);
		expect([workflow.shown.length, workflow.told.length]).toEqual([2, 1]);
		// Also where n8n is restarted before the repair.
		await workflow.stop();
		simulator.clearFaults();
		await workflow.start();
		expect(missing()).toEqual([[ONE, 27]]);
	});

	it('also where the next list does not show the webhook whose repair was refused', async () => {
		await publish();
		simulator.drift(PAUSED, [ONE]);
		simulator.fault({ method: 'PATCH', action: { status: 409 } });
		await workflow.later();
		const data = simulator.webhooks().filter(({ company_number }) => company_number !== ONE);
		simulator.fault({ method: 'GET', action: { status: 200, body: { data, has_more: true } } });
		await workflow.later();
		expect(simulator.watched()).toEqual(COMPANIES);
	});

	it('once a day for the same companies, and at once for others', async () => {
		await publish();
		await pauseBeforeChecks(ONE, 20);
		expect(missing()).toEqual([[ONE, 1]]);
		expect(workflow.shown).toHaveLength(1);
		await pauseBeforeChecks(ONE, 10);
		expect(missing()).toEqual([[ONE, 24]]);
		expect(workflow.shown).toHaveLength(2);
		for (let nth = 0; nth < 6; nth++) {
			if (nth % 3 === 0) simulator.drift(PAUSED, [TWO]);
			await pauseBeforeChecks(ONE, 1);
		}
		expect(map(workflow.shown, 'missing.count')).toEqual([1, 1, 2]);
	});

	it.each<[string, () => Promise<void>]>([
		['stop', async () => await workflow.stop()],
		['kill', async () => workflow.kill()],
	])('also after a %s of n8n, with the name that the list has', async (_end, end) => {
		const companyNumbers = `Company no.\tClient\n${ONE}\tKite Ltd\n`;
		await publish([], { companyNumbers });
		passTime(HOUR / 2);
		await end();
		passTime(HOUR);
		simulator.drift(PAUSED, [ONE]);
		await workflow.start();
		const [{ company_number, company_name, from, to }] = workflow.shown[0].missing.companies;
		expect([company_number, company_name]).toEqual([ONE, 'Kite Ltd']);
		// Someone may have paused it before n8n ended.
		expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBeGreaterThanOrEqual(1.5 * HOUR);
		expect(workflow.told).toEqual([]);
	});
});

describe('a service that fails', () => {
	const DOWN = { times: Infinity, action: { status: 503 } };

	it.each<[string, object, number[]]>([
		[
			'after 1, 2, 4, 8, 10, 10 … minutes, and when that is due to be reported',
			{},
			[0, 1, 3, 7, 10, 20, 30, 40],
		],
		['never before it has said', { status: 429, headers: { 'Retry-After': '1500' } }, [0, 25]],
	])('is asked again %s', async (_when, action, minutes) => {
		setTimes({ beforeReport: 10 * MINUTE });
		await publish(COMPANIES, { options: { checkEvery: 'day' } });
		// The next regular check is a day later.
		passTime(nextCheck('node-1', 'day', Date.now()) - Date.now());
		simulator.fault({ ...DOWN, action: { ...DOWN.action, ...action } });
		const asked: number[] = [];
		for (let minute = 0; minute < 50; minute++) {
			simulator.clearRequests();
			await workflow.tick(0);
			if (simulator.requests.length > 0) asked.push(minute);
			passTime(MINUTE);
		}
		expect(asked).toEqual(minutes);
	});

	it('is reported after ten minutes, once a day, and what is stored stays', async () => {
		setTimes({ beforeReport: 10 * MINUTE });
		await publish(COMPANIES, { events: ['filing.new'] });
		const before = workflow.statuses();
		simulator.fault(DOWN);
		await workflow.later();
		await workflow.later(9 * MINUTE);
		expect(workflow.executions).toEqual([]);
		await workflow.later(2 * MINUTE + HOUR);
		await workflow.later(2 * HOUR);
		expect(workflow.told).toHaveLength(1);
		await workflow.later(25 * HOUR);
		expect(workflow.told).toHaveLength(2);
		expect(workflow.statuses()).toEqual(before);
		simulator.clearFaults();
		await workflow.later();
		expect(workflow.told).toHaveLength(2);
	});

	it('fails since its first failure, also after a restart of n8n', async () => {
		await publish();
		simulator.fault(DOWN);
		await workflow.later();
		await workflow.stop();
		const since = workflow.state()?.facts.failingSince?.check;
		passTime(26 * HOUR);
		await workflow.start();
		await workflow.stop();
		expect(since).toBeGreaterThan(0);
		expect(workflow.state()?.facts.failingSince?.check).toBe(since);
		simulator.clearFaults();
		await workflow.start();
		expect(workflow.state()?.facts.failingSince).toBeUndefined();
	});
});

it('webhooks that the list lacks are asked about, at most twenty in a check, and repaired', async () => {
	const all = companyNumbers(60);
	await publish(all);
	const first = simulator.webhooks().slice(0, 10);
	const hidden = map(simulator.webhooks(), 'company_number').slice(10);
	const data = first.map((one) => omit(one, ['secret', 'account', 'url']));
	const body = { data, has_more: true };
	simulator.fault({ method: 'GET', times: Infinity, action: { status: 200, body } });
	await workflow.later();
	const updates = simulator.requests.filter(({ method }) => method === 'PATCH');
	expect(map(updates, 'body')).toEqual(range(20).map(() => ({ url: expect.any(String) })));
	expect(workflow.executions).toEqual([]);

	simulator.drift(PAUSED, hidden.slice(0, 10));
	simulator.drift({ events: ['psc.added'] }, hidden.slice(10, 15));
	simulator.drift('remove', hidden.slice(15, 20));
	const isWhole = () =>
		simulator.active().filter(({ events }) => events[0] === 'filing.new').length === 60;
	for (let nth = 0; nth < 40 && !isWhole(); nth++) await workflow.later();
	expect(simulator.watched()).toEqual(all);
	const reported = workflow.shown.flatMap((item) => map(item.missing.companies, 'company_number'));
	expect(reported.sort()).toEqual(hidden.slice(0, 20).sort());
});

describe('a company that leaves the list and comes back has all of its gap', () => {
	const FIVE = companyNumbers(5);

	beforeEach(async () => await publish(FIVE));

	it.each<[string, () => Promise<void>]>([
		['in two changes', async () => await change(FIVE.slice(1))],
		[
			'after n8n was restarted while nothing was published',
			async () => {
				await workflow.unpublish();
				await workflow.restart();
				workflow.setup.parameters = watching(FIVE.slice(1), { events: EVENTS });
				await workflow.publish();
			},
		],
		[
			'although the answers to its pause were lost',
			async () => {
				simulator.fault({ ...PAUSES, times: Infinity, action: 'dropAfter' });
				await change(FIVE.slice(1));
				simulator.clearFaults();
			},
		],
		[
			'although someone had paused it before, and the repair was refused',
			async () => {
				simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
				await pauseBeforeChecks(ONE, 1);
				simulator.clearFaults();
				await change(FIVE.slice(1));
			},
		],
	])('%s', async (_how, leave) => {
		await leave();
		passTime(2 * HOUR);
		simulator.drift(PAUSED, [TWO]);
		await change(FIVE);
		const hours = new Map(missing());
		expect([...hours.keys()].sort()).toEqual([ONE, TWO]);
		expect(hours.get(ONE)).toBeGreaterThanOrEqual(2);
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE);
	});
});
