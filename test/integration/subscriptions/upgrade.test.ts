// What every release has stored still works: delivering to it, publishing and unpublishing.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { map, mapValues, omit, pick } from 'lodash';
import type { IDataObject, INodeType } from 'n8n-workflow';

import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';
import type { WorkflowFile } from '../../n8n-host/n8nTypes';
import type { StoredWebhook } from '../../simulator';
import { active, methods } from '../../support/atService';
import { afterRestart } from '../../support/loadedTriggers';
import { saved, startTriggerHarness, type TriggerHarness } from '../../support/triggerHarness';

/** What a user has of a published workflow when a newer version of the package is installed. */
interface StoredRelease {
	/** As n8n exports it. */
	workflow: WorkflowFile & { id: string };
	/** The workflow's static data as n8n keeps it. */
	staticData: IDataObject;
	/** What the registry service holds. */
	webhooks: Array<Omit<StoredWebhook, 'account'>>;
}

/** Folders that are named by a version. */
const fixtures = join(__dirname, '../../fixtures');
const fileOf = (release: string, part: string) => join(fixtures, release, `${part}.json`);
const releases = readdirSync(fixtures).filter((name) => existsSync(fileOf(name, 'workflow')));
/** Where the service and n8n are in the files. */
const REGISTRY = 'https://registry.example.com';
const N8N = 'https://n8n.example.com';

/** The last one is taken out again: its webhook is left paused. */
const PUBLISHED_FIRST = ['00445790', 'SC123456', 'NI654321', '00000006'];
const WATCHED = PUBLISHED_FIRST.slice(0, 3);
const EVENTS = ['filing.new', 'psc.added'];
/** None is the default, which a value that is not known any more would become. */
const OPTIONS = {
	additionalEvents: 'company.dissolved',
	addressChanged: 'copy',
	alreadyWatched: 'another',
	checkWebhooks: 'tenMinutes',
	includeRequest: true,
	refusedCompanies: 'leaveOut',
	repeatedDeliveries: 'run',
	testEvent: 'real',
	tolerance: 600,
	unreadableRows: 'leaveOut',
};

let harness: TriggerHarness;

beforeEach(async () => {
	harness = await startTriggerHarness();
});
afterEach(async () => await harness.close());

/** What a published workflow and the service hold under today's code, for later versions to be tested against. */
async function recordRelease(release: string): Promise<void> {
	const { simulator, proxy } = harness;
	const { nodes, ...example } = exampleWorkflow('watch-portfolio');
	// n8n gives a node its webhook path when it takes a workflow in.
	const node = { ...nodes[0], webhookId: '0b9a4f6e-2c1d-4d57-8f0a-7f3b1c9e5d42' };
	const id = 'Yk3XpW0tVq8LmZ2a';
	const load = (numbers: string[], events: string[], staticData = {}) => {
		const company = numbers.map((value) => ({
			companyNumber: { __rl: true, mode: 'number', value },
		}));
		const chosen = { companiesFrom: 'list', companies: { company }, events, options: OPTIONS };
		const parameters = { ...node.parameters, ...chosen };
		return harness.workflow({ node: { ...node, parameters }, workflowId: id, staticData });
	};
	const first = load(PUBLISHED_FIRST, ['filing.new', 'officer.appointed']);
	await harness.publish(first);
	await harness.unpublish(first);
	const last = load(WATCHED, EVENTS, saved(first));
	await harness.publish(last);

	const { parameters } = last.node;
	const stored: StoredRelease = {
		workflow: { ...example, id, nodes: [{ ...node, parameters }, ...nodes.slice(1)] },
		staticData: saved(last),
		webhooks: simulator.webhooks().map((webhook) => omit(webhook, 'account')),
	};
	mkdirSync(join(fixtures, release), { recursive: true });
	for (const [part, content] of Object.entries(stored)) {
		const text = JSON.stringify(content, null, 2);
		const moved = text.replaceAll(simulator.url, REGISTRY).replaceAll(proxy.url, N8N);
		// Throws where there is one: what a release has written never changes.
		writeFileSync(fileOf(release, part), `${moved}\n`, { flag: 'wx' });
	}
}

it('there is a fixture of this release', async () => {
	const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8'));
	if (releases.includes(version)) return;
	// Outside CI a missing one is written, to be committed with the release.
	expect(process.env.CI).toBeUndefined();
	await recordRelease(version);
});

describe.each(releases)('what %s has stored', (release) => {
	let stored: StoredRelease;
	let nodeType: INodeType;

	beforeEach(async () => {
		const { simulator, proxy } = harness;
		const parts = { workflow: 0, staticData: 0, webhooks: 0 };
		stored = mapValues(parts, (_, part) => {
			const text = readFileSync(fileOf(release, part), 'utf8');
			return JSON.parse(text.replaceAll(REGISTRY, simulator.url).replaceAll(N8N, proxy.url));
		}) as unknown as StoredRelease;
		stored.webhooks.forEach((webhook) => simulator.restoreWebhook(webhook));
		nodeType = await afterRestart();
	});

	function load(staticData = stored.staticData) {
		const { id, nodes } = stored.workflow;
		const [node] = nodes;
		return harness.workflow({ nodeType, node, workflowId: id, staticData });
	}

	it('has options that are understood as they were', () => {
		const { options } = stored.workflow.nodes[0].parameters;
		expect(optionsSchema.parse(options)).toMatchObject(options as object);
	});

	it('starts the workflow with deliveries for its companies', async () => {
		const executions = harness.serve(load());
		const watched = stored.webhooks.filter((one) => WATCHED.includes(one.company_number));
		for (const { id } of watched) {
			const delivery = { event: 'psc.added', ca: harness.proxy.ca };
			expect((await harness.simulator.deliver(id, delivery)).status).toBe(200);
		}
		expect(map(executions.flat(), 'json.company_number').sort()).toEqual([...WATCHED].sort());
		expect(map(executions.flat(), 'json.webhook_id')).toEqual(map(watched, 'id'));
	});

	it('is published without any change at the service', async () => {
		await harness.publish(load());
		expect(methods(harness.simulator)).toEqual(['GET']);
		const [watched] = active(harness.simulator);
		expect(watched.events).toEqual([...EVENTS, OPTIONS.additionalEvents]);
	});

	it('is unpublished and published again with the same webhooks and secrets', async () => {
		const kept = (isActive: (company: string) => boolean) =>
			stored.webhooks.map(({ id, secret, url, company_number: company }) => {
				return { id, secret, url, is_active: isActive(company) };
			});
		const now = () =>
			harness.simulator.webhooks().map((one) => pick(one, ['id', 'secret', 'url', 'is_active']));
		const workflow = load();
		await harness.unpublish(workflow);
		expect(now()).toEqual(kept(() => false));

		nodeType = await afterRestart();
		await harness.publish(load(saved(workflow)));
		expect(now()).toEqual(kept((company) => WATCHED.includes(company)));
	});
});
