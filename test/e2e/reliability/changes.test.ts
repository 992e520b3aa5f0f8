// A published trigger is changed in a real n8n while deliveries arrive from a sender that knows no retry.
// Takes minutes: each change is followed by the 12 seconds after which a trigger would begin to pause.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { StoredWebhook } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	companyNumbers,
	waitUntilPaused,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

jest.setTimeout(600_000);

const COMPANIES = companyNumbers(200, 40_000_000);
const NEW_COMPANY = '40009999';
/** Milliseconds between two deliveries, and how many are under way at once: a busy n8n must keep up. */
const PACE = 500;
const AT_ONCE = 4;
/** Milliseconds after which an unpublish would have begun to pause. */
const PAUSING_BEGINS = WAITS.beforePausing + 1_000;

let surroundings: Surroundings;
let workflow: WorkflowRecord;

beforeAll(async () => {
	surroundings = await startSurroundings();
	const { client, credential, simulator } = surroundings;
	workflow = await client.createWorkflow(watcher(credential, COMPANIES));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	simulator.latencyMs = 50;
});

afterAll(async () => await surroundings?.stop());

const webhooks = () => webhooksOf(surroundings.simulator, workflow);

/** How often each method was called, and which bodies only pause a webhook. */
function requests() {
	const counts: Record<string, number> = {};
	for (const { method } of surroundings.simulator.requests) {
		counts[method] = (counts[method] ?? 0) + 1;
	}
	const isPause = ({ body }: { body: unknown }) => JSON.stringify(body) === '{"is_active":false}';
	return { ...counts, pauses: surroundings.simulator.requests.filter(isPause).length };
}

/** What becomes of one delivery after another, each sent once, while this is done. */
async function deliverDuring(work: () => Promise<void>): Promise<Record<string, number>> {
	const { simulator, ca } = surroundings;
	const staying = webhooks().filter(({ company_number }) => COMPANIES.includes(company_number));
	const outcomes: Record<string, number> = {};
	const deliveries: Array<Promise<void>> = [];
	let isOver = false;
	let underWay = 0;
	const send = async ({ id }: StoredWebhook) => {
		// The stand-in sends to active webhooks alone, as a service would.
		const outcome = await simulator
			.deliver(id, { ca, ignoreActive: false })
			.then(({ status }) => String(status))
			.catch((error: Error) => (/paused|inactive/.test(error.message) ? 'not sent' : 'no answer'));
		outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
	};
	const sender = (async () => {
		for (let n = 0; !isOver; n++) {
			underWay++;
			deliveries.push(send(staying[n % staying.length]).finally(() => underWay--));
			do await sleep(PACE);
			while (underWay >= AT_ONCE);
		}
	})();
	await work();
	isOver = true;
	await sender;
	await Promise.all(deliveries);
	return outcomes;
}

async function publishChanged(changes: Parameters<typeof withTrigger>[1]): Promise<void> {
	const { client, simulator } = surroundings;
	simulator.clearRequests();
	workflow = await client.updateWorkflow(workflow.id, withTrigger(workflow, changes));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	// Whatever might still be paused in the background.
	await sleep(PAUSING_BEGINS);
}

const watching = (companies: string[], more: INodeParameters = {}) => ({
	parameters: { companyNumbers: companies.join('\n'), ...more },
});

test.each<[string, () => Parameters<typeof withTrigger>[1], object]>([
	['one company more', () => watching([...COMPANIES, NEW_COMPANY]), { GET: 1, POST: 1, pauses: 0 }],
	['one company fewer', () => watching(COMPANIES), { GET: 1, PATCH: 1, pauses: 1 }],
	[
		'one event more',
		() => watching(COMPANIES, { events: ['filing.new', 'psc.added'] }),
		{ GET: 1, PATCH: 200, pauses: 0 },
	],
	['a renamed node', () => ({ name: 'Portfolio' }), { GET: 1, pauses: 0 }],
])(
	'%s: the difference is sent, and each delivery is taken but for the moment without a route',
	async (_what, changes, expected) => {
		const outcomes = await deliverDuring(async () => await publishChanged(changes()));
		expect(requests()).toEqual(expected);
		// n8n's own moment: 404 between taking its route down and setting it up, and 500 while the route
		// it has names the node as before.
		const { 200: taken, 404: withoutRoute = 0, 500: renamed = 0, ...others } = outcomes;
		expect(others).toEqual({});
		expect(taken).toBeGreaterThan(10);
		expect(withoutRoute + renamed).toBeLessThanOrEqual(8);
		if (!('name' in changes())) expect(renamed).toBe(0);
	},
);

test('off and on at once costs a list', async () => {
	const { client, simulator } = surroundings;
	simulator.clearRequests();
	await client.unpublish(workflow.id);
	await client.waitUntilPublished(workflow.id, PATIENCE);
	await sleep(PAUSING_BEGINS);
	expect(requests()).toEqual({ GET: 1, pauses: 0 });
	expect(webhooks().filter(({ is_active }) => is_active)).toHaveLength(200);
});

test('unpublishing is answered at once, and 200 webhooks are paused within ten seconds of its beginning', async () => {
	const { client, simulator } = surroundings;
	simulator.clearRequests();
	await client.waitUntilUnpublished(workflow.id, PATIENCE);
	await waitUntilPaused(webhooks);
	const times = simulator.requests.map(({ at }) => at);
	expect(requests()).toEqual({ PATCH: 200, pauses: 200 });
	expect(Math.max(...times) - Math.min(...times)).toBeLessThan(10_000);
});

test('an unpublished workflow that is deleted at once is paused too', async () => {
	const { client } = surroundings;
	await client.waitUntilPublished(workflow.id, PATIENCE);
	expect(webhooks().filter(({ is_active }) => is_active)).toHaveLength(200);
	await client.waitUntilUnpublished(workflow.id, PATIENCE);
	await client.deleteWorkflow(workflow.id);
	await waitUntilPaused(webhooks);
});

describe('the trigger of a published workflow', () => {
	const others = (watched: WorkflowRecord) => webhooksOf(surroundings.simulator, watched);

	/** Published, and with a second trigger: n8n publishes no workflow without one. */
	async function published(): Promise<WorkflowRecord> {
		const { client, credential } = surroundings;
		const { nodes, ...rest } = watcher(credential, companyNumbers(3, 41_000_000));
		const second = {
			id: randomUUID(),
			webhookId: randomUUID(),
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			position: [0, 200] as [number, number],
			parameters: { path: randomUUID() },
		};
		const watched = await client.createWorkflow({ ...rest, nodes: [...nodes, second] });
		await client.waitUntilPublished(watched.id, PATIENCE);
		expect(others(watched).filter(({ is_active }) => is_active)).toHaveLength(3);
		return watched;
	}

	/** Saves and publishes the workflow with other nodes. */
	async function publishWith(
		{ id }: WorkflowRecord,
		nodes: WorkflowRecord['nodes'],
	): Promise<void> {
		const { client } = surroundings;
		await client.updateWorkflow(id, { nodes });
		await client.waitUntilPublished(id, PATIENCE);
	}

	const removals: Array<[string, (watched: WorkflowRecord) => Promise<void>]> = [
		[
			'is switched off: when that is published',
			async (watched) => {
				const [trigger, second] = watched.nodes;
				await publishWith(watched, [{ ...trigger, disabled: true }, second]);
			},
		],
		[
			'is deleted: when that is published',
			async (watched) => await publishWith(watched, watched.nodes.slice(1)),
		],
		[
			'is deleted with the workflow',
			async ({ id }) => await surroundings.client.deleteWorkflow(id),
		],
	];
	/** All at once: pausing takes its time to begin. */
	let watching: WorkflowRecord[];

	beforeAll(async () => {
		watching = await Promise.all(removals.map(published));
		await Promise.all(removals.map(async ([, remove], index) => await remove(watching[index])));
	});

	test.each(removals.map(([what], index) => [what, index] as const))(
		'%s, its webhooks are paused',
		async (_what, index) => await waitUntilPaused(() => others(watching[index])),
	);
});
