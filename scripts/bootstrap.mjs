// Brings a fresh clone to where the demo and the tests can run, with nothing but Node and npm:
// the development tools, the pinned n8n, the package built and packed. Each step is skipped where
// it is done already. `npm start` and `npm test` do this first; it can also be run by itself,
// and with --n8n-1x it installs the n8n 1.x of the compatibility tests as well.
import { fileURLToPath } from 'node:url';

import { installN8n, installN8n1x, installTools } from './lib/dependencies.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

export async function bootstrap() {
	await installTools();
	await installN8n();
	await packPackage();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await runScript(async () => {
		await bootstrap();
		if (process.argv.includes('--n8n-1x')) await installN8n1x();
	});
}
