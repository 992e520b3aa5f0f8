// `npm run record` shows what a service does, and how its deliveries are proved.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

import { freePort } from '../../n8n-host/ports';
import { waitFor } from '../../n8n-host/waitFor';
import { startTlsProxy } from '../../simulator/tlsProxy';
import { serviceForEachTest } from '../../support/atService';
import { useRealClock } from '../../support/times';

beforeAll(useRealClock);

jest.setTimeout(180_000);

const COMPANY = '99000001';
const repository = resolve(__dirname, '../../..');
const simulator = serviceForEachTest();

it('npm run record creates a webhook, shows a delivery with its scheme, and pauses the webhook, without a secret', async () => {
	const port = await freePort();
	const proxy = await startTlsProxy({ targetPort: port });
	const script = join(repository, 'scripts', 'record.mjs');
	const args = [script, '--company', COMPANY, '--port', String(port)];
	const child = spawn(process.execPath, args, {
		cwd: repository,
		env: {
			...process.env,
			COMPANY_REGISTRY_BASE_URL: `${simulator.url}/v1/`,
			COMPANY_REGISTRY_API_KEY: simulator.apiKey,
			N8N_WEBHOOK_URL: `${proxy.url}/`,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let said = '';
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
	await waitFor('it to wait', () => said.includes('Waiting'));
	const [{ id, secret }] = simulator.webhooks();
	// From someone else, or a check of the address.
	await simulator.deliver(id, { ca: proxy.ca, secret: 'another', deliveryId: 'not genuine' });
	await simulator.deliver(id, { ca: proxy.ca, scheme: 'stripe' });
	expect(await once(child, 'exit')).toEqual([0, null]);
	await proxy.close();

	expect(simulator.methods()).toEqual(['GET', 'GET', 'POST', 'GET', 'PATCH']);
	expect(simulator.webhooks()).toEqual([expect.objectContaining({ id, is_active: false })]);
	expect(said).toMatch(
		/It is recognised\.\s+The custom scheme that proves it = [^]*Stripe-Signature/,
	);
	for (const one of [simulator.apiKey, secret]) expect(said).not.toContain(one);
});
