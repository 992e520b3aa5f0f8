// A published trigger is changed in a real n8n while deliveries arrive from a sender that knows no retry.
// Takes a minute: each change is followed by the 12 seconds after which a trigger would begin to pause.
import { setTimeout as sleep } from 'node:timers/promises';

import { range } from 'lodash';

import { TIMES } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import { withParameters } from '../../n8n-host/exampleWorkflows';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { serviceOf, startService } from '../../support/atService';
import { useSurroundings } from '../surroundings';
import {
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	failures,
	publishedWatcher,
	waitUntilPaused,
	watcher,
	waitUntilStored,
	webhooksOf,
	withOtherTrigger,
} from './watchers';

const COMPANIES = companyNumbers(200, 40_000_000);
/** Each waits so many milliseconds between two deliveries: a busy n8n must keep up. */
const SENDERS = 4;
const PACE = 2_000;

const surroundings = useSurroundings();
let workflow: WorkflowRecord;

beforeAll(async () => {
	workflow = await publishedWatcher(surroundings, COMPANIES);
	// On a slow machine n8n has its answer before all are watched.
	await waitUntilStored(surroundings, workflow, COMPANIES);
	surroundings.simulator.latencyMs = 50;
});

const webhooks = () => webhooksOf(surroundings.simulator, workflow);

/** How often each method was called, and how many bodies only pause a webhook. */
function requests() {
	const { simulator } = surroundings;
	const isPause = ({ body }: { body: unknown }) => JSON.stringify(body) === '{"is_active":false}';
	return { ...serviceOf(simulator).counts(), pauses: simulator.requests.filter(isPause).length };
}

test('adding one company sends the difference; a delivery fails only in the moment when n8n has no route', async () => {
	const { client, simulator, ca } = surroundings;
	const staying = webhooks();
	let isOver = false;
	let taken = 0;
	/** What becomes of one delivery after another, each sent once; not to paused webhooks, as of a service. */
	const send = async (first: number) => {
		const outcomes: Array<{ sentAt: number; outcome: string }> = [];
		for (let n = first; !isOver; n += SENDERS) {
			const sentAt = Date.now();
			const outcome = await simulator.deliver(staying[n % staying.length].id, { ca }).then(
				({ status }) => String(status),
				({ message }: Error) => message,
			);
			outcomes.push({ sentAt, outcome });
			if (outcome === '200') taken++;
			await sleep(PACE);
		}
		return outcomes;
	};
	simulator.clearRequests();
	const sending = Promise.all(range(SENDERS).map(send));
	const parameters = { companyNumbers: [...COMPANIES, '40009999'].join('\n') };
	workflow = await client.publishChanges(
		workflow.id,
		withParameters(workflow, TRIGGER, parameters),
	);
	// By then an unpublish would have begun to pause.
	await sleep(TIMES.beforePausing + 1_000);
	await waitFor('more than ten to be taken', () => taken > 10);
	isOver = true;

	const sent = (await sending).flat();
	const others = sent.filter(({ outcome }) => !['200', '404'].includes(outcome));
	expect(others).toEqual([]);
	// n8n's own moment between taking its route down and setting it up, which is before the trigger asks for anything.
	const [list] = simulator.requests;
	const withoutRoute = sent.filter(({ outcome }) => outcome === '404');
	expect(withoutRoute.filter(({ sentAt }) => sentAt > list.at)).toEqual([]);
	expect(requests()).toEqual({ GET: 1, POST: 1, pauses: 0 });
});

test('the webhooks of a trigger that is switched off, deleted, or deleted with its workflow are paused, several at a time', async () => {
	const { client, credential, simulator } = surroundings;
	const published = async (first: number) => {
		const file = watcher(credential, companyNumbers(3, first));
		return await client.createPublished(withOtherTrigger(file));
	};
	const switchedOff = await published(41_000_000);
	const deleted = await published(42_000_000);
	expect(simulator.webhooks().filter(({ is_active }) => is_active)).toHaveLength(207);
	simulator.clearRequests();
	// So long that a slow machine's own time counts for little.
	simulator.latencyMs = 500;

	await client.publishChanges(switchedOff.id, {
		nodes: [{ ...switchedOff.nodes[0], disabled: true }, switchedOff.nodes[1]],
	});
	await client.publishChanges(deleted.id, { nodes: deleted.nodes.slice(1) });
	await client.deleteWorkflow(workflow.id);

	await waitUntilPaused(simulator);
	expect(requests()).toEqual({ GET: 3, PATCH: 207, pauses: 207 });
	const ids = webhooks().map(({ id }) => id);
	const ofDeleted = simulator.requests.filter(({ path }) =>
		ids.includes(path.replace('/v1/webhooks/', '')),
	);
	const times = ofDeleted.map(({ at }) => at);
	expect(times).toHaveLength(201);
	const oneByOne = 201 * simulator.latencyMs;
	expect(Math.max(...times) - Math.min(...times)).toBeLessThan(oneByOne / 5);
});

test('a change that the service refuses fails with its words, and the correction resumes the same webhooks', async () => {
	const { client, ca } = surroundings;
	const service = await startService();
	const credential = await client.createRegistryCredential(service);
	const [refused, ...companies] = companyNumbers(4, 43_000_000);
	const { id } = await publishedWatcher({ client, credential }, companies);
	const publish = async (list: string[]) => {
		const parameters = { companyNumbers: list.join('\n') };
		await client.publishChanges(id, withParameters(await client.workflow(id), TRIGGER, parameters));
	};
	service.refuse([refused]);
	await expect(publish([refused])).rejects.toThrow(/No company is watched.*refused 1 company/s);
	service.clearFaults();
	await waitUntilPaused(service);

	service.clearRequests();
	await publish([refused, ...companies]);
	expect(service.counts()).toMatchObject({ POST: 1, PATCH: 3 });
	expect(service.watched()).toEqual([refused, ...companies]);
	for (const one of service.ids())
		expect((await service.deliver(one, { ca, ...PERSISTENT })).status).toBe(200);
	// Less than five minutes is nothing of its own.
	expect(await failures(client, id)).toEqual([]);
	await service.close();
});
