// What a failed publish has done is taken back, unless another publish follows.
import { readState } from '../../../nodes/CompanyRegistry/trigger/memory/state';
import { startSimulator, type Simulator } from '../../simulator';
import {
	callHook,
	companyNumbers,
	register,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';

const [ONE, TWO, THREE] = companyNumbers(3);
const SECRETLESS = { id: 'wh_1', company_number: ONE, events: ['filing.new'], is_active: true };
const RESUMES = { method: 'PATCH', when: ({ body }: { body: unknown }) => isActive(body) };
const PAUSES = { method: 'PATCH', when: ({ body }: { body: unknown }) => !isActive(body) };

function isActive(body: unknown): boolean {
	return (
		typeof body === 'object' && body !== null && 'is_active' in body && body.is_active === true
	);
}

function isOf(body: unknown, company: string): boolean {
	return (
		typeof body === 'object' &&
		body !== null &&
		'company_number' in body &&
		body.company_number === company
	);
}

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, [ONE, TWO, THREE]);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const active = () => simulator.webhooks().filter(({ is_active }) => is_active);
const methods = () => simulator.requests.map(({ method }) => method);

/** What one failed attempt said, before n8n cleans up after it, and the state that it left. */
async function failed(saved = workflow) {
	const loaded = saved.load();
	const message = await register(loaded).then(
		() => 'It did not fail',
		(reason: Error) => reason.message,
	);
	saved.save(loaded);
	const identity = {
		workflow: loaded.workflow.id,
		node: loaded.node.id,
		kind: 'production' as const,
	};
	return {
		loaded,
		message,
		state: readState(loaded.workflow.staticData.global as never, identity),
	};
}

describe('a creation that fails', () => {
	it('says how far the publish came, and pauses what was created unless another follows', async () => {
		const isOther = ({ body }: { body: unknown }) => !isOf(body, ONE);
		simulator.fault({ method: 'POST', when: isOther, times: 2, action: { status: 402 } });
		const { loaded, message, state } = await failed();
		expect(message).toMatch(/^Company 1000000[23] could not be set up \(1 of 3 succeeded\)\. /);
		expect(message).not.toMatch(/No answer came/);
		expect(state).toMatchObject({
			published: false,
			webhooks: [{ company: ONE, status: 'watched' }],
		});
		expect(active()).toHaveLength(1);
		await settled(loaded);
		expect(methods()).toEqual(['POST', 'POST', 'POST', 'PATCH']);
		expect(active()).toEqual([]);
	});

	it('pauses what was published before as well: n8n has taken that down', async () => {
		workflow.setup.parameters = watching([ONE]);
		await workflow.publish();
		workflow.setup.parameters = watching([ONE, TWO, THREE]);
		simulator.fault({ method: 'POST', nth: 2, action: { status: 402 } });
		const { loaded, message } = await failed();
		expect(message).toContain('(2 of 3 succeeded)');
		expect(active()).toHaveLength(2);
		await settled(loaded);
		expect(active()).toEqual([]);
	});

	it('says which webhooks may exist where the answer was lost', async () => {
		const isSecond = ({ body }: { body: unknown }) => isOf(body, TWO);
		const logged = warnings(workflow);
		simulator.fault({ method: 'POST', when: isSecond, times: 1, action: 'dropAfter' });
		const { loaded, message } = await failed();
		await settled(loaded);
		const lost = `the service may hold a new webhook for ${TWO} that this trigger cannot verify`;
		expect(message).toContain(lost);
		// n8n 2.40 tries again by itself, and then shows nothing of this attempt.
		expect(logged()).toEqual([expect.stringContaining(lost)]);
		expect(active().map(({ company_number }) => company_number)).toEqual([TWO]);
	});

	it.each([409, 404])(
		'pauses what an attempt whose answer was lost may have resumed, though the next was refused with %s',
		async (status) => {
			workflow.setup.parameters = watching([ONE]);
			await workflow.publish();
			await workflow.unpublish();
			simulator.fault({ ...RESUMES, times: 1, action: 'dropAfter' });
			simulator.fault({ ...RESUMES, times: 1, action: { status } });
			const { loaded, message, state } = await failed();
			expect(message).toContain('(0 of 1 succeeded)');
			expect(state?.webhooks).toMatchObject([{ company: ONE, status: 'unknown' }]);
			expect(active()).toHaveLength(1);
			await settled(loaded);
			expect(active()).toEqual([]);
		},
	);

	it('logs what it could not pause, and leaves it to the next unpublish', async () => {
		const logged = warnings(workflow);
		simulator.fault({ method: 'POST', nth: 3, action: { status: 402 } });
		simulator.fault({ ...PAUSES, nth: 2, action: { status: 403 } });
		const { loaded } = await failed();
		await settled(loaded);
		const [{ id, company_number }] = active();
		expect(logged()).toEqual([
			expect.stringContaining(`webhook ${id} of company ${company_number} could not be paused: `),
		]);
		await callHook('delete', loaded);
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});

	it.each([
		[
			'no secret, paused',
			{},
			{ status: 200, body: { data: { ...SECRETLESS, is_active: false } } },
			[],
		],
		[
			'an empty secret, paused',
			{ secret: '' },
			{ status: 200, body: { data: { ...SECRETLESS, is_active: false } } },
			[],
		],
		[
			'no secret, not to be paused either',
			{},
			{ status: 403 },
			[
				`webhook wh_1 of company ${ONE} has no secret here and could not be paused; pause it at the service: `,
			],
		],
	])('by an answer with %s, is explained', async (_how, secret, pause, lines) => {
		const watching = watch(simulator, [ONE]);
		const logged = warnings(watching);
		simulator.fault({
			method: 'POST',
			action: { status: 201, body: { data: { ...SECRETLESS, ...secret } } },
		});
		simulator.fault({ ...PAUSES, path: /wh_1$/, action: pause });
		const { message, state } = await failed(watching);
		expect(logged()).toEqual(lines.map((line) => expect.stringContaining(line)));
		expect(message).toMatch(
			/^Company 10000001 could not be set up \(0 of 1 succeeded\)\. .*sent no signing secret for the new webhook wh_1,/,
		);
		expect(
			simulator.requests.map(({ method, path, body: sent }) => [method, path, isActive(sent)]),
		).toEqual([
			['POST', '/v1/webhooks', false],
			['PATCH', '/v1/webhooks/wh_1', false],
		]);
		expect(simulator.requests[1].body).toEqual({ is_active: false });
		expect(state).toBeUndefined();
	});
});

describe('a resumption that fails', () => {
	beforeEach(async () => {
		await workflow.publish();
		await workflow.unpublish();
		simulator.clearRequests();
	});

	it('pauses what was resumed, and itself, and creates nothing', async () => {
		simulator.fault({ ...RESUMES, nth: 2, times: 2, action: { status: 402 } });
		const { loaded, message } = await failed();
		expect(message).toContain('(1 of 3 succeeded)');
		await settled(loaded);
		expect(active()).toEqual([]);
		// The list, the resumptions, and a pause of each: nobody knows what a refused one has done.
		expect(methods()).toEqual(['GET', ...Array.from({ length: 6 }, () => 'PATCH')]);
	});

	it.each([404, 400])(
		'by %i is no proof that the webhook is gone while it is listed',
		async (status) => {
			const [first] = simulator.webhooks();
			simulator.fault({ ...RESUMES, path: new RegExp(first.id), action: { status } });
			const { message, state } = await failed();
			expect(message).toMatch(
				new RegExp(`^Company ${first.company_number} could not be set up \\(2 of 3 succeeded\\)`),
			);
			expect(methods()).not.toContain('POST');
			expect(state?.webhooks.map(({ secret }) => secret)).toContain(first.secret);
		},
	);

	it('by a refusal of another kind keeps the webhook, although it is not listed', async () => {
		const [first] = simulator.webhooks();
		simulator.forgetWebhook(first.id);
		simulator.fault({ ...RESUMES, path: new RegExp(first.id), action: { status: 402 } });
		const { message, state } = await failed();
		expect(message).toContain('plan does not cover');
		expect(methods()).not.toContain('POST');
		expect(state?.webhooks.map(({ secret }) => secret)).toContain(first.secret);
	});

	it('after its answer was lost leaves the webhook to the next unpublish', async () => {
		simulator.fault({ ...RESUMES, nth: 3, times: Infinity, action: 'dropAfter' });
		simulator.fault({ ...PAUSES, times: Infinity, action: { status: 403 } });
		const { loaded, state } = await failed();
		expect(state?.webhooks.map(({ status }) => status).sort()).toEqual([
			'unknown',
			'watched',
			'watched',
		]);
		await settled(loaded);
		await callHook('delete', loaded);
		simulator.clearFaults();
		await workflow.unpublish();
		expect(active()).toEqual([]);
	});
});

describe('a publish that is overtaken', () => {
	/** Ten of its requests are on their way when n8n publishes again, so it stops before the others. */
	async function overtaken(): Promise<PromiseSettledResult<unknown>[]> {
		simulator.latencyMs = 500;
		workflow.setup.parameters = watching(companyNumbers(12));
		const first = workflow.publish();
		while (simulator.requests.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
		return await Promise.allSettled([first, workflow.publish()]);
	}

	it('logs which webhooks may exist where the answer was lost', async () => {
		const logged = warnings(workflow);
		simulator.fault({ method: 'POST', action: 'dropAfter' });
		await overtaken();
		expect(logged()).toEqual([
			expect.stringMatching(
				/^Company Registry Trigger: No answer came, so the service may hold a new webhook for 100000\d\d that/,
			),
		]);
	});

	it('logs nothing otherwise', async () => {
		const logged = warnings(workflow);
		expect(await overtaken()).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
		expect(logged()).toEqual([]);
		expect(active()).toHaveLength(12);
	});

	it('fails as the later one does', async () => {
		simulator.fault({ method: 'POST', nth: 12, action: { status: 402 } });
		for (const result of await overtaken()) {
			expect(result).toMatchObject({
				status: 'rejected',
				reason: { message: /^Company 100000\d\d .*plan does not cover/ },
			});
		}
		expect(active()).toEqual([]);
	});
});

it('a publish that fails before any request leaves no state', async () => {
	const parameters = watching([ONE]);
	const nowhere = watch(simulator, [], {
		parameters,
		credentials: { companyRegistryApi: { baseUrl: '', apiKey: 'k' } },
	});
	await expect(nowhere.publish()).rejects.toThrow('not a web address');
	expect(nowhere.staticData.global ?? {}).toEqual({});
});
