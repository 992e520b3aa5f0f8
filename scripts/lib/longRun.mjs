import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { cacheFolder } from './paths.mjs';

const PROGRESS_EVERY_MS = 15_000;
const LAST_LINES = 60;
/** npm first finishes its step, which may take a minute. What is half done is found and done again the next time. */
const HEEDS_SIGNAL_WITHIN_MS = 3_000;
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command that may take minutes: says what it is for, then how long it has taken so far.
 * The output goes to a log file, whose last lines become the error's text when it fails.
 *
 * @param {string} purpose completes "…", such as "Installing n8n"
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 */
export async function longRun(purpose, command, args, { cwd, env = process.env }) {
	const logFolder = join(cacheFolder, 'logs');
	mkdirSync(logFolder, { recursive: true });
	const logFile = join(logFolder, `${basename(cwd)}-${purpose.replace(/\W+/g, '-')}.log`);
	const started = Date.now();
	const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`;

	console.log(`${purpose} …`);
	const progress = setInterval(
		() => console.log(`  still at it: ${purpose} (${elapsed()})`),
		PROGRESS_EVERY_MS,
	);
	try {
		const reason = await run(command, args, { cwd, env, logFile });
		if (reason)
			throw new Error(`${purpose} failed: ${reason}\n${lastLines(logFile)}\nWhole log: ${logFile}`);
	} finally {
		clearInterval(progress);
	}
	console.log(`  done: ${purpose} (${elapsed()})`);
}

/** Answers why it failed, or undefined. A signal to this process ends the command and throws. */
async function run(command, args, { cwd, env, logFile }) {
	const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
	const log = createWriteStream(logFile);
	child.stdout.pipe(log, { end: false });
	child.stderr.pipe(log, { end: false });
	let stoppedBy;
	const pass = (signal) => {
		stoppedBy = signal;
		child.kill(signal);
		setTimeout(() => child.kill('SIGKILL'), HEEDS_SIGNAL_WITHIN_MS).unref();
	};
	for (const signal of endingSignals) process.on(signal, pass);
	const reason = await new Promise((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('close', (code, signal) =>
			resolve(code === 0 ? undefined : `ended with ${signal ?? code}`),
		);
	});
	for (const signal of endingSignals) process.removeListener(signal, pass);
	await new Promise((resolve) => log.end(resolve));
	if (stoppedBy) throw new Error(`Stopped by ${stoppedBy}. Run the command again to go on.`);
	return reason;
}

function lastLines(file) {
	return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
}
