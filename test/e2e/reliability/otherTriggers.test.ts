// What another trigger in the same workflow does to what ours has stored.
// Takes long because n8n has to poll and to start anew.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INode } from 'n8n-workflow';

import type { WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { companyNumbers, PATIENCE, PERSISTENT, watcher, webhooksOf } from './watchers';

jest.setTimeout(E2E_TIMEOUT_MS);

let surroundings: Surroundings;
let feed: Server;
const items: string[] = [];

beforeAll(async () => {
	feed = createServer((_request, response) => {
		response.setHeader('Content-Type', 'application/rss+xml');
		response.end(
			`<rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`,
		);
	}).listen(0, '127.0.0.1');
	await once(feed, 'listening');
	surroundings = await startSurroundings();
});
afterAll(async () => {
	await surroundings?.stop();
	feed.close();
});

/** A minute later than the one before: n8n takes for new what is later, in whole seconds. */
function addNews(title: string): void {
	const date = new Date(Date.now() + items.length * 60_000).toUTCString();
	items.unshift(
		`<item><title>${title}</title><guid>${title}</guid><pubDate>${date}</pubDate></item>`,
	);
}

function feedTrigger(): INode {
	return {
		id: randomUUID(),
		name: 'RSS Feed Trigger',
		type: 'n8n-nodes-base.rssFeedReadTrigger',
		typeVersion: 1,
		position: [0, 200],
		parameters: {
			feedUrl: `http://127.0.0.1:${(feed.address() as AddressInfo).port}/`,
			// n8n polls once a minute at most: six times a minute in all.
			pollTimes: {
				item: [0, 10, 20, 30, 40, 50].map((second) => ({
					mode: 'custom',
					cronExpression: `${second} * * * * *`,
				})),
			},
		},
	};
}

/** A published workflow whose feed trigger ran when ours was added. */
async function publishBeside(file: WorkflowFile): Promise<WorkflowRecord> {
	const { client } = surroundings;
	const other = feedTrigger();
	const workflow = await client.createWorkflow({ ...file, nodes: [other] });
	await client.waitUntilPublished(workflow.id, PATIENCE);
	await client.updateWorkflow(workflow.id, { nodes: [other, ...file.nodes] });
	await client.waitUntilPublished(workflow.id, PATIENCE);
	return workflow;
}

// Nothing that a node can do: n8n saves the static data of a workflow as a whole, and the feed trigger
// saves what it was started with.
test('a polling trigger beside ours, started before it, takes the secrets from the database; they are saved again by unpublishing and publishing', async () => {
	const { client, simulator, credential, host, ca } = surroundings;
	addNews('first');
	const files = companyNumbers(2, 25_990_000).map((company) => watcher(credential, [company]));
	const workflows = await Promise.all(files.map(publishBeside));
	const [lost, kept] = files.map((file) => webhooksOf(simulator, file)[0]);
	const stored = async ({ id }: WorkflowRecord) =>
		JSON.stringify(
			(await client.session.request<{ staticData: unknown }>('GET', `/workflows/${id}`)).staticData,
		);
	const deliver = async ({ id }: { id: string }) =>
		(await simulator.deliver(id, { ca, ...PERSISTENT })).status;

	addNews('second');
	for (const workflow of workflows) {
		await waitFor(
			'the feed to start the workflow',
			async () => (await client.executions(workflow.id)).length > 0,
			PATIENCE,
		);
		await waitFor(
			'its trigger to save',
			async () => !(await stored(workflow)).includes('companyRegistryTrigger'),
			PATIENCE,
		);
	}
	expect([await deliver(lost), await deliver(kept)]).toEqual([200, 200]);

	await client.waitUntilUnpublished(workflows[1].id, PATIENCE);
	await client.waitUntilPublished(workflows[1].id, PATIENCE);
	expect(await stored(workflows[1])).toContain(kept.secret);
	await host.restart();
	await waitFor('n8n to know its webhooks', async () => (await deliver(kept)) !== 404, PATIENCE);
	expect([await deliver(lost), await deliver(kept)]).toEqual([503, 200]);
	expect(simulator.webhooks()).toHaveLength(2);
});
