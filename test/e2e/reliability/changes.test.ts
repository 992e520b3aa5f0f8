// A published trigger is changed in a real n8n while deliveries arrive from a sender that knows no retry.
// Takes minutes: each change is followed by the 12 seconds after which a trigger would begin to pause.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';

import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { StoredWebhook } from '../../simulator';
import { useSurroundings } from '../surroundings';
import {
	PATIENCE,
	companyNumbers,
	publishedWatcher,
	waitUntilPaused,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

const COMPANIES = companyNumbers(200, 40_000_000);
const NEW_COMPANY = '40009999';
/** Milliseconds between two deliveries, and how many are under way at once: a busy n8n must keep up. */
const PACE = 500;
const AT_ONCE = 4;
/** Milliseconds after which an unpublish would have begun to pause. */
const PAUSING_BEGINS = WAITS.beforePausing + 1_000;

const surroundings = useSurroundings();
let workflow: WorkflowRecord;

beforeAll(async () => {
	workflow = await publishedWatcher(surroundings, COMPANIES);
	surroundings.simulator.latencyMs = 50;
});

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

test.each<[string, Parameters<typeof withTrigger>[1], object]>([
	[
		'one company more',
		{ parameters: { companyNumbers: [...COMPANIES, NEW_COMPANY].join('\n') } },
		{ GET: 1, POST: 1, pauses: 0 },
	],
	['a renamed node', { name: 'Portfolio' }, { GET: 1, pauses: 0 }],
])(
	'%s: the difference is sent, and each delivery is taken but for the moment without a route',
	async (_what, changes, expected) => {
		const { client, simulator } = surroundings;
		simulator.clearRequests();
		const outcomes = await deliverDuring(async () => {
			workflow = await client.updateWorkflow(workflow.id, withTrigger(workflow, changes));
			await client.waitUntilPublished(workflow.id, PATIENCE);
			// Whatever might still be paused in the background.
			await sleep(PAUSING_BEGINS);
		});
		expect(requests()).toEqual(expected);
		// n8n's own moment: 404 between taking its route down and setting it up, and 500 while the route
		// it has names the node as before.
		const { 200: taken, 404: withoutRoute = 0, 500: renamed = 0, ...others } = outcomes;
		expect(others).toEqual({});
		expect(taken).toBeGreaterThan(10);
		expect(withoutRoute + renamed).toBeLessThanOrEqual(8);
		if (!changes.name) expect(renamed).toBe(0);
	},
);

/** Without one n8n publishes no workflow. */
function anotherTrigger(): INode {
	return {
		id: randomUUID(),
		webhookId: randomUUID(),
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		position: [0, 200],
		parameters: { path: randomUUID() },
	};
}

test('a trigger is switched off, deleted, or deleted with its workflow: its webhooks are paused, 201 within ten seconds', async () => {
	const { client, credential, simulator } = surroundings;
	const published = async (first: number) => {
		const { nodes, ...rest } = watcher(credential, companyNumbers(3, first));
		const watched = await client.createWorkflow({ ...rest, nodes: [...nodes, anotherTrigger()] });
		await client.waitUntilPublished(watched.id, PATIENCE);
		return watched;
	};
	const publishWith = async ({ id }: WorkflowRecord, nodes: WorkflowRecord['nodes']) => {
		await client.updateWorkflow(id, { nodes });
		await client.waitUntilPublished(id, PATIENCE);
	};
	const switchedOff = await published(41_000_000);
	const deleted = await published(42_000_000);
	expect(simulator.webhooks().filter(({ is_active }) => is_active)).toHaveLength(207);
	simulator.clearRequests();

	const [trigger, other] = switchedOff.nodes;
	await publishWith(switchedOff, [{ ...trigger, disabled: true }, other]);
	await publishWith(deleted, deleted.nodes.slice(1));
	await client.deleteWorkflow(workflow.id, PATIENCE);

	await waitUntilPaused(() => simulator.webhooks());
	expect(requests()).toEqual({ PATCH: 207, pauses: 207 });
	const ids = new Set(webhooks().map(({ id }) => id));
	const times = simulator.requests
		.filter(({ path }) => ids.has(path.split('/').pop() ?? ''))
		.map(({ at }) => at);
	expect(times).toHaveLength(201);
	expect(Math.max(...times) - Math.min(...times)).toBeLessThan(10_000);
});
