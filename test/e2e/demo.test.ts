// `npm start` that ends by itself, is killed, or prepares the video. dev.test.ts has it go on.
// Takes long because n8n starts three times.
import { readdirSync } from 'node:fs';

import { Cleanups } from '../n8n-host/cleanups';
import { N8nClient } from '../n8n-host/n8nClient';
import { freePort } from '../n8n-host/ports';
import { waitFor } from '../n8n-host/waitFor';
import { DemoRun } from './demoRun';
import { E2E_TIMEOUT_MS } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

const cleanups = new Cleanups();

afterEach(async () => await cleanups.run());

/** Whether n8n has begun to write its log. A folder that goes while it is read has none yet. */
function hasLog(folder: string): boolean {
	try {
		const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
		return files.some((name) => name.endsWith('n8n.log'));
	} catch {
		return false;
	}
}

it('stops everything even when it is killed outright while n8n starts', async () => {
	const demo = new DemoRun(cleanups, []);
	await demo.says(/\/\/(?:localhost|127\.0\.0\.1):\d+/);
	await waitFor("n8n's first line", () => hasLog(demo.temporaryFolder));

	demo.signal('SIGKILL');

	await waitFor('all ports to be free', async () => (await demo.portsInUse()).length === 0);
});

it('--once shows a delivery and a search, and ends with 0', async () => {
	const demo = new DemoRun(cleanups, ['--once'], { N8N_PORT: String(await freePort()) });
	expect(await demo.ended).toBe(0);
	expect(demo.output).toMatch(
		/n8n verified it and answered 200.*"event": "filing\.new".*"company_name":.*All seen\./s,
	);
});

it('--video has the package to be installed, and no company watched, at the address that it is told', async () => {
	const port = await freePort();
	const demo = new DemoRun(cleanups, ['--video'], {
		N8N_PORT: String(port),
		N8N_LISTEN_ADDRESS: '0.0.0.0',
	});
	const [, url] = await demo.says(/The editor is open at (http:\S+)/);
	// Only an n8n that listens at all addresses answers there.
	expect((await fetch(`http://127.0.0.2:${port}/healthz`)).status).toBe(200);
	const client = new N8nClient({ url });
	await client.login();
	demo.type('');
	await demo.says(/No company is watched/);
	const name = 'n8n-nodes-company-registry';
	const installed = await client.request('POST', '/community-packages', { name });
	expect(installed).toMatchObject({ packageName: name });
});
