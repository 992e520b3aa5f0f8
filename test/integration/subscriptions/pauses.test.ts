// Pausing many webhooks: how many at once, and when it is given up.
import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry, type Registry } from '../../../nodes/CompanyRegistry/registry/registry';
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import type { RememberedWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/triggerMemory';
import { pauseWebhooks } from '../../../nodes/CompanyRegistry/trigger/subscriptions/pausing/pauseWebhooks';
import { updateWebhook } from '../../../nodes/CompanyRegistry/registry/webhooks';
import { isUnknown } from '../../../nodes/CompanyRegistry/trigger/subscriptions/answers';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import { hookContext } from '../../support/contexts';
import { companyNumbers, watch } from '../../support/savedWorkflow';
import { warnings } from '../../support/warnings';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const idOf = (index: number) => `wh_${index + 1}`;
const active = () => simulator.webhooks().filter(({ is_active }) => is_active);

/** The account has so many active webhooks, and this run knows them. */
async function account(count: number) {
	const workflow = watch(simulator, []);
	const known = companyNumbers(count).map((company, index): RememberedWebhook => {
		const id = idOf(index);
		simulator.restoreWebhook({
			id,
			company_number: company,
			url: 'https://n8n.example.com',
			events: ['filing.new'],
			is_active: true,
			secret: `secret of ${id}`,
		});
		return {
			reference: id,
			company,
			id,
			secret: `secret of ${id}`,
			status: 'watched',
			account: 'account',
			events: ['filing.new'],
		};
	});
	const context = hookContext(workflow.load());
	return { known, context, registry: await openRegistry(context), logged: warnings(workflow) };
}

/** What pausing notes of webhooks, by id. */
async function noted(
	context: IHookFunctions,
	registry: Registry,
	known: RememberedWebhook[],
	goal = { isSuperseded: false },
): Promise<Map<string, RememberedWebhook>> {
	const notes = new Map<string, RememberedWebhook>();
	await pauseWebhooks(context, registry, known, goal, (webhook) => {
		notes.set(webhook.id, webhook);
	});
	return notes;
}

/** Those that are paused. */
async function paused(
	context: IHookFunctions,
	registry: Registry,
	known: RememberedWebhook[],
	goal: { isSuperseded: boolean },
): Promise<Set<RememberedWebhook>> {
	const notes = await noted(context, registry, known, goal);
	return new Set(known.filter(({ id }) => notes.get(id)?.status === 'paused'));
}

/** From now on so answers the service each pause of these webhooks, the first being 0. */
function fail(action: FaultAction, ...indexes: number[]): void {
	for (const index of indexes) {
		simulator.fault({ path: new RegExp(`${idOf(index)}$`), times: Infinity, action });
	}
}

const range = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index);
const sentence = (index: number, outcome = 'could not be paused: ') =>
	`Company Registry Trigger: webhook ${idOf(index)} of company ${companyNumbers(index + 1)[index]} ${outcome}`;
const UNCERTAIN = 'could not be paused for certain and may stay active: ';

describe('pausing', () => {
	it('returns what is paused, each by one request, and logs nothing', async () => {
		const { known, context, registry, logged } = await account(3);
		expect(await paused(context, registry, known, { isSuperseded: false })).toEqual(new Set(known));
		const sent = simulator.requests.map(({ method, path, body }) => ({ method, path, body }));
		const wanted = range(0, 3).map((index) => `/v1/webhooks/${idOf(index)}`);
		expect(sent).toHaveLength(3);
		expect(sent).toEqual(
			expect.arrayContaining(
				wanted.map((path) => ({ method: 'PATCH', path, body: { is_active: false } })),
			),
		);
		expect(logged()).toEqual([]);
	});

	it('asks for nothing once it is isSuperseded', async () => {
		const { known, context, registry, logged } = await account(3);
		expect(await paused(context, registry, known, { isSuperseded: true })).toEqual(new Set());
		expect(simulator.requests).toEqual([]);
		expect(logged()).toEqual([]);
	});

	it.each([404, 410])('takes what the service answers %i for as paused', async (status) => {
		const { known, context, registry, logged } = await account(2);
		fail({ status }, 1);
		expect(await paused(context, registry, known, { isSuperseded: false })).toEqual(new Set(known));
		expect(logged()).toEqual([]);
	});

	it('escapes an id', async () => {
		const { registry } = await account(0);
		await updateWebhook(registry, 'a/b?c', { is_active: false }).catch(() => undefined);
		expect(simulator.requests[0].path).toBe('/v1/webhooks/a%2Fb%3Fc');
	});
});

describe('pauses that are refused', () => {
	it('are logged with id, company and reason, and the others go on', async () => {
		const { known, context, registry, logged } = await account(4);
		fail({ status: 402 }, 0, 1, 2);
		expect(await paused(context, registry, known, { isSuperseded: false })).toEqual(
			new Set([known[3]]),
		);
		expect([...logged()].sort()).toEqual(
			range(0, 3).map((index) => expect.stringContaining(sentence(index))),
		);
		expect(logged()[0]).toMatch(/could not be paused: (?!\w*Error)[^:]*plan does not cover/);
	});

	it('stop the rest at the fifth in a row, and what is left is named', async () => {
		const { known, context, registry, logged } = await account(30);
		fail({ status: 402 }, ...range(0, 30));
		expect(await paused(context, registry, known, { isSuperseded: false })).toEqual(new Set());
		// Ten are on their way at the first refusal; each of the first four is followed by one more.
		expect(simulator.requests).toHaveLength(14);
		expect(logged().at(-1)).toBe(
			`Company Registry Trigger: 30 webhooks stay active until the workflow is published or unpublished again: ${known.map(({ id, company }) => `${id} (${company})`).join(', ')}`,
		);
	});

	it.each([
		[4, 4],
		[5, 6],
	])('of %i webhooks make %i lines in the log', async (count, lines) => {
		const { known, context, registry, logged } = await account(count);
		fail({ status: 402 }, ...range(0, count));
		await paused(context, registry, known, { isSuperseded: false });
		expect(logged()).toHaveLength(lines);
	});

	it('leave out of what is named what was paused before them', async () => {
		const { known, context, registry, logged } = await account(7);
		simulator.fault({ nth: 3, times: Infinity, action: { status: 402 } });
		const done = await paused(context, registry, known, { isSuperseded: false });
		expect(done.size).toBe(2);
		for (const { id } of active()) expect(logged().at(-1)).toContain(`${id} (`);
		for (const { id } of done) expect(logged().at(-1)).not.toContain(`${id} (`);
		expect(logged().at(-1)).toContain(': 5 webhooks stay active');
	});
});

describe('pauses without an answer', () => {
	it('stop the rest at the first where nothing is answered', async () => {
		const { known, context, registry, logged } = await account(30);
		registry.stopWaiting();
		fail('drop', ...range(0, 30));
		await paused(context, registry, known, { isSuperseded: false });
		expect(simulator.requests).toHaveLength(10);
		expect(logged().at(-1)).toContain(': 30 webhooks may stay active');
	});

	// The one without an answer is sent three times; meanwhile the others are answered.
	it.each([
		['carried out', [], 1],
		['refused', [1, 2], 3],
		['carried out or refused', [2], 2],
	])('count one by one where others are %s meanwhile', async (_how, refused, lines) => {
		const { known, context, registry, logged } = await account(3);
		fail('drop', 0);
		fail({ status: 402 }, ...refused);
		await paused(context, registry, known, { isSuperseded: false });
		expect(logged()).toHaveLength(lines);
		expect(logged().at(-1)).toContain(sentence(0, UNCERTAIN));
	});
});

describe('of a pause that failed, it is noted and logged', () => {
	it.each<[string, FaultAction[]]>([
		['the answer was lost', ['dropAfter', 'dropAfter', 'dropAfter']],
		['the service broke down', [{ status: 500 }, { status: 502 }, { status: 504 }]],
		['the answer made no sense', [{ raw: '<html></html>' }]],
	])('that the webhook may stay active, where %s', async (_how, actions) => {
		const { known, context, registry, logged } = await account(1);
		for (const action of actions) simulator.fault({ action });
		const notes = await noted(context, registry, known);
		expect([...notes.values()]).toEqual([{ ...known[0], status: 'unconfirmed', url: undefined }]);
		expect(logged()[0]).toContain(sentence(0, UNCERTAIN));
		expect(logged().join()).not.toContain('webhooks stay active');
	});

	it.each<[string, FaultAction | 'nobody listens']>([
		['it was refused', { status: 402 }],
		['the service asks to come back much later', { status: 503, headers: { 'Retry-After': '99' } }],
		['something on the way answers 404 with a web page', { raw: '<html>No</html>', status: 404 }],
		['something on the way answers 404 in its own words', { status: 404, body: { error: 'No' } }],
		['something on the way answers 410', { raw: '', status: 410 }],
		['nobody listens', 'nobody listens'],
	])('that the webhook stays active, where %s', async (_how, action) => {
		const { known, context, registry, logged } = await account(1);
		if (action === 'nobody listens') await simulator.close();
		else simulator.fault({ times: Infinity, action });
		expect((await noted(context, registry, known)).size).toBe(0);
		expect(logged()[0]).toContain(sentence(0));
		expect(logged().join()).not.toContain('may stay active');
	});
});

describe('an update is refused as unknown', () => {
	const failure = (status?: number) =>
		new RegistryFailure({
			method: 'PATCH',
			credentialType: 'companyRegistryApi',
			secrets: [],
			status,
		});

	it.each([
		[404, true],
		[410, true],
		[400, false],
		[422, false],
		[402, false],
		[500, false],
		[undefined, false],
	])('with %s: %s', (status, expected) => {
		expect(isUnknown(failure(status))).toBe(expected);
	});

	it('only by the service', () => {
		expect(isUnknown(Object.assign(new Error('elsewhere'), { status: 404 }))).toBe(false);
	});
});
