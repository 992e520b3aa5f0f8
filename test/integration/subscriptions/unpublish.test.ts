// Unpublishing pauses every webhook, and names those that it could not pause.
import type { FaultAction } from '../../simulator';
import {
	active,
	counts,
	failureOf,
	ids,
	methods,
	RESUMES,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { captureLog, warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/loadedTriggers';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(25);
const PAUSE = { is_active: false };
const SHOWN_ACTIVE = { status: 200, body: { data: { is_active: true } } };

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;
let logged: () => string[];

beforeEach(async () => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
	logged = warnings(workflow);
});
describe('unpublishing', () => {
	it('stores at once that it is unpublished, and later lists, and pauses by one request for each webhook', async () => {
		const before = workflow.state();
		const loaded = workflow.load();
		await workflow.takeDown(loaded);
		expect(simulator.requests).toEqual([]);
		const { revision = 0 } = workflow.state() ?? {};
		expect(workflow.state()).toEqual({ ...before, status: 'unpublished', revision });
		expect(revision).toBeGreaterThan(before?.revision ?? Infinity);

		await settled(loaded);
		const [list, ...pauses] = simulator.requests;
		expect(list.method).toBe('GET');
		expect(pauses.map(({ body }) => body)).toEqual(COMPANIES.map(() => PAUSE));
		expect(active(simulator)).toEqual([]);
		expect(loaded.credentials.reads).toBe(1);
		expect(logged()).toEqual([]);
	});

	it('asks for nothing the second time, and remembers what it has paused', async () => {
		await workflow.unpublish();
		simulator.clearRequests();
		await workflow.unpublish();
		expect(Object.values(workflow.statuses())).toEqual(COMPANIES.map(() => 'paused'));
		workflow.staticData = {};
		await workflow.unpublish();
		const { apiKey } = simulator.addAccount();
		workflow.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
		await workflow.unpublish();
		expect([simulator.requests, logged()]).toEqual([[], []]);
	});

	it('of what was never published does, logs and stores nothing', async () => {
		const never = watch(simulator, COMPANIES);
		const loaded = never.load();
		await never.unpublish(loaded);
		expect([simulator.requests, logged(), never.staticData]).toEqual([[], [], {}]);
		expect(loaded.credentials.reads).toBe(0);
	});

	it('works after a restart, and whatever the parameters have become', async () => {
		await workflow.restart();
		const options = { addressChanged: '={{ nothing( }}' };
		workflow.setup.parameters = watching(['not a number'], { events: [], options });
		await workflow.unpublish();
		expect(active(simulator)).toEqual([]);
		expect(logged()).toEqual([]);
	});

	it('pauses webhooks that are in the static data alone, and those in memory alone', async () => {
		const stale = structuredClone(workflow.staticData);
		await workflow.change({ parameters: watching(companyNumbers(27)) });
		workflow.staticData = stale;
		await workflow.unpublish();
		expect(active(simulator)).toEqual([]);
	});
});

describe('a pause that fails', () => {
	it.each<[string, FaultAction, number]>([
		['403', { status: 403 }, 3],
		['409, at more of them than are sent at once', { status: 409 }, 12],
		['429 for an hour', { status: 429, headers: { 'Retry-After': '3600' } }, 3],
		['404 of a proxy', { raw: '<h1>Not found</h1>', status: 404 }, 3],
		['an answer that shows it active', SHOWN_ACTIVE, 3],
		['a dropped connection', 'drop', 3],
	])(
		'by %s, leaves those active, says so and pauses the others, and the next unpublish repairs it',
		async (_case, action, count) => {
			const failing = simulator.webhooks().slice(0, count);
			for (const { id } of failing) {
				simulator.fault({ method: 'PATCH', path: new RegExp(id), times: Infinity, action });
			}
			await workflow.unpublish();
			expect(active(simulator)).toEqual(failing);
			expect(logged()).toEqual([
				expect.stringContaining('could not be paused and may stay active: '),
			]);
			expect(logged()[0].match(/wh_/g)).toHaveLength(count);
			for (const { id, company_number } of failing) {
				expect(logged()[0]).toContain(`${id} (${company_number})`);
			}

			simulator.clearFaults();
			simulator.clearRequests();
			await workflow.unpublish();
			expect(active(simulator)).toEqual([]);
			expect(counts(simulator)).toEqual({ GET: 1, PATCH: count });
		},
	);

	it.each<[string, number, FaultAction]>([
		['all are refused for a while', 25, { status: 403 }],
		['the service is down', 25, { status: 503 }],
		['it asks to wait', 10, { status: 429, headers: { 'Retry-After': '1' } }],
		['answers are lost', 15, 'dropAfter'],
	])('is tried again where %s, until all are paused', async (_what, times, action) => {
		setTimes({ patience: 10_000 });
		simulator.fault({ method: 'PATCH', times, action });
		await workflow.unpublish();
		expect(active(simulator)).toEqual([]);
		expect(logged()).toEqual([]);
	});

	it('names every webhook that is left, and asks a service that refuses all for few at a time', async () => {
		simulator.fault({ method: 'PATCH', nth: 11, times: Infinity, action: { status: 403 } });
		await workflow.unpublish();
		const left = active(simulator);
		expect(left).toHaveLength(15);
		expect(logged()).toHaveLength(1);
		for (const { id, company_number } of left) {
			expect(logged()[0]).toContain(`${id} (${company_number})`);
		}
		// At first, and four times in the time that tests give it.
		expect(simulator.requests.length).toBeLessThan(10 + 5 * 20);
	});

	it('is not tried again with a key that is refused, and what is logged names no key', async () => {
		const lines = captureLog(workflow.load());
		simulator.fault({ times: Infinity, action: { status: 401 } });
		await workflow.unpublish();
		// n8n sends each request again that is answered so.
		expect(simulator.requests.length).toBeLessThanOrEqual(20);
		expect(lines.join('\n')).toContain('did not accept the API key');
		expect(lines.join('\n')).not.toContain(simulator.apiKey);
		for (const { secret } of simulator.webhooks()) expect(lines.join('\n')).not.toContain(secret);
		expect(ids(simulator)).toHaveLength(25);
	});

	it('and whose answer is lost is not counted as watched by a publish while the service is down', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: 'dropAfter' });
		await workflow.unpublish();
		expect(logged()[0]).toMatch(/could not be paused and may stay active: /);
		simulator.clearFaults();
		simulator.fault({ times: Infinity, action: 'drop' });
		const message = await failureOf(workflow.publish());
		const [, said] = / (\d+) of 25 companies are watched/.exec(logged().at(-1) ?? '') ?? [];
		if (!message.startsWith('Nothing is watched: ')) expect(Number(said)).toBeLessThanOrEqual(15);
		simulator.clearFaults();
		simulator.clearRequests();
		await workflow.publish();
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(ids(simulator)).toHaveLength(25);
		// Whatever the list says: it may lag behind.
		expect(simulator.requests.filter(RESUMES.when).length).toBeGreaterThanOrEqual(10);
	});
});

describe('an unpublish that cannot reach the account', () => {
	const other = serviceForEachTest();
	const withKey = (apiKey: string, baseUrl = simulator.url) => {
		workflow.setup.credentials = { companyRegistryApi: { baseUrl, apiKey } };
	};
	const all = () =>
		simulator
			.webhooks()
			.map(({ id, company_number }) => `${id} (${company_number})`)
			.join(', ');
	it('pauses them with the client that worked last, whatever the credential has become', async () => {
		withKey(other.apiKey, other.url);
		await workflow.unpublish();
		expect([active(simulator), methods(other), logged()]).toEqual([[], [], []]);
	});

	it('pauses them with the new key of the account where the one before was revoked', async () => {
		const before = simulator.apiKey;
		withKey(simulator.addApiKey());
		simulator.revokeApiKey(before);
		await workflow.unpublish();
		expect([active(simulator), logged()]).toEqual([[], []]);
	});

	it('says why, where the service cannot be asked whose webhooks they are', async () => {
		withKey(simulator.addAccount().apiKey);
		await workflow.restart();
		simulator.fault({ method: 'GET', times: Infinity, action: { status: 402 } });
		await workflow.unpublish();
		expect(logged()).toEqual([expect.stringContaining('plan does not cover')]);
	});

	it.each([
		['they are paused with the client that worked last', false],
		['after a restart they stay, and the next publish uses them', true],
	])('for want of a usable credential is logged: %s', async (_what, restarts) => {
		const before = simulator.webhooks();
		const usable = workflow.setup.credentials;
		workflow.setup.credentials = {};
		if (restarts) await workflow.restart();
		await workflow.unpublish();
		const line = expect.stringMatching(/may stay active: The node's credential cannot be used/);
		expect(logged()).toEqual([expect.stringMatching(/credential/), ...(restarts ? [line] : [])]);
		if (restarts) expect(logged()[1]).toContain(all());
		expect(active(simulator)).toEqual(restarts ? before : []);

		workflow.setup.credentials = usable;
		await workflow.publish();
		expect(simulator.webhooks()).toEqual(before);
	});
});
