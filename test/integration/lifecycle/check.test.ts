// A published trigger checks its webhooks by the clock, repairs what differs, and reports it with the company.
import { map, omit, range } from 'lodash';

import { nextCheck } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import type { Fault, StoredWebhook } from '../../simulator';
import { serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { HOUR, MINUTE, passTime, setTimes } from '../../support/times';

const COMPANIES = companyNumbers(3);
const [ONE] = COMPANIES;
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

it.each([
	['tenMinutes', 10 * MINUTE],
	['hour', HOUR],
	['day', 24 * HOUR],
])(
	'a check comes by the clock, whose expression stays the same: %s',
	async (checkEvery, period) => {
		await publish();
		const { cron } = workflow;
		expect(cron).toMatch(/^\d{1,2} \* \* \* \* \*$/);
		const parameters = watching(COMPANIES, { events: EVENTS, options: { checkEvery } });
		await workflow.change({ parameters });
		expect(workflow.cron).toBe(cron);
		simulator.clearRequests();
		await workflow.later(period);
		await workflow.tick(0);
		expect(simulator.methods()).toEqual(['GET']);
		await workflow.later(period);
		expect(simulator.methods()).toEqual(['GET', 'GET']);
		await workflow.unpublish();
		simulator.clearRequests();
		await workflow.later(9 * period);
		expect(simulator.methods()).toEqual([]);
	},
);

describe('drift is reported with the time since the last good check', () => {
	/** The companies whose events may be missing, by the latest item, with the hours for which. */
	function missing(): Array<[company: string, hours: number | null]> {
		const companies = workflow.shown.at(-1)?.missing.companies ?? [];
		return companies.map(({ company_number, from, to }) => {
			if (!from || !to) return [company_number, null];
			return [company_number, Math.round((Date.parse(to) - Date.parse(from)) / HOUR)];
		});
	}

	it.each<[string, Partial<StoredWebhook> | 'remove', Fault]>([
		['fails', PAUSED, { method: 'PATCH', action: { status: 500 } }],
		[
			'of the events fails',
			{ events: ['psc.added'] },
			{ method: 'PATCH', action: { status: 500 } },
		],
		['cannot create', 'remove', { method: 'POST', action: { status: 503 } }],
	])('once, where the repair %s for hours', async (_how, changes, fault) => {
		setTimes({ beforeReport: 24 * HOUR });
		await publish();
		simulator.drift(changes, [ONE]);
		simulator.fault({ times: Infinity, ...fault });
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		expect(workflow.shown).toEqual([]);
		simulator.clearFaults();
		await workflow.later();
		await workflow.later();
		expect([missing(), simulator.watched()]).toEqual([[[ONE, 4]], COMPANIES]);
		expect(workflow.shown).toMatchObject([{ state: 'repaired', watched: 3, added: { count: 0 } }]);
	});

	it('where the repair is refused: at once, each day, and then with its whole time', async () => {
		await publish();
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
		simulator.drift(PAUSED, [ONE]);
		await workflow.later();
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

	it.each(['stop', 'kill'] as const)('also after a %s of n8n, which comes later', async (end) => {
		const companyNumbers = `Company no.\tClient\n${ONE}\tKite Ltd\n`;
		await publish([], { companyNumbers });
		passTime(HOUR);
		await workflow[end]();
		passTime(HOUR);
		simulator.drift(PAUSED, [ONE]);
		await workflow.start();
		// Someone may have paused it before n8n ended.
		const [[company, hours]] = missing();
		expect([company, workflow.shown[0].missing.companies[0].company_name]).toEqual([
			ONE,
			'Kite Ltd',
		]);
		expect(hours).toBeGreaterThanOrEqual(2);
	});
});

it.each<[string, object, number[]]>([
	['after 1, 2, 4, 8, 10, 10 … minutes', {}, [0, 1, 3, 7, 15, 25, 35, 45]],
	['never before it has said', { status: 429, headers: { 'Retry-After': '1500' } }, [0, 25]],
])('a service that fails is asked again %s', async (_when, action, minutes) => {
	setTimes({ beforeReport: 10 * MINUTE });
	await publish(COMPANIES, { options: { checkEvery: 'day' } });
	// The next regular check is a day later.
	passTime(nextCheck('node-1', 'day', Date.now()) - Date.now());
	simulator.fault({ times: Infinity, action: { status: 503, ...action } });
	const asked: number[] = [];
	for (let minute = 0; minute < 50; minute++) {
		simulator.clearRequests();
		await workflow.tick(0);
		if (simulator.requests.length > 0) asked.push(minute);
		passTime(MINUTE);
	}
	expect(asked).toEqual(minutes);
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
