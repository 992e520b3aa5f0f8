// Brings a fresh clone to where the demo and the tests can run, with nothing but Node and npm:
// the development tools, the pinned n8n, the package built and packed. Each step is skipped where
// it is done already. `npm start` and `npm test` do this first; it can also be run by itself.
import { fileURLToPath } from 'node:url';

import { installN8n, installTools } from './lib/dependencies.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

export async function bootstrap() {
	await installTools();
	await installN8n();
	await packPackage();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await runScript(bootstrap);
}
