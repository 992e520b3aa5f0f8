// A published trigger looks by itself whether all is right at the service, puts right what is not, and tells of it.
import { setTimeout as sleep } from 'node:timers/promises';

import { pick } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import type { Fault, FaultAction, StoredWebhook } from '../../simulator';
import {
	active,
	counts,
	methods,
	refuse,
	RESUMES,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(3);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	setTimes({ longestPause: 60 });
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
});

/** What somebody else does to a webhook at the service. */
const change = (one: StoredWebhook, changes: Partial<StoredWebhook>) =>
	simulator.restoreWebhook({ ...one, ...changes });
const pause = (one = simulator.webhooks()[0]) => change(one, { is_active: false });
const remove = (one = simulator.webhooks()[0]) => simulator.forgetWebhook(one.id);
/** The next list shows this. */
const listOnce = (data: object[], beside = {}) =>
	simulator.fault({ method: 'GET', action: { status: 200, body: { data, ...beside } } });
const shown = (one: StoredWebhook) => pick(one, ['id', 'company_number', 'events', 'is_active']);

it('a check that finds nothing costs one request, leaves no execution, and stores at most once what a publish left', async () => {
	for (const hours of [1, 2, 3]) await workflow.tick(hours * HOUR);
	expect(methods(simulator)).toEqual(['GET', 'GET', 'GET']);
	expect(workflow.executions).toEqual([]);
	expect(workflow.stores).toBeLessThanOrEqual(1);
});

it.each([
	['tenMinutes', 10 * MINUTE],
	['hour', HOUR],
	['day', 24 * HOUR],
])('checks by the clock: %s', async (checkWebhooks, period) => {
	await workflow.change({ parameters: watching(COMPANIES, { options: { checkWebhooks } }) });
	simulator.clearRequests();
	await workflow.tick(period);
	expect(counts(simulator)).toEqual({ GET: 1 });
	await workflow.tick(period);
	expect(counts(simulator)).toEqual({ GET: 1 });
	await workflow.tick(2 * period);
	expect(counts(simulator)).toEqual({ GET: 2 });
	await workflow.unpublish();
	simulator.clearRequests();
	await workflow.tick(9 * period);
	expect(methods(simulator)).toEqual([]);
});

describe('what somebody else has changed is put right, and told once with the time of the last good check', () => {
	const DRIFTS: Array<[string, (one: StoredWebhook) => void]> = [
		['Paused', pause],
		['Given other events', (one) => change(one, { events: ['psc.added'] })],
		['Removed', remove],
		[
			'Made to deliver elsewhere',
			(one) => {
				const url = 'https://elsewhere.example.com/';
				change(one, { url });
				listOnce(simulator.webhooks().map((each) => ({ ...shown(each), url: each.url })));
			},
		],
	];

	it.each(DRIFTS)('%s', async (words, drift) => {
		const [one] = simulator.webhooks();
		await workflow.tick();
		drift(one);
		await workflow.tick(2 * HOUR);
		expect(watched(simulator)).toEqual(COMPANIES);
		for (const { url, events } of active(simulator)) {
			expect([url.split('?')[0], events]).toEqual([one.url.split('?')[0], ['filing.new']]);
		}
		expect(workflow.told).toEqual([
			expect.stringMatching(
				`^Events may be missing: 1 webhook .*'Get What Is New'.* after \\d{4}-.*${words}: ${one.company_number}`,
			),
		]);
		await workflow.tick(3 * HOUR);
		expect(workflow.told).toHaveLength(1);
	});

	it.each<[string, () => void, string, Fault]>([
		['puts the first tries off', pause, 'Paused', { method: 'PATCH', action: { status: 503 } }],
		['fails at the first tries', pause, 'Paused', { method: 'PATCH', action: { status: 500 } }],
		['loses the answers', pause, 'Paused', { method: 'PATCH', action: 'dropAfter' }],
		['puts a new one off', remove, 'Removed', { method: 'POST', action: { status: 503 } }],
	])('also where the service %s', async (_how, drift, words, fault) => {
		setTimes({ longestPause: 60, untilTold: 60_000 });
		drift();
		simulator.fault({ times: 3, ...fault });
		await workflow.tick();
		await workflow.tick(2 * HOUR);
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(workflow.told).toEqual([expect.stringMatching(`^Events may be missing: .*${words}`)]);
	});

	it('also where n8n is stopped before the check has ended', async () => {
		for (const one of simulator.webhooks().slice(1)) pause(one);
		simulator.fault({ method: 'PATCH', nth: 2, times: Infinity, action: 'hang' });
		void workflow.tick();
		await waitFor('one to be resumed', () => active(simulator).length === 2);
		// Its answer has come, too.
		await sleep(100);
		await workflow.stop();
		const one = expect.stringMatching(/^Events may be missing: 1 webhook .*Paused/) as string;
		expect(workflow.told).toEqual([one]);
		// The other one is told by the check that puts it right.
		simulator.clearFaults();
		await workflow.start();
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(workflow.told).toEqual([one, one]);
	});

	it.each<['kill' | 'stop', string, () => void, Fault]>([
		['kill', 'Paused', pause, { method: 'PATCH', action: { status: 503 } }],
		['stop', 'Paused', pause, { method: 'PATCH', action: { status: 503 } }],
		['stop', 'Removed', remove, { method: 'POST', action: { status: 503 } }],
	])(
		'also where n8n has ended before the service lets it through (%s, %s), and by one process alone',
		async (end, words, drift, fault) => {
			drift();
			simulator.fault({ times: Infinity, ...fault });
			await workflow.tick();
			const first = workflow.setup.nodeType;
			await workflow[end]();
			simulator.clearFaults();
			await workflow.start('leadershipChange');
			const told = [
				expect.stringMatching(/^2 of 3 companies are watched/),
				expect.stringMatching(`^Events may be missing: .*${words}`),
			];
			expect(workflow.told).toEqual(told);
			await workflow.stop();
			// The first one leads again.
			await workflow.restart();
			workflow.setup.nodeType = first;
			await workflow.publish(workflow.load(), 'leadershipChange');
			expect(watched(simulator)).toEqual(COMPANIES);
			expect(workflow.told).toEqual(told);
		},
	);

	it('also beside a company that the service refuses', async () => {
		refuse(simulator, ['10000009']);
		const options = { refusedCompanies: 'leaveOut' };
		workflow = watch(simulator, [], {
			parameters: watching(['10000008', '10000009'], { options }),
		});
		await workflow.publish();
		pause(simulator.webhooks().at(-1));
		await workflow.tick();
		expect(workflow.told.at(-1)).toMatch(/^Events may be missing.* after \d{4}-.*Paused/);
	});

	it('also where other events are published before a check has found it', async () => {
		remove();
		await workflow.change({ parameters: watching(COMPANIES, { events: ['psc.added'] }) });
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(workflow.told).toEqual([expect.stringMatching(/^Events may be missing: .*Removed/)]);
	});

	it('not before that, and it does not count as watched', async () => {
		pause();
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		await workflow.tick();
		expect(workflow.told).toEqual([
			expect.stringMatching(/^2 of 3 companies are watched.*HTTP 503/),
		]);
		simulator.clearFaults();
		await workflow.tick(2 * HOUR);
		expect(workflow.told.slice(1)).toEqual([expect.stringMatching(/^Events may be missing/)]);
	});

	it('not of a company that was taken out meanwhile', async () => {
		const [{ company_number: company }] = simulator.webhooks();
		pause();
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		await workflow.tick();
		simulator.clearFaults();
		const others = COMPANIES.filter((one) => one !== company);
		await workflow.change({ parameters: watching(others) });
		await workflow.change({ parameters: watching(COMPANIES) });
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(workflow.told).toEqual([expect.stringContaining('HTTP 503')]);
	});

	it('by the name that the list has', async () => {
		const rows = COMPANIES.map((company) => `${company}\tOf ${company}`);
		const companyNumbers = ['Company no.\tClient', ...rows].join('\n');
		await workflow.change({ parameters: watching([], { companyNumbers }) });
		pause();
		await workflow.tick();
		const [{ company_number: one }] = simulator.webhooks();
		expect(workflow.told).toEqual([expect.stringMatching(`Paused: ${one} Of ${one}\\.$`)]);
	});

	it('after a start, that is not known', async () => {
		pause();
		await workflow.start();
		expect(workflow.told).toEqual([expect.stringMatching(/at a time that is not known.*Paused/)]);
		expect(watched(simulator)).toEqual(COMPANIES);
	});

	it.each<[string, FaultAction, number]>([
		['410 by the service says that one is gone', { status: 410 }, 1],
		['404 of a proxy does not', { raw: '<h1>Not found</h1>', status: 404 }, 0],
	])('%s', async (_what, action, made) => {
		const [{ id }] = simulator.webhooks();
		simulator.forgetWebhook(id);
		simulator.fault({ method: 'PATCH', times: Infinity, action });
		await workflow.tick();
		expect(counts(simulator).POST ?? 0).toBe(made);
		expect(JSON.stringify(workflow.staticData)).toContain(id);
	});

	it('but for what is within a minute of our own write, which is the lag of the list: sent again, and not told', async () => {
		setTimes({ listLag: 60_000 });
		listOnce(simulator.webhooks().map((one) => ({ ...shown(one), is_active: false })));
		await workflow.tick();
		expect(simulator.requests.filter(RESUMES.when)).toHaveLength(3);
		expect(workflow.executions).toEqual([]);
	});
});

describe('a webhook that the list lacks', () => {
	const unlisted = serviceForEachTest({ listMaximum: 0 });

	beforeEach(async () => {
		workflow = watch(unlisted, companyNumbers(25));
		await workflow.publish();
		unlisted.clearRequests();
	});

	it('is asked about, at most twenty at once, and is not gone for that', async () => {
		await workflow.tick();
		expect(counts(unlisted)).toEqual({ GET: 1, PATCH: 20 });
		expect(unlisted.webhooks()).toHaveLength(25);
		expect(workflow.executions).toEqual([]);
	});

	it('is not asked about where the list shows that it has more', async () => {
		const action = { status: 200, body: { data: [], has_more: true } };
		unlisted.fault({ method: 'GET', action });
		await workflow.tick();
		expect(counts(unlisted)).toEqual({ GET: 1 });
	});

	it('and that the service does not know is replaced, three of them by a check while nothing proves whose the list is', async () => {
		for (const { id } of unlisted.webhooks()) unlisted.forgetWebhook(id);
		await workflow.tick();
		expect(counts(unlisted).POST).toBe(3);
		expect(workflow.told.join()).toMatch(/answering for another account.* 3 with each check/);
		await workflow.tick(2 * HOUR);
		expect(counts(unlisted).POST).toBe(6);
	});
});

it.each<[string, (one: StoredWebhook) => void, number]>([
	['changing', pause, 0],
	['removing', remove, 2],
])(
	'what somebody keeps %s is told as that the second time, and left alone the third time, until a person publishes',
	async (_what, act, made) => {
		const [{ company_number: company }] = simulator.webhooks();
		for (const hours of [1, 2, 3, 4]) {
			simulator
				.webhooks()
				.filter((one) => one.company_number === company)
				.forEach(act);
			await workflow.tick(hours * HOUR);
		}
		expect(watched(simulator)).not.toContain(company);
		expect(counts(simulator).POST ?? 0).toBe(made);
		expect(workflow.told).toEqual([
			expect.not.stringContaining('keeps changing'),
			expect.stringContaining(`Somebody keeps changing ${company}`),
			expect.stringMatching(`left alone for a day.*${company}`),
		]);
		await workflow.change();
		expect(watched(simulator)).toEqual(COMPANIES);
	},
);

it.each([
	['', '2 of 3 companies are watched'],
	[', also while the list cannot be read', 'Nothing was changed: the 2 companies .*sole trader'],
])(
	'a webhook that was removed, and whose replacement is refused, is told as that%s',
	async (_when, words) => {
		if (words.includes('sole')) await workflow.change({ parameters: watching(['sole trader']) });
		const before = workflow.told.length;
		const [{ id, company_number: company }] = simulator.webhooks();
		simulator.forgetWebhook(id);
		refuse(simulator, [company], 422, 'Webhook limit reached');
		for (const hours of [1, 2]) await workflow.tick(hours * HOUR);
		expect(workflow.told.slice(before)).toEqual([
			expect.stringMatching(`^${words}.*limit reached.*${company}`),
		]);
	},
);

describe('a new webhook that cannot be used', () => {
	const four = companyNumbers(4);
	const add = async (companies: string[]) =>
		await workflow.change({ parameters: watching(companies) });
	const answer = (data: object) => ({ status: 201, body: { data: { id: 'wh_new', ...data } } });
	const strange = answer({ company_number: '20000001', secret: 'secret' });

	it.each<[string, () => Promise<void>, FaultAction]>([
		['the answer is lost', async () => await add(four), 'dropAfter'],
		['the answer for a replacement is lost', async () => remove(), 'dropAfter'],
		['there is no secret', async () => await add(four), answer({})],
		[
			'there is no secret, and more are wanted',
			async () => await add(companyNumbers(9)),
			answer({}),
		],
		["it has another company's number", async () => await add(four), strange],
	])(
		'as %s is asked for once, not by each check, told once, and asked for anew by a person',
		async (_why, act, action) => {
			setTimes({ longestPause: 60, passingFault: 10_000 });
			simulator.fault({ method: 'POST', times: Infinity, action });
			await act();
			for (const hours of [1, 2, 3, 4, 5, 6]) await workflow.tick(hours * HOUR);
			expect(counts(simulator).POST).toBe(1);
			expect(workflow.told).toHaveLength(1);
			simulator.clearFaults();
			await workflow.change();
			const { companyNumbers: wanted } = workflow.setup.parameters ?? {};
			const statuses = workflow.statuses();
			for (const company of String(wanted).split(', ')) expect(statuses[company]).toBe('watched');
		},
	);
});

it('a company that was set up twice, because an answer was lost and the list lagged behind, is told once', async () => {
	setTimes({ longestPause: 60, passingFault: 10_000 });
	simulator.fault({ method: 'POST', action: 'dropAfter' });
	const data = simulator.webhooks().map(shown);
	simulator.fault({ method: 'GET', times: 2, action: { status: 200, body: { data } } });
	await workflow.change({ parameters: watching(companyNumbers(4)) });
	expect(simulator.webhooks()).toHaveLength(5);
	for (const hours of [1, 2]) await workflow.tick(hours * HOUR);
	expect(workflow.told).toEqual([
		expect.stringMatching(/an answer was lost.*: wh_\w+ \(10000004\)\./),
	]);
});

describe('a service that cannot be used', () => {
	const DOWN = { times: Infinity, action: { status: 503 } };

	it('is asked again after growing pauses, told once a day, and what is stored stays', async () => {
		const before = workflow.statuses();
		simulator.fault(DOWN);
		const asked: number[] = [];
		for (let minute = 0; minute < 16; minute++) {
			simulator.clearRequests();
			await workflow.tick(HOUR + minute * MINUTE + minute * 100);
			if (simulator.requests.length > 0) asked.push(minute);
		}
		// After 2, 4 and 8 minutes, and at the regular time.
		expect(asked.length).toBeGreaterThanOrEqual(3);
		expect(asked.length).toBeLessThanOrEqual(5);
		expect(workflow.told).toEqual([
			expect.stringMatching(/3 of 3 companies are watched.*HTTP 503/),
		]);
		await workflow.tick(26 * HOUR);
		expect(workflow.told).toHaveLength(2);
		expect(workflow.statuses()).toEqual(before);
	});

	it('is told only after a while', async () => {
		setTimes({ longestPause: 60, untilTold: 60_000 });
		simulator.fault(DOWN);
		await workflow.tick();
		simulator.clearFaults();
		await workflow.tick(2 * HOUR);
		expect(workflow.executions).toEqual([]);
	});

	it('because its key was revoked is used again once the credential holds another one', async () => {
		const { companyRegistryApi: credential } = workflow.setup.credentials ?? {};
		simulator.revokeApiKey(simulator.apiKey);
		await workflow.tick();
		await workflow.tick(2 * HOUR);
		expect(workflow.told).toEqual([expect.stringContaining('did not accept the API key')]);
		credential.apiKey = simulator.addApiKey();
		simulator.clearRequests();
		await workflow.tick(3 * HOUR);
		expect(methods(simulator)).toEqual(['GET']);
		expect(workflow.told).toHaveLength(1);
		await workflow.unpublish();
		expect(active(simulator)).toEqual([]);
	});
});

it('a clock that is woken after an unpublish, or of a trigger that failed to publish, does nothing', async () => {
	await workflow.unpublish();
	simulator.fault({ method: 'POST', action: { status: 402 } });
	const failing = watch(simulator, companyNumbers(9).slice(6));
	await expect(failing.publish()).rejects.toThrow('plan');
	simulator.clearFaults();
	simulator.clearRequests();
	await failing.tick(9 * HOUR);
	await workflow.tick(9 * HOUR);
	expect(methods(simulator)).toEqual([]);
	// n8n has not closed what the failed publish has left, and wakes that.
	await failing.publish();
	pause(active(simulator)[0]);
	await failing.tick(20 * HOUR);
	expect(active(simulator)).toHaveLength(3);
});
