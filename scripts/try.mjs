// `npm run try -- n8nio/n8n:latest`: the packed package in n8n's official image, which needs Docker. Without a
// name the same is done in the pinned n8n that npm has installed. See test/newest/run.ts for what is tried.
import { bootstrap } from './bootstrap.mjs';
import { installTools } from './lib/dependencies.mjs';
import { runNode, runOnHostNode } from './lib/hostProcess.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

await runScript(async () => {
	const [image] = process.argv.slice(2);
	const args = ['--import', 'tsx', 'test/newest/run.ts', ...(image ? [image] : [])];
	if (!image) {
		await bootstrap();
		return await runOnHostNode(args);
	}
	await installTools();
	await packPackage();
	return await runNode(process.execPath, args);
});
