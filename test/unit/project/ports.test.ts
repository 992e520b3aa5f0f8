// Two n8n's of one run get different ports, although each listens only seconds later.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

import { freePort, isPortFree } from '../../n8n-host/ports';

const MODULE = resolve(__dirname, '../../n8n-host/ports.ts');
const PROGRAM = `
	require('${MODULE}').freePort().then(console.log);
	process.stdin.resume();
`;

let other: ChildProcess | undefined;
afterEach(() => other?.kill('SIGKILL'));

/** The only choice. */
const only = (port: number) => ({ first: port, end: port + 2 });

it('gives no port a second time in the same process, even if nothing listens there', async () => {
	const port = await freePort();
	expect(await isPortFree(port)).toBe(true);
	await expect(freePort(only(port))).rejects.toThrow(`No port is free from ${port}`);
});

it('gives no port of another process, until that ends, even by a kill', async () => {
	const child = spawn(process.execPath, ['--import', 'tsx', '-e', PROGRAM]);
	other = child;
	const ended = once(child, 'exit');
	const port = Number(await once(child.stdout, 'data'));
	expect(await isPortFree(port)).toBe(true);
	await expect(freePort(only(port))).rejects.toThrow(`No port is free from ${port}`);

	child.kill('SIGKILL');
	await ended;
	expect(await freePort(only(port))).toBe(port);
});
