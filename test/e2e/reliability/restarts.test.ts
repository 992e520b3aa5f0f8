// n8n at another public address, and what it logs; and "Execute step" and publishing without one.
// Takes long because n8n starts twice.
import { withParameters } from '../../n8n-host/exampleWorkflows';
import { outputOf } from '../../n8n-host/execution';
import { behindProxy } from '../../n8n-host/publicAddress';
import { startTlsProxy } from '../../simulator/tlsProxy';
import { useSurroundings } from '../surroundings';
import {
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	executedDeliveries,
	publishedWatcher,
	watcher,
	webhooksOf,
} from './watchers';

const surroundings = useSurroundings();
test("a new public address reaches the webhooks that exist once the user says that n8n has moved, and n8n's log at level debug names no secret and no API key", async () => {
	const { host, client, simulator } = surroundings;
	const workflow = await publishedWatcher(surroundings, companyNumbers(3));
	const webhooks = webhooksOf(simulator, workflow);
	const proxy = await startTlsProxy({ targetPort: host.port });
	try {
		await host.restart({ N8N_LOG_LEVEL: 'debug', ...behindProxy(proxy.url) });
		// n8n 2.40 calls no trigger for a publish that changes nothing about the node.
		await client.waitUntilPublished(workflow.id);
		await client.waitUntilUnpublished(workflow.id);
		await expect(client.waitUntilPublished(workflow.id)).rejects.toThrow(
			/but this n8n's address is .*Address Changed/,
		);
		expect(simulator.webhooks()).toEqual(webhooks);

		const moving = { options: { addressChanged: 'move' } };
		await client.updateWorkflow(workflow.id, withParameters(workflow, TRIGGER, moving));
		await client.waitUntilPublished(workflow.id);

		const url = expect.stringContaining(`${proxy.url}/webhook/`);
		expect(simulator.webhooks()).toEqual(webhooks.map((webhook) => ({ ...webhook, url })));

		const { ca } = proxy;
		const deliveries = await Promise.all(
			webhooks.map(async ({ id }) => await simulator.deliver(id, { ca, ...PERSISTENT })),
		);
		const delivered = deliveries.map(({ deliveryId }) => deliveryId).sort();
		expect((await executedDeliveries(client, workflow.id, 3)).sort()).toEqual(delivered);
		const unsigned = { ca, sign: false };
		expect((await simulator.deliver(webhooks[0].id, unsigned)).status).toBe(401);
	} finally {
		await proxy.close();
	}
	const log = host.logs();
	expect(log).toMatch(
		/A delivery for company 1000000\d has no signature in a known format\. Answer: 401/,
	);
	for (const { secret } of webhooks) expect(log).not.toContain(secret.replace('whsec_', ''));
	expect(log).not.toContain(simulator.apiKey);
});

test('without a public address a test run shows a sample of each event, the service hears of none, and publishing says what it needs', async () => {
	const { client, credential, host, simulator } = surroundings;
	const events = ['filing.new', 'psc.added'];
	const { id } = await client.createWorkflow(watcher(credential, companyNumbers(2), { events }));
	simulator.clearRequests();
	await host.restart({ N8N_WEBHOOK_URL: '', WEBHOOK_URL: '' });
	await client.listenForTestEvent(id, TRIGGER);
	const execution = await client.waitForNextExecution(id);
	const sample = { company_number: '10000000', webhook_id: 'sample', payload: { sample: true } };
	expect(outputOf(execution, TRIGGER).map(({ json }) => json)).toMatchObject(
		events.map((event) => ({ event, ...sample })),
	);
	await expect(client.waitUntilPublished(id)).rejects.toThrow(
		/delivers only to https addresses.*N8N_WEBHOOK_URL to the public https address.*restart n8n/s,
	);
	expect(simulator.requests).toEqual([]);
});
