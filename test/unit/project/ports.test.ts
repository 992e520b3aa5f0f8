// Two n8n's of one run get different ports, although each listens only seconds later.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

import { uniq } from 'lodash';

import { freePort } from '../../n8n-host/ports';

/** Room for 60 ports, each with its lock. */
const RANGE = { first: 9_000, end: 9_120 };
const MODULE = resolve(__dirname, '../../n8n-host/ports.ts');
const PROGRAM = `
	const { freePort } = require('${MODULE}');
	const ports = Array.from({ length: 20 }, () => freePort(${JSON.stringify(RANGE)}));
	Promise.all(ports).then((taken) => console.log(JSON.stringify(taken)));
	process.stdin.resume();
`;

let other: ChildProcess | undefined;
afterEach(() => other?.kill('SIGKILL'));

const take = async (count: number) =>
	await Promise.all(Array.from({ length: count }, async () => await freePort(RANGE)));

it('gives no port twice while its process runs, and all ports of a process that has been killed', async () => {
	const child = spawn(process.execPath, ['--import', 'tsx', '-e', PROGRAM]);
	other = child;
	const ended = once(child, 'exit');
	const output = once(child.stdout, 'data');
	const own = await take(20);
	const others: number[] = JSON.parse(String(await output));
	expect(uniq([...own, ...others])).toHaveLength(40);

	child.kill('SIGKILL');
	await ended;
	const more = await take(30);
	expect(uniq([...own, ...more])).toHaveLength(50);
	await expect(take(20)).rejects.toThrow('No port is free from 9000 to 9120');
});
