// `npm run try -- n8nio/n8n:latest`: the packed package in n8n's official image, which needs Docker. See
// test/newest/run.ts for what is tried.
import { installTools } from './lib/dependencies.mjs';
import { runNode } from './lib/hostProcess.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

await runScript(async () => {
	const [image = 'n8nio/n8n:latest'] = process.argv.slice(2);
	await installTools();
	await packPackage();
	return await runNode(process.execPath, ['--import', 'tsx', 'test/newest/run.ts', image]);
});
