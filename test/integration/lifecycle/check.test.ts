// A published trigger checks its webhooks by the clock, repairs what differs, and reports it with the company.
import { map, omit, pick } from 'lodash';

import { nextCheck } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import type { FaultAction, StoredWebhook } from '../../simulator';
import { PAUSES, RESUMES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const COMPANIES = companyNumbers(3);
const [ONE, TWO, THREE] = COMPANIES;
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

/** Someone pauses the webhook before each of these checks. */
async function pauseBeforeChecks(company: string, count: number): Promise<void> {
	for (let nth = 0; nth < count; nth++) {
		simulator.drift(PAUSED, [company]);
		await workflow.later();
	}
}

describe('a check of a healthy account', () => {
	it('is one GET and leaves no execution; only the first one after a change stores once more', async () => {
		await workflow.later();
		expect([workflow.executions, workflow.stores]).toEqual([[], 1]);
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		expect(simulator.methods()).toEqual(['GET', 'GET', 'GET', 'GET']);
		expect([workflow.executions, workflow.stores]).toEqual([[], 1]);
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

/** Of one company, from one time to another. */
const GAP = 'Events may be missing for 1 company between \\d\\d:\\d\\d and \\d\\d:\\d\\d';

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
		workflow.expectTold(
			`^${GAP} Workflow: Test workflow Look .* 1 webhook .* - ${ONE}: ${words} \\(between .* 3 companies are watched\\. Time zone: America/New_York`,
		);
		await workflow.later();
		expect(workflow.told).toHaveLength(1);
	});

	it.each<[string, Partial<StoredWebhook> | 'remove', string, FaultAction]>([
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
		workflow.expectTold(
			`^1 of 3 companies is not watched .* ${ONE}: Had been \\w+; events may be missing since \\d\\d:\\d\\d`,
		);
	});

	it('at once, also where the repair fails, and once', async () => {
		simulator.drift(PAUSED, [ONE]);
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		workflow.expectTold(
			`^1 of 3 companies is not watched .*HTTP 503.*retries automatically.* - ${ONE}: Had been paused; events may be missing since \\d\\d:\\d\\d`,
		);
		await workflow.later(25 * HOUR);
		expect(workflow.told).toHaveLength(2);
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
		workflow.expectTold(
			`^1 of 4 companies is not watched; events may be missing for 1 company .*Refused.* - 10000009 .* - ${ONE}: Had been paused `,
		);
		// The refusal is no news because the drift is over.
		for (let nth = 0; nth < 3; nth++) await workflow.later();
		expect(workflow.told).toHaveLength(1);
	});

	it('twice where each check finds it again, and then its end with all of its time', async () => {
		await workflow.later();
		await pauseBeforeChecks(ONE, 6);
		expect(workflow.told).toHaveLength(2);
		await workflow.later();
		const times = workflow.told.map((words) => /between (\S+) and (\S+)/.exec(words) ?? []);
		const [[, , first], [, second, secondEnd], [, third, end]] = times;
		// Each begins where the one before has ended.
		expect([second, third]).toEqual([first, secondEnd]);
		expect(end).not.toBe(secondEnd);

		await workflow.later();
		await pauseBeforeChecks(ONE, 1);
		expect(workflow.told).toHaveLength(4);
	});

	it('again after a day where each check finds it', async () => {
		await pauseBeforeChecks(ONE, 30);
		expect(workflow.told).toHaveLength(3);
		// Beside what was told, another company is news.
		simulator.drift(PAUSED, [TWO]);
		await pauseBeforeChecks(ONE, 1);
		expect(workflow.told).toHaveLength(4);
	});

	it.each<[string, () => Promise<void>, string]>([
		['since the last good check before n8n stopped', async () => await workflow.stop(), 'between'],
		['without its beginning after a kill', async () => workflow.kill(), 'until'],
	])('with the name that the list has, and %s', async (_when, end, times) => {
		const companyNumbers = `Company no.\tClient\n${ONE}\tKite Ltd\n`;
		await workflow.change({ parameters: watching([], { companyNumbers }) });
		await end();
		passTime(HOUR);
		simulator.drift(PAUSED, [ONE]);
		await workflow.start();
		workflow.expectTold(
			`^Events may be missing for 1 company ${times} \\d\\d:\\d\\d .* - ${ONE} Kite Ltd: Had been paused \\(${times} `,
		);
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

	it('is asked again after 1, 2, 4 … 60 minutes, and when that is due to be reported', async () => {
		setTimes({ beforeReport: 10 * MINUTE });
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
		expect(asked).toEqual([0, 1, 3, 7, 10, 21, 43, 87, 147]);
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
		workflow.expectTold(
			/^Could not check since \d\d:\d\d \(last seen: 3 of 3 watched\) .*HTTP 503.*retries automatically/,
		);
		await workflow.later(25 * HOUR);
		expect(workflow.told).toHaveLength(2);
		expect(workflow.statuses()).toEqual(before);
		simulator.clearFaults();
		await workflow.later();
		expect(workflow.told).toHaveLength(2);
	});

	it('because the key was revoked is asked again with the key that the credential has by then', async () => {
		const { companyRegistryApi: credential } = workflow.setup.credentials ?? {};
		simulator.revokeApiKey(simulator.apiKey);
		await workflow.later();
		workflow.expectTold(
			/^Could not check since \S+ \(last seen: 3 of 3 watched\) .*did not accept the API key/,
		);
		credential.apiKey = simulator.addApiKey();
		simulator.clearRequests();
		await workflow.later();
		expect([simulator.methods(), workflow.told.length]).toEqual([['GET'], 1]);
	});

	it('is said to fail since its first failure, also after a restart of n8n', async () => {
		simulator.fault(DOWN);
		await workflow.later();
		const [, since] = /since (\d\d:\d\d)/.exec(workflow.told[0]) ?? [];
		await workflow.stop();
		passTime(26 * HOUR);
		await workflow.start();
		// With the date, because that was another day.
		expect(workflow.told.at(-1)).toMatch(new RegExp(`^Could not check since \\d+ \\w+ ${since} `));
		simulator.clearFaults();
		await workflow.later();
		await workflow.start();
		expect(workflow.state()?.facts.failingSince).toBeUndefined();
	});

	it('is reported although the clock was ahead when it began to fail', async () => {
		setTimes({ beforeReport: 10 * MINUTE });
		passTime(400 * 24 * HOUR);
		simulator.fault(DOWN);
		await workflow.tick(0);
		passTime(-399.9 * 24 * HOUR);
		await workflow.later(HOUR);
		await workflow.later(HOUR);
		workflow.expectTold(/^Could not check since /);
	});
});

describe('the news of a check that something ends is not lost', () => {
	beforeEach(async () => {
		await workflow.later();
		simulator.drift('remove', [ONE]);
		simulator.clearRequests();
	});

	it('where n8n stops while a removed webhook is replaced', async () => {
		simulator.fault({ method: 'POST', action: 'hang' });
		void workflow.later();
		await simulator.received(1, 'POST');
		await workflow.stop();
		simulator.clearFaults();
		await workflow.start();
		expect(simulator.watched()).toEqual(COMPANIES);
		expect(workflow.told.join().match(/Had been removed/g)).toHaveLength(1);
	});

	it.each([
		['adds companies', companyNumbers(6)],
		['takes it off the list', COMPANIES.slice(1)],
	])('where a publish %s while a removed webhook is replaced', async (_what, companies) => {
		simulator.latencyMs = 300;
		void workflow.later();
		await simulator.received(1, 'POST');
		await workflow.change({ parameters: watching(companies) });
		simulator.latencyMs = 0;
		expect(simulator.watched()).toEqual(expect.arrayContaining(companies));
		expect(workflow.told.join().match(/Had been removed/g)).toHaveLength(1);
	});
});

describe('a list of the account that has further pages', () => {
	const ALL = companyNumbers(30);
	const SHOWN = 10;

	/** The next list is the first page only. */
	const page = () => {
		const first = simulator.webhooks().slice(0, SHOWN);
		const data = first.map((one) => omit(one, ['secret', 'account', 'url']));
		const body = { data, has_more: true };
		simulator.fault({ method: 'GET', times: 1, action: { status: 200, body } });
	};
	const checkPage = async () => {
		page();
		simulator.clearRequests();
		await workflow.later();
	};

	beforeEach(async () => {
		const events = ['filing.new', 'watch.report'];
		await workflow.change({ parameters: watching(ALL, { events }) });
		workflow.executions.splice(0);
	});

	it('lets each check ask about ten of the webhooks on them, all in turn, by an update that changes none of their events', async () => {
		const hidden = simulator.webhooks().slice(SHOWN);
		const asked: string[][] = [];
		for (let nth = 0; nth < 4; nth++) {
			await checkPage();
			const updates = simulator.requests.filter(({ method }) => method === 'PATCH');
			for (const { body } of updates) expect(body).toEqual({ url: expect.any(String) });
			asked.push(updates.map(({ path }) => path.split('/').pop() ?? ''));
		}
		expect(map(asked, 'length')).toEqual([10, 10, 10, 10]);
		expect(asked.slice(0, 2).flat().sort()).toEqual(map(hidden, 'id').sort());
		expect(asked.slice(2).flat().sort()).toEqual(map(hidden, 'id').sort());

		simulator.clearRequests();
		page();
		await workflow.change();
		expect(simulator.methods()).toEqual(['GET']);
	});

	it('has each of them asked about some day, although n8n restarts every night', async () => {
		// The last in the order in which they are stored.
		const [last] = simulator.webhooks().slice(-1);
		simulator.forgetWebhook(last.id);
		for (let day = 0; day < 15; day++) {
			await workflow.stop();
			page();
			await workflow.start();
		}
		expect(simulator.watched()).toContain(last.company_number);
	});

	it('is reported once', async () => {
		for (let nth = 0; nth < 3; nth++) await checkPage();
		await workflow.later(25 * HOUR);
		const words = /^30 companies are watched; the service's list has further pages/;
		workflow.expectTold(words);
		expect(map(workflow.shown, 'summary')).toEqual([expect.stringMatching(words)]);
		await checkPage();
		expect(workflow.told).toHaveLength(1);
	});

	it('has paused, changed and removed webhooks beyond the first page found and repaired', async () => {
		const hidden = map(simulator.webhooks(), 'company_number').slice(SHOWN);
		simulator.drift(PAUSED, hidden.slice(0, 5));
		simulator.drift({ events: ['psc.added'] }, hidden.slice(5, 8));
		simulator.drift('remove', hidden.slice(8, 10));
		await checkPage();
		await checkPage();
		expect(simulator.watched()).toEqual(ALL);
		const told = workflow.told.join('\n');
		// Each was asked about at an unknown time.
		expect(told).toMatch(/^Events may be missing for \d+ companies until \S+ /);
		for (const [nth, company] of hidden.entries()) {
			const words = nth < 5 ? 'Had been paused' : nth < 8 ? 'Had other events' : 'Had been removed';
			const times = told.split(`- ${company}: ${words}`).length - 1;
			expect([company, times]).toEqual([company, nth < 10 ? 1 : 0]);
		}
	});
});

describe('a time in which events may be missing is told with all of its length', () => {
	const FIVE = companyNumbers(5);
	const change = async (companies: string[], more = {}) => {
		const events = ['filing.new', 'watch.report'];
		await workflow.change({ parameters: watching(companies, { events, ...more }) });
	};
	const summaries = () => map(workflow.shown, 'summary').join('\n');
	/** What was told before does not count. */
	const forget = () => workflow.executions.splice(0);

	beforeEach(async () => {
		await change(FIVE);
		await workflow.later();
		forget();
	});

	/** Someone pauses a webhook, and the service refuses its repair. */
	async function pauseWithoutRepair(company: string): Promise<void> {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
		await pauseBeforeChecks(company, 1);
		expect(workflow.told).toHaveLength(1);
	}

	it('also for a company that was dropped and added again beside one that someone paused', async () => {
		await change(FIVE.slice(1));
		passTime(HOUR);
		simulator.drift(PAUSED, [TWO]);
		forget();
		await change(FIVE);
		workflow.expectTold(`- ${TWO}: .* Events may be missing for 1 company between .* - ${ONE}\\b`);
	});

	it('also for a company that is added again after n8n was restarted while nothing was published', async () => {
		await workflow.unpublish();
		passTime(HOUR);
		await workflow.restart();
		workflow.setup.parameters = watching(FIVE.slice(1));
		await workflow.publish();
		forget();
		await change(FIVE);
		workflow.expectTold(/^Events may be missing for 1 company between .* - 10000001/);
	});

	it('also from a pause whose answer was lost, where the company is back later', async () => {
		simulator.fault({ ...PAUSES, times: Infinity, action: 'dropAfter' });
		await change(FIVE.slice(1));
		await workflow.later();
		await workflow.later();
		simulator.clearFaults();
		forget();
		await change(FIVE);
		await workflow.later();
		workflow.expectTold(/^Events may be missing for 1 company between/);
	});

	it('also where n8n was restarted before the repair', async () => {
		await pauseWithoutRepair(ONE);
		for (let nth = 0; nth < 4; nth++) await workflow.later();
		await workflow.stop();
		simulator.clearFaults();
		forget();
		await workflow.start();
		const [, from, to] = /(\d\d):\d\d and (\d\d):\d\d/.exec(summaries()) ?? [];
		expect((Number(to) - Number(from) + 24) % 24).toBeGreaterThanOrEqual(5);
	});

	it('also for a paused company that is dropped and added again', async () => {
		await pauseWithoutRepair(ONE);
		simulator.clearFaults();
		await change(FIVE.slice(1));
		await workflow.later();
		forget();
		await change(FIVE);
		expect(summaries()).toContain('Events may be missing for 1 company between');
	});

	it('but for no day in which a webhook on a further page was watched', async () => {
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

	it('not more often because of another company', async () => {
		await pauseBeforeChecks(ONE, 4);
		expect(workflow.told).toHaveLength(2);
		for (let nth = 0; nth < 6; nth++) {
			if (nth % 3 === 0) simulator.drift(PAUSED, [TWO]);
			await pauseBeforeChecks(ONE, 1);
		}
		expect(workflow.told.length).toBeLessThanOrEqual(4);
	});

	it('and the end of n8n gives no other reason for a company that was refused', async () => {
		simulator.refuse(['10000009'], 422, 'No such company');
		await change([...FIVE, '10000009'], { options: { unwatchable: 'skip' } });
		await pauseBeforeChecks(ONE, 4);
		forget();
		await workflow.stop();
		expect(summaries()).toContain('No such company');
		expect(workflow.told.join()).not.toContain('lost or unusable');
	});
});
