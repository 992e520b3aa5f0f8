// A published trigger is changed in a real n8n while deliveries arrive from a sender that knows no retry.
// Takes minutes: each change is followed by the 12 seconds after which a trigger would begin to pause.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { countBy } from 'lodash';

import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import { withParameters } from '../../n8n-host/exampleWorkflows';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { counts } from '../../support/atService';
import { useSurroundings } from '../surroundings';
import {
	TRIGGER,
	companyNumbers,
	publishedWatcher,
	waitUntilPaused,
	watcher,
	webhooksOf,
} from './watchers';

const COMPANIES = companyNumbers(200, 40_000_000);
/** Milliseconds between two deliveries, and how many are under way at once: a busy n8n must keep up. */
const PACE = 500;
const AT_ONCE = 4;

const surroundings = useSurroundings();
let workflow: WorkflowRecord;

beforeAll(async () => {
	workflow = await publishedWatcher(surroundings, COMPANIES);
	surroundings.simulator.latencyMs = 50;
});

const webhooks = () => webhooksOf(surroundings.simulator, workflow);

/** How often each method was called, and how many bodies only pause a webhook. */
function requests() {
	const { simulator } = surroundings;
	const isPause = ({ body }: { body: unknown }) => JSON.stringify(body) === '{"is_active":false}';
	return { ...counts(simulator), pauses: simulator.requests.filter(isPause).length };
}

/** What becomes of one delivery after another, each sent once, while this is done. */
async function deliverDuring(work: () => Promise<void>): Promise<Record<string, number>> {
	const { simulator, ca } = surroundings;
	const staying = webhooks();
	const deliveries: Array<Promise<string>> = [];
	let isOver = false;
	let underWay = 0;
	const send = async (id: string) => {
		underWay++;
		// The stand-in sends to active webhooks alone, as a service would.
		const delivery = simulator.deliver(id, { ca }).finally(() => underWay--);
		return await delivery.then(
			({ status }) => String(status),
			(error: Error) => (/paused/.test(error.message) ? 'not sent' : 'no answer'),
		);
	};
	const sender = (async () => {
		for (let n = 0; !isOver; n++) {
			deliveries.push(send(staying[n % staying.length].id));
			do await sleep(PACE);
			while (underWay >= AT_ONCE);
		}
	})();
	await work();
	isOver = true;
	await sender;
	return countBy(await Promise.all(deliveries));
}

test('one company more: the difference is sent, and each delivery is taken but for the moment without a route', async () => {
	const { client, simulator } = surroundings;
	const parameters = { companyNumbers: [...COMPANIES, '40009999'].join('\n') };
	simulator.clearRequests();
	const outcomes = await deliverDuring(async () => {
		workflow = await client.updateWorkflow(
			workflow.id,
			withParameters(workflow, TRIGGER, parameters),
		);
		await client.waitUntilPublished(workflow.id);
		// Whatever might still be paused in the background: an unpublish would have begun to.
		await sleep(WAITS.beforePausing + 1_000);
	});
	expect(requests()).toEqual({ GET: 1, POST: 1, pauses: 0 });
	// n8n's own moment between taking its route down and setting it up.
	const { 200: taken, 404: withoutRoute = 0, ...others } = outcomes;
	expect(others).toEqual({});
	expect(taken).toBeGreaterThan(10);
	expect(withoutRoute).toBeLessThanOrEqual(8);
});

test('a trigger is switched off, deleted, or deleted with its workflow: its webhooks are paused, 201 within ten seconds', async () => {
	const { client, credential, simulator } = surroundings;
	/** With a second trigger, without which n8n publishes no workflow. */
	const published = async (first: number) => {
		const { nodes, ...rest } = watcher(credential, companyNumbers(3, first));
		const path = randomUUID();
		const type = 'n8n-nodes-base.webhook';
		const other = { ...nodes[0], id: path, webhookId: path, name: 'Webhook', type };
		const added = { ...other, typeVersion: 2, parameters: { path }, credentials: undefined };
		const watched = await client.createWorkflow({ ...rest, nodes: [...nodes, added] });
		await client.waitUntilPublished(watched.id);
		return watched;
	};
	const publishWith = async ({ id }: WorkflowRecord, nodes: WorkflowRecord['nodes']) => {
		await client.updateWorkflow(id, { nodes });
		await client.waitUntilPublished(id);
	};
	const switchedOff = await published(41_000_000);
	const deleted = await published(42_000_000);
	expect(simulator.webhooks().filter(({ is_active }) => is_active)).toHaveLength(207);
	simulator.clearRequests();

	const [trigger, other] = switchedOff.nodes;
	await publishWith(switchedOff, [{ ...trigger, disabled: true }, other]);
	await publishWith(deleted, deleted.nodes.slice(1));
	await client.deleteWorkflow(workflow.id);

	await waitUntilPaused(simulator);
	expect(requests()).toEqual({ PATCH: 207, pauses: 207 });
	const ids = webhooks().map(({ id }) => id);
	const ofDeleted = simulator.requests.filter(({ path }) =>
		ids.includes(path.replace('/v1/webhooks/', '')),
	);
	const times = ofDeleted.map(({ at }) => at);
	expect(times).toHaveLength(201);
	expect(Math.max(...times) - Math.min(...times)).toBeLessThan(10_000);
});
