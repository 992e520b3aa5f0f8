// Brings a fresh clone to where the demo and the tests can run, with nothing but Node and npm:
// the development tools, the pinned n8n, the package built and packed. Each step is skipped where
// it is done already. `npm start` and `npm test` do this first; it can also be run by itself,
// and with --n8n-1x it installs the n8n 1.x of the compatibility tests as well.
import { fileURLToPath } from 'node:url';

import { hasTools, installN8n, installTools, sideBySide, stepsToN8n } from './lib/dependencies.mjs';
import { planSteps } from './lib/longRun.mjs';
import { packPackage, stepsToPackage } from './lib/packPackage.mjs';
import { runScript } from './lib/runScript.mjs';

/** @param {{ withN8n1x?: boolean }} [options] */
export async function bootstrap(options) {
	const steps = (hasTools() ? 0 : 1) + stepsToN8n(options) + stepsToPackage();
	if (steps === 0) return;
	const started = Date.now();
	planSteps(steps);
	console.log(`Setting up, once: ${steps} ${steps === 1 ? 'step' : 'steps, some side by side'}.`);
	await sideBySide([buildPackage(), installN8n(options)]);
	console.log(`Set up in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

async function buildPackage() {
	await installTools();
	await packPackage();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await runScript(async () => await bootstrap({ withN8n1x: process.argv.includes('--n8n-1x') }));
}
