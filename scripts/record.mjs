// `npm run record`: what the real service does, with the owner's key; see test/recorded/run.ts.
import { installTools } from './lib/dependencies.mjs';
import { runNode } from './lib/hostProcess.mjs';
import { runScript } from './lib/runScript.mjs';

await runScript(async () => {
	await installTools();
	const args = ['--import', 'tsx', 'test/recorded/run.ts', ...process.argv.slice(2)];
	return await runNode(process.execPath, args);
});
