// `npm run bench`: measures this package against its peers and writes bench/RESULTS.md.
// `--quick` for a try with small numbers that writes nothing, `--only=<part>` for one part.
import { bootstrap } from './bootstrap.mjs';
import { runOnHostNode } from './lib/hostProcess.mjs';
import { runScript } from './lib/runScript.mjs';

await runScript(async () => {
	await bootstrap();
	return await runOnHostNode(['--import', 'tsx', 'bench/run.ts', ...process.argv.slice(2)]);
});
