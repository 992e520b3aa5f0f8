// `npm start`: the package in a real n8n, from a fresh clone. See test/demo/run.ts for what it shows.
import { bootstrap } from './bootstrap.mjs';
import { runOnHostNode } from './lib/hostProcess.mjs';
import { runScript } from './lib/runScript.mjs';

await runScript(async () => {
	await bootstrap();
	return await runOnHostNode(['--import', 'tsx', 'test/demo/run.ts', ...process.argv.slice(2)]);
});
