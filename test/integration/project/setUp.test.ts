// Ctrl-C breaks off what is being set up, also while npm ignores that.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitFor } from '../../n8n-host/waitFor';

const repository = join(__dirname, '../../..');
const parent = mkdtempSync(join(tmpdir(), 'set-up-'));
afterAll(() => rmSync(parent, { recursive: true }));
/** Its name is in that of the log, which the next run overwrites. */
const folder = join(parent, 'setUp');
mkdirSync(folder);

/** Says by files that it has begun and, after 20 seconds, that it has ended. */
const ignoresSignals = `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
	const say = (what) => require('fs').writeFileSync(what, '');
	say('begun');
	setTimeout(() => say('ended'), 20_000);`;

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends a step that ignores it', async (signal) => {
	rmSync(join(folder, 'begun'), { force: true });
	const script = `import { longRun } from './scripts/lib/longRun.mjs';
		import { runScript } from './scripts/lib/runScript.mjs';
		const step = ['-e', ${JSON.stringify(ignoresSignals)}];
		await runScript(() => longRun('Waiting', process.execPath, step, { cwd: ${JSON.stringify(folder)} }));`;
	const setUp = spawn(process.execPath, ['--input-type=module', '-e', script], {
		cwd: repository,
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	const error = setUp.stderr.setEncoding('utf8').toArray();
	await waitFor('the step to begin', () => existsSync(join(folder, 'begun')));

	setUp.kill(signal);

	expect(await once(setUp, 'exit')).toEqual([1, null]);
	expect((await error).join('')).toContain(`Stopped by ${signal}. Run the command again`);
	expect(existsSync(join(folder, 'ended'))).toBe(false);
});
