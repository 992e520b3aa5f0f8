// What keeps a release from leaving out of its changelog what it brings, and what GitHub shows of it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'changelog-'));
afterAll(() => rmSync(folder, { recursive: true }));

const link = '[0.1.0]: https://example.com/0.1.0\n';
const released = `## [0.1.0] - 2026-11-01\n\n### Added\n\n- First, see [0.1.0]\n\n${link}`;

function changelog(unreleased: string, wanted: string) {
	const file = join(folder, 'CHANGELOG.md');
	writeFileSync(file, `# Changelog\n\n${unreleased}${released}`);
	const script = join(root, 'scripts', 'changelog.mjs');
	return spawnSync(process.execPath, [script, wanted, file], { encoding: 'utf8' });
}

it.each([
	['nothing', '', 0],
	['an empty heading', '## [Unreleased]\n\n', 0],
	['an entry', '## [Unreleased]\n\n### Added\n\n- Something\n\n', 1],
	['an entry under a bare heading', '## Unreleased\n- Something\n', 1],
])('looks for what is unreleased with %s above the releases', (_what, unreleased, expected) => {
	const { status, stdout } = changelog(unreleased, 'Unreleased');
	expect(status).toBe(expected);
	expect(stdout.includes('- Something')).toBe(expected === 1);
	expect(stdout).not.toContain('- First');
});

it('prints what a release brings, and refuses one of which nothing is said', () => {
	const notes = changelog('## [Unreleased]\n\n- Something\n\n', '0.1.0');
	expect(notes).toMatchObject({ status: 0, stdout: '### Added\n\n- First, see [0.1.0]\n' });
	expect(changelog('', '0.2.0')).toMatchObject({ status: 1, stdout: '' });
});
