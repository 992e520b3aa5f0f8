import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installCommunityPackage } from './communityPackage';
import { hostEnvironment, withoutEditor } from './environment';
import { packedTarball, testedInstallation, versionOf, type N8nInstallation } from './installation';
import { freePort } from './ports';
import { waitFor } from './waitFor';

/** What one process does: everything, or in queue mode the webhooks or executions alone. */
export type N8nRole = 'start' | 'webhook' | 'worker';

export interface N8nOptions {
	/** `start` unless told. */
	role?: N8nRole;
	/** Folder that holds `.n8n`. Without one a temporary folder is made, which `stop` removes. */
	userFolder?: string;
	port?: number;
	/** Added to n8n's environment. */
	env?: Record<string, string>;
	/** Package to install; this package as last packed unless told, none when `null`. */
	tarball?: string | null;
	installation?: N8nInstallation;
	/** Whether n8n leaves out its editor and what runs Code nodes, which cost half of a start. */
	isHeadless?: boolean;
	/** Flags of V8 for its memory; room for a quick start unless told. */
	memory?: string[];
	/** Gives up the start, which then throws. */
	signal?: AbortSignal;
}

export type N8nHost = Awaited<ReturnType<typeof startN8n>>;

const START_TIMEOUT_MS = 300_000;
/** Longer than n8n gives itself for an orderly end, 30 seconds. */
const STOP_GRACE_MS = 40_000;
/** In MB. Room for what n8n reads at its start, which takes less work where less has to be cleared away. */
const MEMORY = [
	'--min-semi-space-size=128',
	'--max-semi-space-size=128',
	'--initial-old-space-size=800',
];

/** Starts n8n, with the package installed unless told, and resolves once it answers. */
export async function startN8n(options: N8nOptions = {}) {
	const userFolder = options.userFolder ?? (await newUserFolder());
	const port = options.port ?? (await freePort());
	const url = `http://127.0.0.1:${port}`;
	const logFile = join(userFolder, 'n8n.log');
	const installation = options.installation ?? testedInstallation;
	const { role = 'start', memory = MEMORY, signal } = options;
	let extra = { ...(options.isHeadless && withoutEditor), ...options.env };
	let child: ChildProcess | undefined;

	const brokerPort = await freePort();
	const start = async () => {
		const env = hostEnvironment(userFolder, port, brokerPort, extra);
		const preloaded = ['leash.cjs', ...(env.TEST_TRIGGER_TIMES ? ['times.cjs'] : [])];
		const requires = preloaded.flatMap((name) => ['--require', join(__dirname, name)]);
		// A file and no pipe: n8n spins on a broken pipe when its reader dies.
		const log = openSync(logFile, 'a');
		const { node, n8n } = installation;
		child = spawn(node, [...memory, ...requires, n8n, role], {
			cwd: userFolder,
			env,
			stdio: ['ignore', log, log],
			// A group of its own: Ctrl-C reaches it through its host only, and its task runner ends with it.
			detached: true,
		});
		closeSync(log);
		// All that has to answer before the process counts as started.
		const paths = ['/healthz/readiness', ...(role === 'start' ? ['/rest/login'] : [])];
		const urls = paths.map((path) => url + path);
		await untilHealthy(child, urls, logFile, signal);
	};
	const host = {
		url,
		/** Of n8n. */
		version: versionOf(installation),
		userFolder,
		/** Everything that n8n has written so far, all starts together. */
		logs: () => readFileSync(logFile, 'utf8'),
		/** Asks n8n to end, insists after a while, and removes a temporary user folder. */
		async stop(): Promise<void> {
			await end(child, 'SIGTERM');
			if (!options.userFolder) await rm(userFolder, { recursive: true, force: true });
		},
		/** SIGKILL, as a crash would look. The user folder stays. */
		kill: async () => await end(child, 'SIGKILL'),
		/** Ends n8n if it runs and starts it again on the same folder and port. */
		async restart(env: Record<string, string> = {}): Promise<void> {
			await end(child, 'SIGTERM');
			extra = { ...extra, ...env };
			await start();
		},
	};

	const { tarball = packedTarball() } = options;
	if (tarball !== null) await installCommunityPackage(userFolder, tarball);
	try {
		await start();
	} catch (error) {
		await host.stop();
		throw error;
	}
	return host;
}

/** Empty, and named without links, which n8n does not follow when it looks for changed files of a package. */
export async function newUserFolder(): Promise<string> {
	return await mkdtemp(join(await realpath(tmpdir()), 'n8n-host-'));
}

async function untilHealthy(
	child: ChildProcess,
	urls: string[],
	logFile: string,
	signal?: AbortSignal,
): Promise<void> {
	let failure: Error | undefined;
	child.once('error', (error) => (failure = error));
	const lastLines = () => readFileSync(logFile, 'utf8').split('\n').slice(-30).join('\n');
	try {
		await waitFor(
			'n8n to start',
			async () => {
				signal?.throwIfAborted();
				if (failure) throw failure;
				if (hasEnded(child)) throw new Error('n8n ended while it started');
				return (await Promise.all(urls.map(answers))).every(Boolean);
			},
			{ timeoutMs: START_TIMEOUT_MS, everyMs: 200 },
		);
	} catch (error) {
		throw new Error(`${(error as Error).message}. Its last lines:\n${lastLines()}`);
	}
}

/** Whether something there answers, be it that nobody is signed in. */
export async function answers(url: string): Promise<boolean> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
		await response.arrayBuffer();
		return response.ok || response.status === 401;
	} catch {
		return false;
	}
}

async function end(child: ChildProcess | undefined, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
	if (child?.pid === undefined) return;
	const insist = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_GRACE_MS);
	if (!hasEnded(child)) {
		const ended = once(child, 'exit');
		if (signal === 'SIGTERM') child.kill(signal);
		else signalGroup(child, signal);
		await ended;
	}
	clearTimeout(insist);
	signalGroup(child, 'SIGKILL');
}

/** Reaches what n8n has started as well. Nobody left in the group is no fault (macOS: EPERM). */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
	try {
		if (child.pid !== undefined) process.kill(-child.pid, signal);
	} catch (error) {
		if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
	}
}

function hasEnded(child: ChildProcess): boolean {
	return child.exitCode !== null || child.signalCode !== null;
}
