// A published trigger checks its webhooks by the clock, repairs what differs, and reports it with the company.
import { nextCheck } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import type { FaultAction, StoredWebhook } from '../../simulator';
import {
	active,
	counts,
	drift,
	listWithUrls,
	methods,
	refuse,
	RESUMES,
	serviceForEachTest,
	watched,
} from '../../support/atService';
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
		expect(methods(simulator)).toEqual(['GET', 'GET', 'GET']);
		expect([workflow.executions, workflow.stores]).toEqual([[], 0]);
	});

	it.each([
		['tenMinutes', 10 * MINUTE],
		['hour', HOUR],
		['day', 24 * HOUR],
	])('comes by the clock: %s', async (checkEvery, period) => {
		await workflow.change({ parameters: watching(COMPANIES, { options: { checkEvery } }) });
		simulator.clearRequests();
		await workflow.later(period);
		expect(counts(simulator)).toEqual({ GET: 1 });
		await workflow.tick(0);
		expect(counts(simulator)).toEqual({ GET: 1 });
		await workflow.later(period);
		expect(counts(simulator)).toEqual({ GET: 2 });
		await workflow.unpublish();
		simulator.clearRequests();
		await workflow.later(9 * period);
		expect(methods(simulator)).toEqual([]);
	});
});

describe('drift is repaired, and reported once with its company and the time of the last good check', () => {
	const KINDS: Array<[string, Partial<StoredWebhook> | 'remove']> = [
		['Paused', PAUSED],
		['Given other events', { events: ['psc.added'] }],
		['Redirected to another address', { url: 'https://elsewhere.example.com/' }],
		['Removed', 'remove'],
	];

	it.each(KINDS)('%s', async (words, changes) => {
		const [{ url }] = simulator.webhooks();
		await workflow.later();
		drift(simulator, changes, [ONE]);
		if (words.startsWith('Redirected')) listWithUrls(simulator);
		await workflow.later();
		expect(watched(simulator)).toEqual(COMPANIES);
		for (const one of active(simulator)) {
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
		drift(simulator, changes, [ONE]);
		simulator.fault({ method, times: 3, action });
		await workflow.later();
		simulator.clearFaults();
		await workflow.later(5 * MINUTE);
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(workflow.told).toEqual([expect.stringMatching(`may be missing.*${ONE}`)]);
	});

	it('only once the service has confirmed the repair', async () => {
		drift(simulator, PAUSED, [ONE]);
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		await workflow.later();
		await workflow.later();
		expect(workflow.told).toEqual([
			expect.stringMatching(/^2 of 3 companies are watched.*HTTP 503/),
		]);
		expect(workflow.told[0]).not.toContain('restored');
	});

	it('also beside a company that the service refuses, and in a publish that finds it first', async () => {
		refuse(simulator, ['10000009']);
		drift(simulator, PAUSED, [ONE]);
		const options = { unwatchable: 'skip' };
		await workflow.change({ parameters: watching([...COMPANIES, '10000009'], { options }) });
		expect(workflow.told).toEqual([
			expect.stringMatching(`Paused: ${ONE}\\..*Refused.*: 10000009`),
		]);
	});

	it('with the name that the list has, and without a time in the first check after a start', async () => {
		const companyNumbers = `Company no.\tClient\n${ONE}\tKite Ltd\n`;
		await workflow.change({ parameters: watching([], { companyNumbers }) });
		drift(simulator, PAUSED, [ONE]);
		await workflow.start();
		expect(workflow.told).toEqual([
			expect.stringMatching(`may be missing: .*Paused: ${ONE} Kite Ltd\\.$`),
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

	it('names at most twenty companies in one message', async () => {
		await workflow.change({ parameters: watching(companyNumbers(25)) });
		drift(simulator, PAUSED);
		await workflow.later();
		expect(watched(simulator)).toHaveLength(25);
		expect(new Set(workflow.told[0].match(/1\d{7}/g)).size).toBe(20);
	});
});

describe('a webhook that the list does not show', () => {
	const unlisted = serviceForEachTest({ listMaximum: 0 });

	beforeEach(async () => {
		workflow = watch(unlisted, companyNumbers(25));
		await workflow.publish();
		unlisted.clearRequests();
	});

	it('gets one update, twenty of them in a check, and is not replaced for that', async () => {
		await workflow.later();
		expect(counts(unlisted)).toEqual({ GET: 1, PATCH: 20 });
		expect(unlisted.webhooks()).toHaveLength(25);
		expect(workflow.executions).toEqual([]);
	});

	it('gets none where the list says that it has more', async () => {
		const body = { data: [], has_more: true };
		unlisted.fault({ method: 'GET', action: { status: 200, body } });
		await workflow.later();
		expect(counts(unlisted)).toEqual({ GET: 1 });
	});

	it('is replaced if the service does not know it, up to twenty in a check', async () => {
		drift(unlisted, 'remove', companyNumbers(20));
		await workflow.later();
		expect(counts(unlisted)).toMatchObject({ GET: 1, POST: 20 });
		expect(watched(unlisted)).toEqual(companyNumbers(25));
		expect(workflow.told).toEqual([expect.stringMatching(/restored 20 webhooks .*Removed: /)]);
	});

	it('is not replaced where more are unknown, because the account may be another', async () => {
		const before = workflow.statuses();
		drift(unlisted, 'remove');
		await workflow.later();
		expect(counts(unlisted).POST).toBeUndefined();
		expect(workflow.told).toEqual([expect.stringContaining('may open another account')]);
		expect(Object.keys(workflow.statuses())).toEqual(Object.keys(before));
	});

	it.each<[string, FaultAction, number]>([
		['is replaced after a 410 of the service', { status: 410 }, 1],
		['is not replaced after a 404 of a proxy', { raw: '<h1>Not found</h1>', status: 404 }, 0],
	])('%s', async (_what, action, created) => {
		await workflow.change({ parameters: watching(COMPANIES) });
		unlisted.clearRequests();
		const [{ id }] = active(unlisted);
		unlisted.fault({ method: 'PATCH', path: RegExp(id), times: Infinity, action });
		await workflow.later();
		expect(counts(unlisted).POST ?? 0).toBe(created);
		expect(Object.keys(workflow.statuses())).toContain(ONE);
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
			expect.stringMatching(/^3 of 3 companies are watched.*HTTP 503.*tries again by itself/),
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
		expect(methods(simulator)).toEqual(['GET']);
		expect(workflow.told).toHaveLength(1);
		await workflow.unpublish();
		expect(active(simulator)).toEqual([]);
	});
});

describe('a company that is not watched yet', () => {
	const four = { parameters: watching(companyNumbers(4)) };
	const answer = (data: object) => ({ status: 201, body: { data: { id: 'wh_new', ...data } } });

	it('because the service refused it is tried again by each check, and reported once', async () => {
		refuse(simulator, ['10000004']);
		await workflow.change(four);
		await workflow.later();
		await workflow.later();
		expect(counts(simulator).POST).toBe(3);
		expect(workflow.told).toEqual([expect.stringMatching('^3 of 4 .*Refused.*: 10000004')]);
		simulator.clearFaults();
		await workflow.later();
		expect(watched(simulator)).toEqual(companyNumbers(4));
		expect(workflow.told).toHaveLength(1);
	});

	// Two lost answers may have left two webhooks. Where the list proves that none was made, each check tries.
	it.each<[string, FaultAction, number]>([
		['the answer was lost', 'dropAfter', 2],
		['it has no secret', answer({}), 6],
		['it shows another company', answer({ company_number: '20000001', secret: 'secret' }), 6],
	])('because %s is created again by checks', async (_why, action, posts) => {
		simulator.fault({ method: 'POST', times: Infinity, action });
		await workflow.change(four);
		for (let nth = 0; nth < 5; nth++) await workflow.later();
		expect(counts(simulator).POST).toBe(posts);
		expect(workflow.statuses()['10000004']).toBe('pending');
		simulator.clearFaults();
		await workflow.change();
		expect(workflow.statuses()['10000004']).toBe('active');
	});

	it('because an answer was lost leaves a webhook that cannot be verified, which is named once', async () => {
		simulator.fault({ method: 'POST', action: 'dropAfter' });
		await workflow.change(four);
		const lost = simulator.webhooks().at(-1)?.id;
		await workflow.later();
		await workflow.later();
		expect(simulator.webhooks()).toHaveLength(5);
		const named = workflow.told.filter((words) => words.includes(`${lost} (10000004)`));
		expect(named).toEqual([expect.stringMatching('cannot verify.*Webhook → Pause')]);
	});

	it('because an answer was lost has that webhook paused where the list shows URLs', async () => {
		simulator.fault({ method: 'POST', action: 'dropAfter' });
		await workflow.change(four);
		const lost = simulator.webhooks().at(-1)?.id ?? '';
		listWithUrls(simulator);
		await workflow.later();
		expect(simulator.webhooks().filter((one) => !one.is_active)).toMatchObject([{ id: lost }]);
		expect(watched(simulator)).toEqual(companyNumbers(4));
	});
});
