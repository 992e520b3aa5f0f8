import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Cleanups } from '../n8n-host/cleanups';
import { isPortFree } from '../n8n-host/ports';
import { waitFor } from '../n8n-host/waitFor';

const script = resolve(__dirname, '../../scripts/start.mjs');

/** What `npm start` runs, as a process of its own, until the cleanups run. */
export class DemoRun {
	private readonly child: ChildProcess;
	/** The exit status once it has ended; null after a signal that it could not handle. */
	readonly ended: Promise<number | null>;

	/** Everything written so far to either stream. */
	output = '';

	/** Where the demo puts whatever it puts anywhere. */
	readonly temporaryFolder = mkdtempSync(join(tmpdir(), 'demo-'));

	constructor(cleanups: Cleanups, args: string[], env: Record<string, string>) {
		this.child = spawn(process.execPath, [script, ...args], {
			env: { ...process.env, TMPDIR: this.temporaryFolder, ...env },
			stdio: 'pipe',
			// A group of its own, as a shell gives to each command.
			detached: true,
		});
		this.ended = once(this.child, 'close').then(([status]) => status);
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream?.on('data', (chunk: Buffer) => (this.output += chunk));
		}
		cleanups.add('stop the demo', async () => {
			this.child.kill('SIGTERM');
			await this.ended;
		});
	}

	/** Types a line. */
	type(line: string): void {
		this.child.stdin?.write(`${line}\n`);
	}

	/** Reaches the script and what it has started in this terminal. */
	pressCtrlC(): void {
		if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGINT');
	}

	/** Waits for the demo to write something, and answers the match. */
	async says(pattern: RegExp): Promise<RegExpMatchArray> {
		const look = () => {
			const match = this.output.match(pattern);
			if (!match && this.child.exitCode !== null) throw new Error('It ended');
			return match ?? undefined;
		};
		// Longer than n8n may take for its start on an empty folder.
		return await waitFor(`the demo to say ${pattern}`, look, { timeoutMs: 400_000 }).catch(
			({ message }: Error) => {
				throw new Error(`${message}. It has said:\n${this.output}`);
			},
		);
	}

	/** Whether it, or what it has started in this terminal, still runs. */
	get isRunning(): boolean {
		try {
			return this.child.pid !== undefined && process.kill(-this.child.pid, 0);
		} catch {
			return false;
		}
	}

	/** The ports it has named that someone still listens on. */
	async portsInUse(): Promise<string[]> {
		const ports = new Set(
			[...this.output.matchAll(/\/\/(?:localhost|127\.0\.0\.1):(\d+)/g)].map((match) => match[1]),
		);
		if (ports.size === 0) throw new Error(`The demo named no port:\n${this.output}`);
		const free = await Promise.all([...ports].map((port) => isPortFree(Number(port))));
		return [...ports].filter((_port, index) => !free[index]);
	}
}
