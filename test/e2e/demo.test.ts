// `npm start`: the service that it uses, and what it says when it cannot work. With the stand-in it is
// started in dev.test.ts.
// Takes long because n8n starts on an empty folder, twice.
import { Cleanups } from '../n8n-host/cleanups';
import { N8nClient } from '../n8n-host/n8nClient';
import { freePort } from '../n8n-host/ports';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator } from '../simulator';
import { startTlsProxy } from '../simulator/tlsProxy';
import { DemoRun } from './demoRun';
import { watcher } from './reliability/watchers';
import { E2E_TIMEOUT_MS } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

const cleanups = new Cleanups();

afterEach(async () => await cleanups.run());

function startDemo(args: string[], env?: Record<string, string>): DemoRun {
	const demo = new DemoRun(args, env);
	cleanups.add('stop the demo', async () => {
		demo.signal('SIGTERM');
		await demo.ended();
	});
	return demo;
}

it('stops everything even when it is killed outright while n8n starts', async () => {
	const demo = startDemo([]);
	await demo.says(/Starting n8n/);

	demo.signal('SIGKILL');

	await waitFor('all ports to be free', async () => (await demo.portsInUse()).length === 0);
});

it('--once uses the service that the environment names, waits for it to send something, and ends with 0', async () => {
	const simulator = await startSimulator();
	cleanups.add('stop the stand-in', async () => await simulator.close());
	const proxyPort = await freePort();
	const demo = startDemo(['--once'], {
		COMPANY_REGISTRY_BASE_URL: simulator.url,
		COMPANY_REGISTRY_API_KEY: simulator.apiKey,
		N8N_WEBHOOK_URL: `https://localhost:${proxyPort}/`,
	});
	const [, n8nPort] = await demo.says(/has to lead to http:\/\/localhost:(\d+)/);
	const proxy = await startTlsProxy({ targetPort: Number(n8nPort), port: proxyPort });
	cleanups.add('stop the TLS proxy', async () => await proxy.close());

	await demo.says(/Waiting for the service to send an event/);
	const [webhook] = simulator.webhooks();
	await simulator.deliver(webhook.id, { event: 'filing.new', ca: proxy.ca });

	expect(await demo.ended()).toBe(0);
	// Or the service would go on to send to an address that nobody serves.
	expect(simulator.webhooks()).toMatchObject([{ is_active: false }]);
});

it('--video has the package to be installed, and sends events when it is told to', async () => {
	const demo = startDemo(['--video'], { N8N_PORT: String(await freePort()) });
	const [, url] = await demo.says(/The editor is open at (http:\S+)/);
	const [, baseUrl] = await demo.says(/Base URL +(\S+)/);
	const [, apiKey] = await demo.says(/API key +(\S+)/);
	const client = new N8nClient({ url });
	await client.login();
	demo.type('');
	await demo.says(/No company is watched/);

	const name = 'n8n-nodes-company-registry';
	await client.session.request('POST', '/community-packages', { name });
	const credential = await client.createRegistryCredential({ url: baseUrl, apiKey });
	const { id } = await client.createWorkflow(watcher(credential, ['00445790']));
	await client.waitUntilPublished(id);
	demo.type('f');
	await demo.says(/A forged filing of company 00445790: n8n answered (?:401|500)/);
	demo.type('');
	await demo.says(/A filing of company 00445790: n8n verified it and answered 200/);
});

it.each([
	[
		'no public address for the real service to deliver to',
		{ COMPANY_REGISTRY_BASE_URL: 'https://api.example.com', COMPANY_REGISTRY_API_KEY: 'key' },
		/Set N8N_WEBHOOK_URL/,
	],
	[
		'an API key without a base URL',
		{ COMPANY_REGISTRY_API_KEY: 'key' },
		/Set both COMPANY_REGISTRY_BASE_URL and COMPANY_REGISTRY_API_KEY/,
	],
])('ends with 1 and the reason when there is %s', async (_case, env, reason) => {
	const demo = startDemo(['--once'], env);
	expect(await demo.ended()).toBe(1);
	expect(demo.output).toMatch(reason);
});
