// What is in the packed package, and what is not.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';

import { packedTarball } from '../n8n-host/installation';

const root = join(__dirname, '../..');
/** What n8n provides to every node when it runs. */
const PROVIDED = ['crypto', 'lodash', 'luxon', 'n8n-workflow', 'zod'];

interface Manifest {
	name: string;
	scripts: Record<string, string>;
	peerDependencies: Record<string, string>;
}

/** Files below a folder, relative to `base`, with forward slashes. */
function filesBelow(base: string, folder = ''): string[] {
	const entries = readdirSync(join(base, folder), { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	return files.map(({ parentPath, name }) => posix.relative(base, join(parentPath, name)));
}

describe('the packed package', () => {
	const unpacked = mkdtempSync(join(tmpdir(), 'packed-'));
	execFileSync('tar', ['-xzf', packedTarball(), '-C', unpacked, '--strip-components=1']);
	afterAll(() => rmSync(unpacked, { recursive: true }));

	const files = filesBelow(unpacked).sort();
	const scripts = files.filter((file) => file.endsWith('.js'));
	const manifest: Manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));

	it('holds the compiled sources, what n8n loads beside them and the documents, no more', () => {
		const sources = ['nodes', 'credentials', 'icons'].flatMap((folder) => filesBelow(root, folder));
		const compiled = sources.map((file) => posix.join('dist', file.replace(/\.ts$/, '.js')));
		const documents = ['CHANGELOG.md', 'LICENSE.md', 'README.md', 'package.json'];
		expect(files).toEqual([...compiled, ...documents].sort());
		expect(compiled.length).toBeGreaterThan(50);
	});

	it('requires nothing but its own files and what n8n provides', () => {
		const required = scripts.flatMap((file) => {
			const calls = readFileSync(join(unpacked, file), 'utf8').matchAll(/require\(([^)]*)\)/g);
			return [...calls].map(([, name]) => name.slice(1, -1));
		});
		expect(required).toContain('n8n-workflow');
		const foreign = required.filter((name) => !name.startsWith('.') && !PROVIDED.includes(name));
		expect(foreign).toEqual([]);
	});

	it('brings no dependency and runs nothing when it is installed', () => {
		const dependencies = Object.keys(manifest).filter((key) => /dependenc/i.test(key));
		expect(dependencies.sort()).toEqual(['devDependencies', 'peerDependencies']);
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		const scriptNames = Object.keys(manifest.scripts).join('\n');
		expect(scriptNames).not.toMatch(/install|prepare|^pre|^post/m);
	});
});
