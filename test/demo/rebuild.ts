import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

import type { Cleanups } from '../n8n-host/cleanups';
import { installedPackageFolder } from '../n8n-host/communityPackage';

/** For n8n's environment: it loads an installed package again whenever one of its files changes. */
export const RELOADING = { N8N_DEV_RELOAD: 'true' };

const repository = resolve(__dirname, '../..');

/**
 * From now on, until the cleanups run, each saved change of the sources is compiled into the package
 * as it is installed in an n8n. What the compiler says goes to this terminal.
 */
export function rebuildOnChange(userFolder: string, cleanups: Cleanups): void {
	const dist = join(installedPackageFolder(userFolder), 'dist');
	const tools = [
		run(['typescript/bin/tsc', '--watch', '--preserveWatchOutput', '--outDir', dist]),
		run(['gulp/bin/gulp.js', '--silent', 'watchAssets'], { DIST: dist }),
	];
	cleanups.add('stop rebuilding', async () => {
		await Promise.all(tools.map(end));
	});
}

function run([tool, ...args]: string[], env: Record<string, string> = {}): ChildProcess {
	const leash = join(repository, 'test', 'n8n-host', 'leash.cjs');
	const script = join(repository, 'node_modules', tool);
	return spawn(process.execPath, ['--require', leash, script, ...args], {
		cwd: repository,
		env: { ...process.env, ...env, LEASH_PARENT_PID: String(process.pid) },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
}

async function end(tool: ChildProcess): Promise<void> {
	if (tool.exitCode !== null || tool.signalCode !== null) return;
	const ended = once(tool, 'exit');
	tool.kill();
	await ended;
}
