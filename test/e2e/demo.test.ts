// `npm start -- --watch` in a terminal, until Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { Cleanups } from '../n8n-host/cleanups';
import { freePort, isPortFree } from '../n8n-host/ports';
import { waitFor } from '../n8n-host/waitFor';
import { E2E_TIMEOUT_MS } from './surroundings';

const script = resolve(__dirname, '../../scripts/start.mjs');

jest.setTimeout(E2E_TIMEOUT_MS);

const cleanups = new Cleanups();

afterEach(async () => await cleanups.run());

it('shows a delivery and a search, sends filings and compiles the sources; Ctrl-C stops everything and leaves nothing behind', async () => {
	const temporaryFolder = mkdtempSync(join(tmpdir(), 'demo-'));
	const env = { ...process.env, TMPDIR: temporaryFolder, N8N_PORT: String(await freePort()) };
	// A group of its own, as a shell gives to each command.
	const demo = spawn(process.execPath, [script, '--watch'], { env, detached: true });
	const group = -Number(demo.pid);
	const ended = once(demo, 'close');
	cleanups.add('stop the demo', async () => {
		demo.kill('SIGTERM');
		await ended;
	});
	let output = '';
	for (const stream of [demo.stdout, demo.stderr])
		stream.on('data', (chunk: Buffer) => (output += chunk));
	const says = async (pattern: RegExp) => {
		const look = () => {
			if (demo.exitCode !== null) throw new Error(`It ended, and has said:\n${output}`);
			return pattern.test(output);
		};
		await waitFor(`the demo to say ${pattern}`, look);
	};
	const isRunning = () => {
		try {
			return process.kill(group, 0);
		} catch {
			return false;
		}
	};

	await says(/The editor is open at http:\S+/);
	expect(output).toMatch(
		/n8n verified it and answered 200.*"event": "filing\.new".*"company_name":/s,
	);
	demo.stdin.write('f\n');
	await says(/A forged filing of company 00445790: n8n answered (?:401|500)/);
	demo.stdin.write('\n');
	await says(/A filing of company 00445790: n8n verified it and answered 200/);
	await says(/Found 0 errors\. Watching for file changes/);

	process.kill(group, 'SIGINT');
	const [status] = await ended;
	expect(status).toBe(0);
	// What it has started closes its output a moment before it has gone.
	await waitFor('all to have gone', () => !isRunning());
	const ports = [...output.matchAll(/\/\/(?:localhost|127\.0\.0\.1):(\d+)/g)].map(
		([, port]) => port,
	);
	expect(ports.length).toBeGreaterThan(0);
	for (const port of ports) expect(await isPortFree(Number(port))).toBe(true);
	expect(readdirSync(temporaryFolder).filter((name) => name.startsWith('n8n-'))).toEqual([]);
});
