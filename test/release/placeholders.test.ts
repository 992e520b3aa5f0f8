// The check that keeps the package from being published while only its owner's details are missing.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'placeholders-'));
const places = ['package.json', 'LICENSE.md', 'SECURITY.md', 'CHANGELOG.md', 'README.md'];
const folders = ['credentials', 'nodes', 'docs', '.github'];

beforeAll(() => {
	for (const name of [...places, ...folders]) {
		cpSync(join(root, name), join(copy, name), { recursive: true });
	}
});

afterAll(() => rmSync(copy, { recursive: true }));

/** The exit status, and the files with a placeholder, each once. */
function check() {
	const script = join(root, 'scripts', 'placeholders.mjs');
	const { status, stdout } = spawnSync(process.execPath, [script, copy], { encoding: 'utf8' });
	const files = [...stdout.matchAll(/^(.+?):\d+: /gm)].map(([, file]) => file);
	return { status, files: [...new Set(files)].sort() };
}

function fillIn(file: string, placeholder: string | RegExp, value: string): void {
	const path = join(copy, file);
	writeFileSync(path, readFileSync(path, 'utf8').replaceAll(placeholder, value));
}

it('refuses while one is left, lets pass once all are filled in, and CONTRIBUTING.md lists where', () => {
	writeFileSync(join(copy, 'LICENSE.md'), 'Copyright (c) 2026 Company Registry Nodes\n');
	const { files } = check();
	const listed = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
	for (const file of files) {
		const [folder] = file.split('/');
		const names = [file, `${folder}/`, file.split('/').at(-1)].map((name) => `\`${name}\``);
		expect(names.filter((name) => listed.includes(name))).not.toEqual([]);

		fillIn(file, 'maintainers@company-registry-nodes.example', 'owner@acme.com');
		expect(check().status).toBe(1);
		fillIn(file, /company-registry-nodes|Company Registry Nodes/g, 'acme');
		fillIn(file, /stands? here once the package is published/g, 'is Acme');
		fillIn(file, /not (?:been )?published (?:to npm )?yet/g, 'published');
	}
	expect(check()).toEqual({ status: 0, files: [] });

	for (const left of [
		'Write to someone@registry.example.',
		'An account at the registry service (its name and a link to its sign-up stand here once the package is published).',
		'Its reference (a link stands here once the package is published) lists more events.',
		'The package has not been published to npm yet.',
	]) {
		writeFileSync(join(copy, 'SECURITY.md'), `${left}\n`);
		expect(check()).toEqual({ status: 1, files: ['SECURITY.md'] });
	}
});
