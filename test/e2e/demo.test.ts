// `npm start`, which ends by itself or at Ctrl-C.
// Takes long because n8n starts twice.
import { readdirSync } from 'node:fs';

import { Cleanups } from '../n8n-host/cleanups';
import { freePort } from '../n8n-host/ports';
import { waitFor } from '../n8n-host/waitFor';
import { DemoRun } from './demoRun';
import { E2E_TIMEOUT_MS } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

const cleanups = new Cleanups();

afterEach(async () => await cleanups.run());

it('--once shows a delivery and a search, and ends with 0', async () => {
	const demo = new DemoRun(cleanups, ['--once'], { N8N_PORT: String(await freePort()) });
	expect(await demo.ended).toBe(0);
	expect(demo.output).toMatch(
		/n8n verified it and answered 200.*"event": "filing\.new".*"company_name":.*All seen\./s,
	);
});

it('--watch sends filings and compiles the sources; Ctrl-C stops everything and leaves nothing behind', async () => {
	const demo = new DemoRun(cleanups, ['--watch'], { N8N_PORT: String(await freePort()) });
	await demo.says(/The editor is open at http:\S+/);
	demo.type('f');
	await demo.says(/A forged filing of company 00445790: n8n answered (?:401|500)/);
	demo.type('');
	await demo.says(/A filing of company 00445790: n8n verified it and answered 200/);
	await demo.says(/Found 0 errors\. Watching for file changes/);

	demo.pressCtrlC();
	expect(await demo.ended).toBe(0);
	// What it has started closes its output a moment before it has gone.
	await waitFor('all to have gone', () => !demo.isRunning);
	expect(await demo.portsInUse()).toEqual([]);
	expect(readdirSync(demo.temporaryFolder).filter((name) => name.startsWith('n8n-'))).toEqual([]);
});
