// Pausing many webhooks: how many at once, and when it is given up.
import type { IHookFunctions } from 'n8n-workflow';

import {
	openRegistry,
	type Registry,
} from '../../../nodes/CompanyRegistry/shared/registry/registryApi';
import { RegistryFailure } from '../../../nodes/CompanyRegistry/shared/registry/registryFailure';
import type { RememberedWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/triggerMemory';
import { pauseWebhooks } from '../../../nodes/CompanyRegistry/trigger/subscriptions/pauseWebhooks';
import {
	isRefusedAsUnknown,
	listWebhooks,
	updateWebhook,
} from '../../../nodes/CompanyRegistry/shared/webhookRequests';
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

/** Those that are paused. */
async function paused(
	context: IHookFunctions,
	registry: Registry,
	known: RememberedWebhook[],
	goal: { isSuperseded: boolean },
): Promise<Set<RememberedWebhook>> {
	const done = new Set<RememberedWebhook>();
	await pauseWebhooks(context, registry, known, goal, (webhook) => void done.add(webhook));
	return done;
}

/** From now on so answers the service each pause of these webhooks, the first being 0. */
function fail(action: FaultAction, ...indexes: number[]): void {
	for (const index of indexes) {
		simulator.fault({ path: new RegExp(`${idOf(index)}$`), times: Infinity, action });
	}
}

const range = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index);
const sentence = (index: number, why: string) =>
	`Company Registry Trigger: webhook ${idOf(index)} of company ${companyNumbers(index + 1)[index]} could not be paused: ${why}`;

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
			range(0, 3).map((index) => expect.stringContaining(sentence(index, ''))),
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
		expect(logged().at(-1)).toContain(': 30 webhooks stay active');
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
		expect(logged().at(-1)).toContain(sentence(0, ''));
	});
});

describe('an update is refused as unknown', () => {
	const failure = (status?: number) =>
		new RegistryFailure('companyRegistryApi', 'PATCH', { status });

	it.each([
		[404, true],
		[410, true],
		[400, true],
		[422, true],
		[402, false],
		[500, false],
		[undefined, false],
	])('with %s: %s', (status, expected) => {
		expect(isRefusedAsUnknown(failure(status))).toBe(expected);
	});

	it('only by the service', () => {
		expect(isRefusedAsUnknown(Object.assign(new Error('elsewhere'), { status: 404 }))).toBe(false);
	});
});

it('lists the webhooks by id', async () => {
	const { registry } = await account(2);
	expect(
		[...(await listWebhooks(registry)).entries()].map(([id, webhook]) => [id, webhook.id]),
	).toEqual([
		['wh_1', 'wh_1'],
		['wh_2', 'wh_2'],
	]);
});
