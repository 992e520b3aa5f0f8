// Brings a fresh clone to where the demo and the tests can run, with nothing but Node and npm:
// the development tools, the pinned n8n, the package built and packed. Each step is skipped where
// it is done already. `npm start` and `npm test` do this first; it can also be run by itself,
// and with --n8n-1x it installs the n8n 1.x of the compatibility tests as well.
import { fileURLToPath } from 'node:url';

import { installN8n, installN8n1x, installTools } from './lib/dependencies.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

/** @param {{ withN8n1x?: boolean }} [options] */
export async function bootstrap({ withN8n1x = false } = {}) {
	await sideBySide([buildPackage(), installN8n(), withN8n1x ? installN8n1x() : undefined]);
}

async function buildPackage() {
	await installTools();
	await packPackage();
}

/** Lets every step come to its end, so that none goes on unseen when another has failed. */
async function sideBySide(steps) {
	const failed = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
	if (failed) throw failed.reason;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await runScript(async () => await bootstrap({ withN8n1x: process.argv.includes('--n8n-1x') }));
}
