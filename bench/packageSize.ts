import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packedTarball, pinnedInstallation } from '../test/n8n-host/installation';
import type { Figure } from './lib/report';
import { median } from './lib/rounds';

const hostModules = join(__dirname, '../test/n8n-host/node_modules');

/** Size of the unpacked package, and how long n8n's Node takes to load its classes. */
export function measurePackage({ rounds }: { rounds: number }): Figure[] {
	const folder = mkdtempSync(join(tmpdir(), 'bench-package-'));
	try {
		execFileSync('tar', ['-xzf', packedTarball(), '-C', folder, '--strip-components=1']);
		const bytes = filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0);
		const milliseconds = median(Array.from({ length: rounds }, () => loadingTime(folder)));
		return [
			{
				what: 'unpacked package',
				ours: `${Math.round(bytes / 1024)} KB`,
				peer: '',
				target: 'shown',
				isMet: true,
			},
			{
				what: 'loading it',
				ours: `${milliseconds.toFixed(0)} ms`,
				peer: '',
				target: 'shown',
				isMet: true,
			},
		];
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Milliseconds in a new process that has loaded what n8n has loaded by then. */
function loadingTime(folder: string): number {
	const { n8n } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	const classes = [...n8n.credentials, ...n8n.nodes].map((path: string) => join(folder, path));
	const script = `
		require('n8n-workflow'); require('zod');
		const start = performance.now();
		for (const path of ${JSON.stringify(classes)}) require(path);
		console.log(performance.now() - start);`;
	return Number(
		execFileSync(pinnedInstallation.node, ['-e', script], {
			cwd: hostModules,
			env: { ...process.env, NODE_PATH: hostModules },
			encoding: 'utf8',
		}),
	);
}

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}
