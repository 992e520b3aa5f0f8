// Brings a fresh clone to where the demo and the tests can run, with nothing but Node and npm:
// the development tools, the pinned n8n, the package built and packed. Each step is skipped where
// it is done already. `npm start` and `npm test` do this first; it can also be run by itself,
// and with the name of an older line, `2.40`, it installs that n8n as well.
import { fileURLToPath } from 'node:url';

import { installN8n, installTools, sideBySide } from './lib/dependencies.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { hostFolder, olderHostFolder } from './lib/paths.mjs';
import { runScript } from './lib/runScript.mjs';

/** @param {string[]} [others] folders of n8n beside the pinned one */
export async function bootstrap(others = []) {
	await sideBySide([installTools().then(packPackage), installN8n([hostFolder, ...others])]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await runScript(async () => await bootstrap(process.argv.slice(2).map(olderHostFolder)));
}
