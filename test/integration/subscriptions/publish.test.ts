// Publishing for the first time and again, with one or several triggers.
import type { INodeParameters } from 'n8n-workflow';

import { startSimulator, type Simulator } from '../../simulator';
import type { TestWorkflow } from '../../support/contexts';
import { afterRestart } from '../../support/restart';
import {
	callHook,
	companyNumbers,
	register,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/settled';

let simulator: Simulator;
let other: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
	other = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
	await other.close();
});

const methods = () => simulator.requests.map(({ method }) => method);
const ids = () => simulator.webhooks().map(({ id }) => id);
const active = () =>
	simulator
		.webhooks()
		.filter(({ is_active }) => is_active)
		.map(({ company_number }) => company_number)
		.sort();

describe('the first publish', () => {
	it('makes one request for each company, asks for no list and reads the credential once', async () => {
		const workflow = await watch(simulator, companyNumbers(40)).publish();
		expect(methods()).toEqual(Array.from({ length: 40 }, () => 'POST'));
		expect(active()).toHaveLength(40);
		expect(workflow.credentials.reads).toBe(1);
	});

	it('sends the destination with a reference of its own and the wanted events', async () => {
		const parameters = watching(['00445790', 'SC123456'], {
			events: ['psc.added'],
			options: { additionalEvents: 'company.dissolved' },
		});
		await watch(simulator, [], { parameters }).publish();
		const urls = simulator.webhooks().map(({ url }) => url);
		for (const url of urls) {
			expect(url).toMatch(/^https:\/\/n8n\.example\.com\/webhook\/[\w-]+\/webhook\?ref=[\w-]{22}$/);
		}
		expect(new Set(urls).size).toBe(2);
		expect(simulator.webhooks()[0].events).toEqual(['psc.added', 'company.dissolved']);
	});
});

describe('publishing again', () => {
	let workflow: SavedWorkflow;
	let firstIds: string[];

	beforeEach(async () => {
		workflow = watch(simulator, companyNumbers(12));
		await workflow.publish();
		firstIds = ids();
		simulator.clearRequests();
	});

	it('resumes with one request for each company and one list at most', async () => {
		await workflow.unpublish();
		expect(methods()).toEqual(Array.from({ length: 12 }, () => 'PATCH'));
		simulator.clearRequests();

		await workflow.publish();
		expect(methods().filter((method) => method === 'GET').length).toBeLessThanOrEqual(1);
		expect(methods().filter((method) => method === 'PATCH')).toHaveLength(12);
		expect(simulator.requests).toHaveLength(13);
	});

	it('leaves no litter in ten rounds', async () => {
		const before = simulator.webhooks();
		for (let round = 0; round < 10; round++) {
			await workflow.unpublish();
			expect(active()).toEqual([]);
			await workflow.publish();
			expect(simulator.webhooks()).toEqual(before);
		}
	});

	it('leaves no litter in rounds with a restart in each', async () => {
		const before = simulator.webhooks();
		for (let round = 0; round < 3; round++) {
			workflow.setup.nodeType = await afterRestart();
			await workflow.unpublish();
			workflow.setup.nodeType = await afterRestart();
			await workflow.publish();
			expect(simulator.webhooks()).toEqual(before);
		}
	});

	it('keeps its webhooks when the node is renamed', async () => {
		await workflow.change({ node: { name: 'Watch my suppliers' } });
		expect(ids()).toEqual(firstIds);
		expect(active()).toHaveLength(12);
	});

	it('gives the same webhooks other events', async () => {
		await workflow.change({
			parameters: watching(companyNumbers(12), { events: ['officer.appointed'] }),
		});
		expect(ids()).toEqual(firstIds);
		for (const webhook of simulator.webhooks()) {
			expect(webhook).toMatchObject({ events: ['officer.appointed'], is_active: true });
		}
	});

	it('gives the same webhooks another public address', async () => {
		const parameters = watching(companyNumbers(12), { options: { addressChanged: 'move' } });
		await workflow.change({ webhookBaseUrl: 'https://new.example.com/hooks', parameters });
		expect(ids()).toEqual(firstIds);
		for (const { url } of simulator.webhooks())
			expect(url).toMatch(/^https:\/\/new\.example\.com\/hooks\//);
	});

	it('asks for nothing when only options of deliveries have changed', async () => {
		workflow.setup.parameters = watching(companyNumbers(12), { options: { tolerance: 60 } });
		await workflow.publish();
		expect(methods()).toEqual(['GET']);
	});

	it('pauses companies that are no longer wanted and resumes them when they are again', async () => {
		await workflow.change({ parameters: watching(companyNumbers(10)) });
		expect(active()).toEqual(companyNumbers(10));
		await workflow.change({ parameters: watching(companyNumbers(14)) });
		expect(active()).toEqual(companyNumbers(14));
		expect(ids()).toEqual([...firstIds, ...ids().slice(12)]);
		expect(ids()).toHaveLength(14);
	});

	it('pauses what is not wanted also where n8n does not unpublish first', async () => {
		workflow.setup.parameters = watching(companyNumbers(10));
		await workflow.publish();
		expect(active()).toEqual(companyNumbers(10));
		expect(methods()).toEqual(['GET', 'PATCH', 'PATCH']);
	});

	it('goes on when a webhook that is no longer wanted cannot be paused, and pauses it next time', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		workflow.setup.parameters = watching(companyNumbers(11));
		await workflow.publish();
		expect(active()).toHaveLength(12);
		simulator.clearFaults();

		await workflow.publish();
		expect(active()).toEqual(companyNumbers(11));
	});

	it('uses the old ids and secrets of an account when it is switched back to', async () => {
		const before = simulator.webhooks();
		const first = workflow.setup.credentials;
		await workflow.change({
			credentials: { companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey } },
		});
		expect(other.webhooks()).toHaveLength(12);
		await settled(workflow.load());
		expect(active()).toEqual([]);

		workflow.setup.nodeType = await afterRestart();
		await workflow.change({ credentials: first });
		await settled(workflow.load());
		expect(simulator.webhooks()).toEqual(before);
		expect(other.webhooks().some(({ is_active }) => is_active)).toBe(false);
	});

	it('keeps them too when the base URL is edited in the credential, where n8n unpublishes with the new one', async () => {
		const before = simulator.webhooks();
		const first = workflow.setup.credentials;
		workflow.setup.credentials = {
			companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey },
		};
		await workflow.change({});
		expect(other.webhooks()).toHaveLength(12);

		workflow.setup.credentials = first;
		workflow.setup.nodeType = await afterRestart();
		await workflow.change({});
		expect(simulator.webhooks()).toEqual(before);
	});

	it('writes the base URL in another way without taking it for another account', async () => {
		workflow.setup.credentials = {
			companyRegistryApi: { baseUrl: `${simulator.url}/v1/`, apiKey: simulator.apiKey },
		};
		await workflow.publish();
		expect(methods()).toEqual(['GET']);
	});
});

describe('several triggers', () => {
	it('a copy with the static data of the original takes nothing from it', async () => {
		const original = watch(simulator, companyNumbers(3));
		await original.publish();
		const before = simulator.webhooks();
		const copy = watch(simulator, companyNumbers(3), { workflowId: 'copy' });
		copy.staticData = structuredClone(original.staticData);
		await copy.publish();
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(active()).toHaveLength(6);

		await copy.unpublish();
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(active()).toHaveLength(3);
	});

	it('a workflow does not take the paused webhooks of another one, which would want them back', async () => {
		const first = watch(simulator, companyNumbers(3));
		await first.publish();
		await first.unpublish();
		const paused = simulator.webhooks();
		const second = watch(simulator, companyNumbers(3));
		await second.publish();
		await (await second.listen()).stop();
		expect(simulator.webhooks().slice(0, 3)).toEqual(paused);
		await first.publish();
		expect(active()).toHaveLength(6);
	});

	it('two in one workflow publish at once, and the static data of both survives', async () => {
		const saved = watch(simulator, companyNumbers(5));
		const first = saved.load();
		const second = secondTrigger(first, watching(companyNumbers(7), { events: ['psc.added'] }));
		await Promise.all([register(first), register(second)]);
		saved.save(first);
		expect(active()).toHaveLength(12);

		saved.setup.nodeType = await afterRestart();
		simulator.clearRequests();
		const again = saved.load();
		expect(await callHook('checkExists', again)).toBe(true);
		expect(await callHook('checkExists', secondTrigger(again, second.node.parameters))).toBe(true);
		await callHook('delete', again);
		await settled(again);
		expect(active()).toEqual(companyNumbers(7));
	});
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
	const list = (...values: unknown[]) =>
		({
			companiesFrom: 'list',
			companies: { company: values.map((value) => ({ companyNumber: value })) },
		}) as INodeParameters;
	const scheme = { header: 'x-signature', content: '{timestamp}' };

	it.each<[string, Parameters<typeof watch>[2], RegExp]>([
		['no company', { parameters: watching([]) }, /No company is chosen\. Add at least one/],
		['no row', { parameters: list() }, /No company is chosen/],
		[
			'a wrong number',
			{ parameters: watching(['00445790', 'Acme PLC', '1001']) },
			/^2 of 4 companies are not company numbers: "Acme" \(number 2\), "PLC" \(number 3\)\. .*for example 00445790/,
		],
		[
			'a wrong number in a row',
			{
				parameters: list(
					{ __rl: true, mode: 'list', value: '1' },
					{ __rl: true, mode: 'number', value: 'SC-1' },
				),
			},
			/^Company 2 of 2: .*"SC-1" is not a company number\. .*for example/,
		],
		[
			'an empty row',
			{ parameters: list({ __rl: true, mode: 'list', value: '' }) },
			/^Company 1 of 1: .* empty\. /,
		],
		['no event', { parameters: watching(['1'], { events: [] }) }, /No event is chosen\. Choose/],
		[
			'an http address',
			{ webhookBaseUrl: 'http://localhost:5678/webhook' },
			/https addresses only.* http:\/\/localhost:5678\/.*N8N_WEBHOOK_URL.*WEBHOOK_URL.*restart/,
		],
		[
			'a signature scheme that does not cover the body',
			{ parameters: watching(['1'], { options: { signature: { scheme } } }) },
			/custom signature scheme cannot be used.*Correct it/,
		],
	])('%s: is refused before any request', async (_what, setup, message) => {
		const workflow = watch(simulator, companyNumbers(1), setup).load();
		await expect(callHook('checkExists', workflow)).rejects.toThrow(message);
		await expect(callHook('create', workflow)).rejects.toThrow(message);
		expect(simulator.requests).toEqual([]);
		expect(workflow.credentials.reads).toBe(0);
	});

	it.each([
		['a base URL that is none', 'registry', /not a web address.*for example/],
		['no base URL', '', /not a web address.*for example/],
	])('%s: is refused with what to enter', async (_what, baseUrl, message) => {
		const credentials = { companyRegistryApi: { baseUrl, apiKey: 'key' } };
		await expect(watch(simulator, ['1'], { credentials }).publish()).rejects.toThrow(message);
	});
});
