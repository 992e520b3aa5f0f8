import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { installNodeCli } from './dependencies.mjs';
import { cacheFolder, nodeCliFolder, repository } from './paths.mjs';

/** What a package holds that n8n's tool has made. */
const sources = ['nodes', 'credentials', 'icons', 'package.json', 'tsconfig.json'];

const modules = join(nodeCliFolder, 'node_modules');
const tool = join(modules, '@n8n', 'node-cli');
const stockConfig = join(tool, 'dist/template/templates/shared/default/eslint.config.mjs');

/**
 * Runs `n8n-node lint` and answers its exit status. In strict mode it wants its own configuration and lints the
 * whole folder, so it gets a copy of what is published.
 */
export async function lintWithNodeCli() {
	await installNodeCli();
	const { version } = readJson(join(tool, 'package.json'));
	const { n8n } = readJson(join(repository, 'package.json'));
	if (n8n.strict !== true) throw new Error('package.json does not ask for the strict mode of n8n');

	const folder = join(cacheFolder, 'n8n-node-cli');
	copySources(folder);
	const command = [join(tool, 'bin', 'n8n-node.mjs'), 'lint'];
	const { status } = spawnSync(process.execPath, command, { cwd: folder, stdio: 'inherit' });
	console.log(`n8n-node lint ${version}: ended with ${status}`);
	return status;
}

function copySources(folder) {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const name of sources) {
		cpSync(join(repository, name), join(folder, name), { recursive: true });
	}
	cpSync(stockConfig, join(folder, 'eslint.config.mjs'));
	symlinkSync(modules, join(folder, 'node_modules'), 'junction');
}

function readJson(path) {
	return JSON.parse(readFileSync(path, 'utf8'));
}
