// A published trigger is changed without a gap, at the cost of the difference. Of runs that overlap, the last one counts.
import { setTimeout as sleep } from 'node:timers/promises';

import {
	active,
	counts,
	failureOf,
	PAUSES,
	received,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/loadedTriggers';
import { setTimes, TIMES } from '../../support/times';

const COMPANIES = companyNumbers(25);
const BOTH = ['filing.new', 'psc.added'];

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
});

const pauses = () => simulator.requests.filter(PAUSES.when);

describe('a change of a published trigger', () => {
	it('costs the difference and a list', async () => {
		await workflow.change({ parameters: watching(companyNumbers(26)) });
		expect(counts(simulator)).toEqual({ GET: 1, POST: 1 });
		expect(watched(simulator)).toEqual(companyNumbers(26));
	});

	it('with hundreds of companies: none that stays is inactive at any moment, and in the end all are paused, whatever time that takes', async () => {
		const companies = companyNumbers(225).slice(25);
		const large = watch(simulator, companies);
		await large.publish();
		simulator.clearRequests();
		await large.change({ parameters: watching([...companies, 'SC123456']) });
		expect(watched(simulator)).toContain('SC123456');
		await large.change({ parameters: watching(companies) });
		await large.change({ parameters: watching(companies, { events: BOTH }) });
		await large.change();
		expect(active(simulator).filter(({ events }) => events.length === 2)).toHaveLength(200);
		// The company that was added and taken out again is the only one that was ever paused.
		expect(pauses()).toHaveLength(1);
		expect(counts(simulator)).toEqual({ GET: 4, POST: 1, PATCH: 200 + 1 });

		simulator.clearRequests();
		await large.unpublish();
		expect(counts(simulator)).toEqual({ GET: 1, PATCH: 200 });
		expect(watched(simulator)).toEqual(COMPANIES);
	}, 90_000);
});

it('a change that concerns nothing at the service succeeds while that is down, and says that it was not checked', async () => {
	simulator.fault({ times: Infinity, action: { status: 503 } });
	await workflow.change({ node: { name: 'Portfolio' } });
	expect(workflow.told).toEqual([
		expect.stringMatching(/^25 of 25 companies are watched\. .*HTTP 503/),
	]);
	simulator.clearFaults();
	simulator.clearRequests();
	await workflow.tick();
	expect(counts(simulator)).toEqual({ GET: 1 });
});

it("n8n's own attempts after a failure of the first publish do not pause and resume again and again", async () => {
	await workflow.unpublish();
	setTimes({ beforePausing: 1500 });
	simulator.clearRequests();
	simulator.fault({ method: 'POST', times: 3, action: { status: 402 } });
	const companies = [...companyNumbers(30).slice(25)];
	const loaded = watch(simulator, companies).load();
	for (let attempt = 0; attempt < 3; attempt++) {
		expect(await failureOf(callHook('create', loaded))).toContain('plan does not cover');
		await callHook('delete', loaded);
		await sleep(TIMES.beforePausing * 0.4);
	}
	await callHook('create', loaded);
	await settled(loaded);
	expect(pauses()).toEqual([]);
	expect(counts(simulator)).toEqual({ GET: 4, POST: 3 + 5 });
	// n8n's own clean-up plans nothing of its own.
	expect(loaded.credentials.reads).toBe(4);
	expect(watched(simulator)).toEqual(companies);
});

it('a publish takes over from an unpublish that the service has told to wait, and pauses nothing more', async () => {
	const action = { status: 429, headers: { 'Retry-After': '2' } };
	simulator.fault({ method: 'PATCH', action });
	await workflow.takeDown();
	// As many as are sent at once: the others are held back.
	await received(simulator, 10, 'PATCH');
	await sleep(100);
	await workflow.publish();
	expect(simulator.requests.filter(PAUSES.when)).toHaveLength(10);
	expect(watched(simulator)).toEqual(COMPANIES);
});

describe('runs that overlap', () => {
	const MANY = companyNumbers(30);
	const service = serviceForEachTest();

	beforeEach(() => {
		workflow = watch(service, MANY);
	});

	/** Starts a publish on a slow service and returns when it is half-way. */
	async function publishHalfWay(): Promise<{ publish: Promise<unknown> }> {
		service.latencyMs = 60;
		service.clearRequests();
		const publish = workflow.publish();
		// Should it fail, the test says so when it awaits it.
		publish.catch(() => undefined);
		await received(service, 15);
		return { publish };
	}

	it('a publish while another one runs goes on where that one was: no company twice, no request twice', async () => {
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.publish(), workflow.publish()]);
		expect(watched(service)).toEqual(MANY);
		expect(counts(service)).toEqual({ POST: 30, GET: 2 });
	});

	it.each([
		['creates', false],
		['resumes, as n8n has stored it before', true],
	])(
		'an unpublish pauses all that a publish meanwhile %s, and n8n is not told of a failure',
		async (_what, resumes) => {
			if (resumes) {
				await workflow.publish();
				await workflow.change({ parameters: watching(companyNumbers(5)) });
				await workflow.start();
				workflow.setup.parameters = watching(MANY);
			}
			const { publish } = await publishHalfWay();
			await Promise.all([publish, workflow.unpublish()]);
			expect(active(service)).toEqual([]);

			service.latencyMs = 0;
			await workflow.publish();
			expect(watched(service)).toEqual(MANY);
			expect(service.webhooks()).toHaveLength(30);
		},
	);
});
