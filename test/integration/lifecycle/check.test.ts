// A published trigger checks its webhooks by the clock, repairs what differs, and reports it with the company.
import { nextCheck } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import type { FaultAction, StoredWebhook } from '../../simulator';
import { RESUMES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const COMPANIES = companyNumbers(3);
const [ONE] = COMPANIES;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PAUSED = { is_active: false };

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
});

describe('a check of a healthy account', () => {
	it('is one GET, and leaves no execution and nothing to store', async () => {
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		expect(simulator.methods()).toEqual(['GET', 'GET', 'GET']);
		expect([workflow.executions, workflow.stores]).toEqual([[], 0]);
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

describe('drift is repaired, and reported once with its company and the time of the last good check', () => {
	const KINDS: Array<[string, Partial<StoredWebhook> | 'remove']> = [
		['Had been paused', PAUSED],
		['Had other events', { events: ['psc.added'] }],
		['Had been redirected to another address', { url: 'https://elsewhere.example.com/' }],
		['Had been removed', 'remove'],
	];

	it.each(KINDS)('%s', async (words, changes) => {
		const [{ url }] = simulator.webhooks();
		await workflow.later();
		simulator.drift(changes, [ONE]);
		if (words.includes('redirected')) simulator.listWithUrls();
		await workflow.later();
		expect(simulator.watched()).toEqual(COMPANIES);
		for (const one of simulator.active()) {
			expect([one.url.split('?')[0], one.events]).toEqual([url.split('?')[0], ['filing.new']]);
		}
		expect(workflow.told).toEqual([
			expect.stringMatching(
				`^3 of 3 .*may be missing since \\d{4}-.* 1 webhook .*${words}: ${ONE}\\.$`,
			),
		]);
		await workflow.later();
		expect(workflow.told).toHaveLength(1);
	});

	it.each<[string, Partial<StoredWebhook> | 'remove', string, FaultAction]>([
		['is refused for a while', PAUSED, 'PATCH', { status: 503 }],
		['loses its answer', PAUSED, 'PATCH', 'dropAfter'],
		['cannot create for a while', 'remove', 'POST', { status: 503 }],
	])('also where the first repair %s', async (_how, changes, method, action) => {
		setTimes({ beforeReport: 10 * MINUTE });
		simulator.drift(changes, [ONE]);
		simulator.fault({ method, times: 3, action });
		await workflow.later();
		simulator.clearFaults();
		await workflow.later(5 * MINUTE);
		expect(simulator.watched()).toEqual(COMPANIES);
		expect(workflow.told).toEqual([expect.stringMatching(`may be missing.*${ONE}`)]);
	});

	it('at once, also where the repair fails, and once', async () => {
		simulator.drift(PAUSED, [ONE]);
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		await workflow.later();
		await workflow.later();
		expect(workflow.told).toEqual([
			expect.stringMatching(
				`^2 of 3 .*missing since .*: someone changed 1 webhook .*: ${ONE}\\..*HTTP 503`,
			),
			expect.stringMatching(/^2 of 3 companies are watched\..*HTTP 503/),
		]);
		expect(workflow.told.join()).not.toMatch(/been paused.*been paused/);
	});

	it('also where the repair is refused, and the next list does not show the webhook', async () => {
		simulator.drift(PAUSED, [ONE]);
		simulator.fault({ method: 'PATCH', action: { status: 409 } });
		await workflow.later();
		const data = simulator.webhooks().filter(({ company_number }) => company_number !== ONE);
		simulator.fault({ method: 'GET', action: { status: 200, body: { data, has_more: true } } });
		await workflow.later();
		expect(simulator.watched()).toEqual(COMPANIES);
	});

	it('also beside a company that the service refuses, and in a publish that finds it first', async () => {
		simulator.refuse(['10000009']);
		simulator.drift(PAUSED, [ONE]);
		const options = { unwatchable: 'skip' };
		await workflow.change({ parameters: watching([...COMPANIES, '10000009'], { options }) });
		expect(workflow.told).toEqual([
			expect.stringMatching(`Had been paused: ${ONE}\\..*Refused.*: 10000009`),
		]);
	});

	it('with the name that the list has, and without a time in the first check after a start', async () => {
		const companyNumbers = `Company no.\tClient\n${ONE}\tKite Ltd\n`;
		await workflow.change({ parameters: watching([], { companyNumbers }) });
		simulator.drift(PAUSED, [ONE]);
		await workflow.start();
		expect(workflow.told).toEqual([
			expect.stringMatching(`may be missing: .*Had been paused: ${ONE} Kite Ltd\\.$`),
		]);
	});

	it('not within a minute of our own change, which the list may not show yet', async () => {
		setTimes({ listLag: 60_000 });
		const data = simulator.webhooks().map(({ id, company_number, events }) => {
			return { id, company_number, events, is_active: false };
		});
		simulator.fault({ method: 'GET', action: { status: 200, body: { data } } });
		await workflow.later();
		expect(simulator.requests.filter(RESUMES.when)).toHaveLength(3);
		expect(workflow.executions).toEqual([]);
	});
});

describe('a service that fails', () => {
	const DOWN = { times: Infinity, action: { status: 503 } };

	it('is asked again after 1, 2, 4 … 60 minutes', async () => {
		const options = { checkEvery: 'day' };
		await workflow.change({ parameters: watching(COMPANIES, { options }) });
		// The next regular check is a day later.
		passTime(nextCheck('node-1', 'day', Date.now()) - Date.now());
		simulator.fault(DOWN);
		const asked: number[] = [];
		for (let minute = 0; minute <= 190; minute++) {
			simulator.clearRequests();
			await workflow.tick(0);
			if (simulator.requests.length > 0) asked.push(minute);
			passTime(MINUTE);
		}
		expect(asked).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
	});

	it('is reported after ten minutes, once a day, and what is stored stays', async () => {
		setTimes({ beforeReport: 10 * MINUTE });
		const before = workflow.statuses();
		await workflow.later();
		simulator.fault(DOWN);
		await workflow.later();
		await workflow.later(9 * MINUTE);
		expect(workflow.executions).toEqual([]);
		await workflow.later(2 * MINUTE + HOUR);
		await workflow.later(2 * HOUR);
		expect(workflow.told).toEqual([
			expect.stringMatching(/^3 of 3 companies are watched.*HTTP 503.*retries automatically/),
		]);
		await workflow.later(25 * HOUR);
		expect(workflow.told).toHaveLength(2);
		expect(workflow.statuses()).toEqual(before);
		simulator.clearFaults();
		await workflow.later();
		expect(workflow.told).toHaveLength(2);
	});

	it('because the key was revoked is used again once the credential holds another key', async () => {
		const { companyRegistryApi: credential } = workflow.setup.credentials ?? {};
		simulator.revokeApiKey(simulator.apiKey);
		await workflow.later();
		await workflow.later();
		expect(workflow.told).toEqual([expect.stringContaining('did not accept the API key')]);
		credential.apiKey = simulator.addApiKey();
		simulator.clearRequests();
		await workflow.later();
		expect(simulator.methods()).toEqual(['GET']);
		expect(workflow.told).toHaveLength(1);
		await workflow.unpublish();
		expect(simulator.active()).toEqual([]);
	});
});
