// Addresses that only this machine knows are no destinations: a service elsewhere could not deliver there.
import { failureOf, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch } from '../../support/savedWorkflow';

const simulator = serviceForEachTest();

it.each([
	'https://localhost',
	'https://localhost:5678',
	'https://LOCALHOST',
	'https://localhost.',
	'https://n8n.localhost',
	'https://127.0.0.1',
	'https://127.1.2.3:8443',
	'https://[::1]:5678',
	'https://[::ffff:127.0.0.1]',
])('%s is refused, and what to set is named', async (origin) => {
	const webhookBaseUrl = `${origin}/webhook`;
	const credentials = { companyRegistryApi: { baseUrl: 'https://api.example.com', apiKey: 'key' } };
	const workflow = watch(simulator, companyNumbers(2), { webhookBaseUrl, credentials });
	const message = await failureOf(workflow.publish());
	expect(message).toMatch(/^Nothing is watched: /);
	expect(message).toContain(origin);
	expect(message).toMatch(/N8N_WEBHOOK_URL/);
});

it.each([
	'https://n8n.example.com',
	'https://localhost.example.com',
	'https://10.0.0.7',
	'https://127.example.com',
])('%s may be one', async (origin) => {
	const webhookBaseUrl = `${origin}/webhook`;
	await watch(simulator, companyNumbers(1), { webhookBaseUrl }).publish();
	expect(simulator.webhooks()).toHaveLength(1);
});
