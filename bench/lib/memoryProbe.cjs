// Loaded into n8n (node --require): on SIGUSR2 writes what n8n takes, before and after a garbage
// collection, to the file that BENCH_MEMORY_FILE names. n8n's task runner, which inherits the setting,
// has no such file.
const { writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

/** Memory goes back to the operating system in the background: V8 keeps freed pages ready for some seconds. */
const BACKGROUND_MS = 15_000;
const file = process.env.BENCH_MEMORY_FILE;
delete process.env.BENCH_MEMORY_FILE;
if (file) {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc');
	process.on('SIGUSR2', () => {
		const before = process.memoryUsage();
		// What is freed in one collection lets go of more in the next.
		for (let time = 0; time < 3; time++) collect();
		setTimeout(() => {
			// Any other leaves what it frees with the engine, for the next garbage.
			collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
			setTimeout(
				() => writeFileSync(file, JSON.stringify({ before, after: process.memoryUsage() })),
				BACKGROUND_MS,
			);
		}, BACKGROUND_MS);
	});
}
