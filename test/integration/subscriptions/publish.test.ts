// Publishing for the first time and again, with one or several triggers.
import type { INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../simulator';
import {
	active,
	counts,
	failureOf,
	ids,
	methods,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import type { TestWorkflow } from '../../support/contexts';
import {
	callHook,
	companyNumbers,
	register,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/loadedTriggers';

const simulator = serviceForEachTest();

describe('the first publish', () => {
	it('makes one request for each company and one for the list, and reads the credential once', async () => {
		const workflow = await watch(simulator, companyNumbers(40)).publish();
		expect(counts(simulator)).toEqual({ GET: 1, POST: 40 });
		expect(watched(simulator)).toEqual(companyNumbers(40));
		expect(workflow.credentials.reads).toBe(1);
	});

	it('sends a destination with a reference of its own', async () => {
		const parameters = watching(['00445790', 'SC123456'], {
			events: ['psc.added'],
			options: { additionalEvents: 'company.dissolved' },
		});
		await watch(simulator, [], { parameters }).publish();
		const webhooks = simulator.webhooks();
		const references = webhooks.map(({ url }) => /\/webhook\?ref=([\w-]{22})$/.exec(url)?.[1]);
		expect(new Set(references).size).toBe(2);
		expect(webhooks[0].events).toEqual(['psc.added', 'company.dissolved']);
	});
});

describe('publishing again', () => {
	const COMPANIES = companyNumbers(12);
	const [ONE, TWO] = COMPANIES;
	let workflow: SavedWorkflow;
	let firstIds: string[];

	beforeEach(async () => {
		workflow = watch(simulator, COMPANIES);
		await workflow.publish();
		firstIds = ids(simulator);
		simulator.clearRequests();
	});

	it('resumes with one request for each company, which holds all that is wanted, and one list', async () => {
		await workflow.unpublish();
		simulator.clearRequests();

		workflow.setup.parameters = watching(COMPANIES, { events: ['psc.added'] });
		await workflow.publish();
		const [list, ...resumptions] = simulator.requests;
		expect(list.method).toBe('GET');
		expect(resumptions.map(({ method }) => method)).toEqual(COMPANIES.map(() => 'PATCH'));
		expect(resumptions.map(({ body }) => body)).toEqual(
			expect.arrayContaining(
				simulator.webhooks().map(({ url }) => ({ url, events: ['psc.added'], is_active: true })),
			),
		);
		expect(ids(simulator)).toEqual(firstIds);
		expect(workflow.statuses()).toEqual(
			Object.fromEntries(COMPANIES.map((company) => [company, 'watched'])),
		);
	});

	it('creates what is new, then pauses what is not wanted, before n8n is answered, and resumes it when it is again', async () => {
		workflow.setup.parameters = watching(companyNumbers(13).slice(1));
		await workflow.attempt();
		expect(methods(simulator)).toEqual(['GET', 'POST', 'PATCH']);
		expect(watched(simulator)).toEqual(companyNumbers(13).slice(1));
		expect(workflow.statuses()).toMatchObject({ [ONE]: 'paused', [TWO]: 'watched' });
		await workflow.change({ parameters: watching(companyNumbers(14)) });
		expect(watched(simulator)).toEqual(companyNumbers(14));
		expect(ids(simulator).slice(0, 12)).toEqual(firstIds);
		expect(ids(simulator)).toHaveLength(14);
	});
});

it('a copy with the static data of the original takes nothing from it', async () => {
	const original = watch(simulator, companyNumbers(3));
	await original.publish();
	const before = simulator.webhooks();
	const copy = watch(simulator, companyNumbers(3), { workflowId: 'copy' });
	copy.staticData = structuredClone(original.staticData);
	await copy.publish();
	expect(simulator.webhooks().slice(0, 3)).toEqual(before);
	expect(watched(simulator)).toHaveLength(6);

	await copy.unpublish();
	expect(simulator.webhooks().slice(0, 3)).toEqual(before);
	expect(watched(simulator)).toHaveLength(3);
});

it('two triggers in one workflow publish at once, and what is stored of both survives, also while one of them is away', async () => {
	const saved = watch(simulator, companyNumbers(5));
	const first = saved.load();
	const second = secondTrigger(first, watching(companyNumbers(7), { events: ['psc.added'] }));
	await Promise.all([register(first), register(second)]);
	await saved.save(first);
	expect(watched(simulator)).toHaveLength(12);

	await saved.start();
	await register(secondTrigger(saved.load(), second.node.parameters), false, {}, 'init');
	simulator.clearRequests();
	const again = saved.load();
	await callHook('delete', again);
	await settled(again);
	expect(watched(simulator)).toEqual(companyNumbers(7));

	// The first is deleted, or switched off, and the other one published meanwhile.
	await saved.save(again);
	const meanwhile = saved.load();
	const events = ['psc.added'];
	await register(secondTrigger(meanwhile, watching(companyNumbers(6), { events })));
	await settled(meanwhile);
	await saved.save(meanwhile);
	await saved.restart();
	const { length } = ids(simulator);
	await saved.publish();
	expect(active(simulator)).toHaveLength(6 + 5);
	expect(ids(simulator)).toHaveLength(length);
});

function secondTrigger(first: TestWorkflow, parameters: INodeParameters): TestWorkflow {
	const node = {
		...first.node,
		id: 'node-2',
		name: 'Second trigger',
		webhookId: 'second',
		parameters,
	};
	first.workflow.nodes[node.name] = node;
	return { ...first, node };
}

describe('what cannot be published', () => {
	it.each<[string, Parameters<typeof watch>[2], RegExp]>([
		['a wrong number', { parameters: watching(['Acme']) }, /^Nothing is watched: .*"Acme"/],
		[
			'an http address',
			{ webhookBaseUrl: 'http://n8n.example.com/webhook' },
			/^Nothing is watched: .*https addresses only.* http:\/\/n8n\.example\.com\/.*N8N_WEBHOOK_URL.*restart/,
		],
	])('%s: is refused before any request', async (_what, setup, message) => {
		const workflow = watch(simulator, companyNumbers(1), setup).load();
		await expect(register(workflow)).rejects.toThrow(message);
		expect(simulator.requests).toEqual([]);
		expect(workflow.credentials.reads).toBe(0);
	});

	it.each<[string, FaultAction, RegExp]>([
		['a refused key', { status: 401 }, /API key/],
		['a service that is down', { status: 503 }, /HTTP 503/],
	])('%s: fails and says so', async (_what, action, words) => {
		simulator.fault({ times: Infinity, action });
		const message = await failureOf(watch(simulator, companyNumbers(5)).publish());
		expect(message).toMatch(/^Nothing is watched: 5 companies could not be set up/);
		expect(message).toMatch(words);
		expect(simulator.webhooks()).toEqual([]);
	});

	// A service elsewhere could not deliver there.
	it.each(['https://localhost.', 'https://n8n.localhost', 'https://[::ffff:127.0.0.1]'])(
		'%s, which only this machine knows: is refused with what to set',
		async (origin) => {
			const webhookBaseUrl = `${origin}/webhook`;
			const credentials = {
				companyRegistryApi: { baseUrl: 'https://api.example.com', apiKey: 'k' },
			};
			const workflow = watch(simulator, companyNumbers(2), { webhookBaseUrl, credentials });
			const message = await failureOf(workflow.publish());
			expect(message).toMatch(/^Nothing is watched: .*N8N_WEBHOOK_URL/);
			expect(message).toContain(origin);
		},
	);
});
