// One command fills in what only the owner of the package knows, in a copy of the repository, and keeps the
// package from being published before.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = join(__dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'own-'));
const left = ['node_modules', '.git', '.cache', 'dist', 'coverage', 'test', 'bench'];

beforeAll(() => {
	const filter = (path: string) => !left.includes(relative(root, path).split('/')[0]);
	cpSync(root, copy, { recursive: true, filter });
	symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true }));

const everything = [
	...['--service', 'Acme Registry', '--sign-up', 'https://acme.test/join'],
	...['--reference', 'https://acme.test/api?v=1&all=$&'],
	...['--repository', 'acme/registry-for-n8n', '--reviewer', '@acme/nodes'],
	...['--email', 'n8n@acme.test'],
];

/** The exit status, what was said, and the files in which something is open, each once. */
function own(...args: string[]) {
	const script = join(copy, 'scripts', 'own.mjs');
	const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
		encoding: 'utf8',
	});
	const files = [...stdout.matchAll(/^(.+?):\d+: /gm)].map(([, file]) => file);
	return { status, said: stdout + stderr, open: [...new Set(files)] };
}

const read = (file: string) => readFileSync(join(copy, file), 'utf8');

it.each([
	['--email', 'nobody', 'an email address'],
	['--email', 'someone@registry.example', 'an email address'],
	['--sign-up', 'http://acme.test', 'a link that begins with https://'],
	['--reference', 'https://example.com/api', 'a link that begins with https://'],
	['--repository', 'https://github.com/acme/nodes', 'owner/name at GitHub'],
	['--service', 'Acme](x', 'a name in one line'],
	['--reviewer', 'acme', '@name or @organisation/team at GitHub'],
])('changes nothing where %s is %s', (flag, value, what) => {
	const before = own().said;
	const { status, said } = own(...everything, flag, value);
	expect(status).toBe(1);
	expect(said).toContain(`${flag} is not ${what}: ${value}\nNothing was changed.`);
	expect(own().said).toBe(before);
});

it('fills in what is given, says what is open, changes nothing twice, and the result builds', () => {
	expect(own().open).toEqual(expect.arrayContaining(['package.json', 'README.md', 'SECURITY.md']));

	expect(own('--email', 'n8n@acme.test').said).toContain(
		'Filled in: package.json, SECURITY.md, CODE_OF_CONDUCT.md\n',
	);
	expect(own(...everything)).toMatchObject({ status: 1, open: ['README.md', 'CHANGELOG.md'] });
	expect(own(...everything).said).toMatch(/^Nothing to change/);
	expect(read('README.md')).not.toContain('badge.svg');
	expect(own('--published')).toMatchObject({ status: 0, open: [] });
	const badges = read('README.md').match(/^\[!\[(npm|CI|Newest n8n|Licence)\]\(https:.+\)$/gm);
	expect(badges).toHaveLength(4);
	expect(badges?.[1]).toMatch(
		'](https://github.com/acme/registry-for-n8n/actions/workflows/ci.yml)',
	);
	expect(own()).toMatchObject({ status: 0, said: 'Nothing is open.\n' });

	const manifest = JSON.parse(read('package.json'));
	expect(manifest).toMatchObject({
		author: { name: 'acme', email: 'n8n@acme.test' },
		homepage: 'https://github.com/acme/registry-for-n8n#readme',
		name: 'n8n-nodes-company-registry',
	});
	const readme = read('README.md');
	expect(readme).toContain('([Acme Registry](https://acme.test/join))');
	expect(read('docs/actions.md')).toContain(
		"[the service's reference](https://acme.test/api?v=1&all=$&)",
	);
	expect(readme).toContain('Open **Settings → Community nodes → Install**');
	expect(read('.github/CODEOWNERS')).toContain('* @acme/nodes\n');
	expect(read('SECURITY.md')).toContain('or write to n8n@acme.test.');

	execFileSync('npm', ['run', 'build'], { cwd: copy });
	const built = 'dist/nodes/CompanyRegistry/CompanyRegistryTrigger.node.json';
	expect(read(built)).toContain('https://github.com/acme/registry-for-n8n#credentials');
}, 120_000);

it.each([
	'Write to someone@registry.example.',
	'An account (its name and sign-up link follow with the first release).',
	'Its reference (link follows with the first release) lists more events.',
	'The package has not been published to npm yet.',
])('takes for open: %s', (line) => {
	const before = read('SECURITY.md');
	writeFileSync(join(copy, 'SECURITY.md'), `${line}\n`);
	expect(own()).toMatchObject({ status: 1, open: ['SECURITY.md'] });
	writeFileSync(join(copy, 'SECURITY.md'), before);
});
