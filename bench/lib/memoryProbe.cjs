// Loaded into n8n (node --require): on SIGUSR2 collects garbage and writes what is left to the file
// that BENCH_MEMORY_FILE names. n8n's task runner, which inherits the setting, has no such file.
const { writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const file = process.env.BENCH_MEMORY_FILE;
delete process.env.BENCH_MEMORY_FILE;
if (file) {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc');
	process.on('SIGUSR2', () => {
		for (let time = 0; time < 3; time++) collect();
		// A little later: memory goes back to the operating system in the background.
		setTimeout(() => writeFileSync(file, JSON.stringify(process.memoryUsage())), 3000);
	});
}
