// A published trigger looks by itself whether all is right at the service, puts right what is not, and tells of it.
import { pick } from 'lodash';

import type { FaultAction, StoredWebhook } from '../../simulator';
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
		['Removed', ({ id }) => simulator.forgetWebhook(id)],
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

	it('and that the service does not know is replaced, three of them while nothing proves whose the list is', async () => {
		for (const { id } of unlisted.webhooks()) unlisted.forgetWebhook(id);
		await workflow.tick();
		expect(counts(unlisted).POST).toBe(3);
		expect(workflow.told.join()).toMatch(/answering for another account/);
	});
});

it.each<[string, (one: StoredWebhook) => void, number]>([
	['changing', pause, 0],
	['removing', ({ id }) => simulator.forgetWebhook(id), 2],
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

it('a webhook that was removed, and whose replacement is refused, is not told as put right', async () => {
	const [{ id, company_number: company }] = simulator.webhooks();
	simulator.forgetWebhook(id);
	refuse(simulator, [company], 422, 'Webhook limit reached');
	await workflow.tick();
	expect(workflow.told).toEqual([
		expect.stringMatching(`^2 of 3 companies are watched.*limit reached.*${company}`),
	]);
});

describe('a new webhook that cannot be used', () => {
	const four = companyNumbers(4);
	const add = async (companies: string[]) =>
		await workflow.change({ parameters: watching(companies) });
	const remove = async () => simulator.forgetWebhook(simulator.webhooks()[0].id);
	const answer = (data: object) => ({ status: 201, body: { data: { id: 'wh_new', ...data } } });
	const strange = answer({ company_number: '20000001', secret: 'secret' });

	it.each<[string, () => Promise<void>, FaultAction]>([
		['the answer is lost', async () => await add(four), 'dropAfter'],
		['the answer for a replacement is lost', remove, 'dropAfter'],
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
