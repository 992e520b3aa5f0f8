// A publish that fails at any company, by any fault, leaves nothing that the next cannot use.
import { startSimulator, type Fault, type FaultAction, type Simulator } from '../../simulator';
import {
	callHook,
	companyNumbers,
	register,
	watch,
	type SavedWorkflow,
} from '../../support/savedWorkflow';

// A service that refuses and names no time is asked again for a minute.
jest.setTimeout(150_000);

const COMPANIES = companyNumbers(50);

let simulators: Simulator[] = [];

afterEach(async () => {
	await Promise.all(simulators.map(async (simulator) => await simulator.close()));
	simulators = [];
});

interface Scene {
	simulator: Simulator;
	workflow: SavedWorkflow;
}

async function scene(companies = COMPANIES): Promise<Scene> {
	const simulator = await startSimulator();
	simulators.push(simulator);
	return { simulator, workflow: watch(simulator, companies) };
}

const active = ({ simulator }: Scene) => simulator.webhooks().filter(({ is_active }) => is_active);

const SECRETLESS = {
	status: 201,
	body: {
		data: { id: 'wh_1', company_number: COMPANIES[0], events: ['filing.new'], is_active: true },
	},
};

/** Name, what the service does, what the message says, whether a webhook may exist all the same. */
const FAULTS: Array<[string, FaultAction, RegExp, boolean]> = [
	['500', { status: 500 }, /could not process the request \(HTTP 500\)/, true],
	[
		'429 for an hour',
		{ status: 429, headers: { 'Retry-After': '3600' } },
		/too many requests/,
		false,
	],
	['429 without a time', { status: 429 }, /too many requests/, false],
	['an answer that never comes', 'hang', /did not answer in time/, true],
	['402', { status: 402 }, /plan does not cover this request/, false],
	['401', { status: 401 }, /did not accept the API key.*Check the API key/, false],
	['a dropped connection', 'drop', /closed before an answer arrived/, true],
	['a lost answer', 'dropAfter', /closed before an answer arrived/, true],
	['half an answer', 'truncate', /closed before an answer arrived/, true],
	['a web page', { raw: '<!doctype html><title>Hello</title>' }, /leads to a web page/, true],
	['no secret', SECRETLESS, /sent no signing secret for the new webhook wh_1/, false],
];
/** How n8n publishes, and at which company it fails: the first, one in the middle, the last. */
const ATTEMPTS: Array<[number, (workflow: SavedWorkflow) => Promise<unknown>]> = [
	[1, async (workflow) => await workflow.publish()],
	[25, async (workflow) => await workflow.publish()],
	[25, async (workflow) => await workflow.publishInVersion1()],
	[50, async (workflow) => await workflow.publish()],
];

const CREATES = { method: 'POST' };
const RESUMES = { method: 'PATCH', when: ({ body }: { body: unknown }) => isResume(body) };

function isResume(body: unknown): boolean {
	return (
		typeof body === 'object' && body !== null && 'is_active' in body && body.is_active === true
	);
}

/** Companies that the message tells the user to look after. */
function lostIn(message: string): string[] {
	return /new webhook for ([\d, ]+) that/.exec(message)?.[1].split(', ') ?? [];
}

async function failure(attempt: () => Promise<unknown>): Promise<string> {
	const error: unknown = await attempt().then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof Error)) throw new Error('The publish did not fail');
	return error.message;
}

/** Each company has one webhook, and one more only where the user was told of it. */
function expectNoLitter({ simulator }: Scene, lost: string[] = []): void {
	const counts: Record<string, number> = {};
	for (const { company_number: company } of simulator.webhooks())
		counts[company] = (counts[company] ?? 0) + 1;
	const several = Object.keys(counts).filter((company) => counts[company] > 1);
	expect(several.filter((company) => !lost.includes(company) || counts[company] > 2)).toEqual([]);
}

/** Fails from the nth such request on, then recovers. */
async function failThenRecover(
	here: Scene,
	attempt: (workflow: SavedWorkflow) => Promise<unknown>,
	requests: Pick<Fault, 'method' | 'when'>,
	nth: number,
	[, action, words, mayExist]: (typeof FAULTS)[number],
): Promise<void> {
	const { simulator, workflow } = here;
	simulator.fault({ ...requests, nth, times: Infinity, action });
	const message = await failure(async () => await attempt(workflow));
	const lost = lostIn(message);
	expect(message).toMatch(words);
	expect(message).toMatch(
		/^Company 100000\d\d could not be set up \(\d+ of 50 succeeded\)\. .*publish again/,
	);
	expect(message).toContain(`(${nth - 1} of 50 succeeded)`);
	expect(lost.length > 0).toBe(mayExist && requests === CREATES);
	expect(active(here).filter(({ company_number }) => !lost.includes(company_number))).toEqual([]);

	simulator.clearFaults();
	await attempt(workflow);
	expectNoLitter(here, lost);
	const known = JSON.stringify(workflow.staticData);
	const strangers = active(here).filter(
		({ id, secret }) => !known.includes(id) || !known.includes(secret),
	);
	expect(strangers.filter(({ company_number }) => !lost.includes(company_number))).toEqual([]);
	expect(active(here).length - strangers.length).toBe(50);
}

describe('a publish that fails at the first, the 25th or the last company', () => {
	it.each(FAULTS)(
		'creating, by %s: what exists is paused, and used when it is repeated',
		async (...fault) => {
			await Promise.all(
				ATTEMPTS.map(
					async ([nth, attempt]) =>
						await failThenRecover(await scene(), attempt, CREATES, nth, fault),
				),
			);
		},
	);

	it.each(FAULTS.slice(0, -1))(
		'resuming, by %s: nothing is created, and all is paused',
		async (...fault) => {
			await Promise.all(
				ATTEMPTS.map(async ([nth, attempt]) => {
					const here = await scene();
					await here.workflow.publish();
					await here.workflow.unpublish();
					await failThenRecover(here, attempt, RESUMES, nth, fault);
					expect(here.simulator.webhooks()).toHaveLength(50);
				}),
			);
		},
	);
});

it('retries on the same workflow object, as n8n 2.40 does at once', async () => {
	const here = await scene();
	const { simulator, workflow } = here;
	simulator.fault({ method: 'POST', nth: 30, times: 5, action: { status: 402 } });
	const loaded = workflow.load();
	await failure(async () => await workflow.publish(loaded));
	expect(simulator.webhooks().length).toBeGreaterThanOrEqual(29);
	await workflow.publish(loaded);
	expectNoLitter(here);
	expect(active(here)).toHaveLength(50);
});

it('asks a service that turns everything away no further than it has to', async () => {
	const here = await scene();
	const { simulator, workflow } = here;
	simulator.fault({
		nth: 21,
		times: Infinity,
		action: { status: 429, headers: { 'Retry-After': '3600' } },
	});
	await failure(async () => await register(workflow.load()));
	// 20 are served, 10 are on their way when the first is refused, and so many pauses are tried.
	expect(simulator.requests.length).toBeLessThanOrEqual(20 + 10 + 15);
});

it('a hanging service is given up after one time limit, and used again when it is back', async () => {
	const here = await scene();
	const { simulator, workflow } = here;
	const resumed = watch(simulator, companyNumbers(60).slice(50));
	await resumed.publish();
	await resumed.unpublish();
	simulator.fault({ ...CREATES, nth: 25, times: Infinity, action: 'hang' });
	simulator.fault({ ...RESUMES, nth: 5, times: Infinity, action: 'hang' });
	const started = Date.now();
	const [created, patched] = await Promise.all([
		failure(async () => await workflow.publish()),
		failure(async () => await resumed.publish()),
	]);
	expect(Date.now() - started).toBeLessThan(20_000);
	expect(created).toMatch(/\(24 of 50 succeeded\)\. The registry service did not answer in time\./);
	expect(lostIn(created).length).toBeGreaterThan(0);
	expect(patched).toMatch(/\(4 of 10 succeeded\)\. The registry service did not answer in time\./);
	expect(active(here)).toEqual([]);

	simulator.clearFaults();
	await Promise.all([workflow.publish(), resumed.publish()]);
	expectNoLitter(here);
	expect(active(here)).toHaveLength(60);
});

it('a webhook that the service has forgotten keeps its secret until it is replaced', async () => {
	const here = await scene();
	const { simulator, workflow } = here;
	await workflow.publish();
	await workflow.unpublish();
	const [forgotten, ...others] = simulator.webhooks();
	simulator.forgetWebhook(forgotten.id);
	simulator.fault({ method: 'POST', action: { status: 402 } });
	await failure(async () => await workflow.publish());
	expect(JSON.stringify(workflow.staticData)).toContain(forgotten.secret);

	await workflow.publish();
	expect(JSON.stringify(workflow.staticData)).not.toContain(forgotten.secret);
	expect(
		simulator
			.webhooks()
			.slice(0, 49)
			.map(({ id }) => id),
	).toEqual(others.map(({ id }) => id));
	expectNoLitter(here);
});

it('a test run that fails is cleaned up like a publish', async () => {
	const here = await scene();
	const { simulator, workflow } = here;
	simulator.fault({ method: 'POST', nth: 25, times: Infinity, action: { status: 402 } });
	await failure(async () => await workflow.listen());
	expect(active(here)).toEqual([]);
	simulator.clearFaults();
	const { stop } = await workflow.listen();
	expect(active(here)).toHaveLength(50);
	expectNoLitter(here);
	await stop();
	expect(active(here)).toEqual([]);
	expect(await callHook('checkExists', workflow.load())).toBe(false);
});
