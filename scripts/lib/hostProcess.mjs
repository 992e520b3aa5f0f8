import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { compiledFolder, hostFolder, hostNode, repository } from './paths.mjs';

/** Runs a script under the Node of the pinned n8n; see `runNode`. */
export async function runOnHostNode(args, env) {
	return await runNode(hostNode, args, env);
}

/**
 * Runs a script in this terminal and answers its exit status. It hears of Ctrl-C and termination and
 * may take its time to put things away; it ends by itself should this process be killed.
 *
 * @param {string} node path of the Node to run it with
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to this process's environment
 */
export async function runNode(node, args, env = {}) {
	const child = spawn(node, ['--require', join(hostFolder, 'leash.cjs'), ...args], {
		cwd: repository,
		env: {
			...process.env,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compiledFolder,
			...env,
			LEASH_PARENT_PID: String(process.pid),
		},
		stdio: 'inherit',
	});
	// A terminal's Ctrl-C reaches both processes by itself.
	process.on('SIGINT', () => {});
	process.on('SIGTERM', () => child.kill('SIGTERM'));
	process.on('SIGHUP', () => child.kill('SIGTERM'));
	return await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code) => resolve(code ?? 1));
	});
}
