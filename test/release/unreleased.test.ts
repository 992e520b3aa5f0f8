// The check that keeps a release from leaving out of its changelog what it brings.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'unreleased-'));
afterAll(() => rmSync(folder, { recursive: true }));

const released = '## [0.1.0] - 2026-11-01\n\n- First\n';

it.each([
	['nothing', '', 0],
	['an empty heading', '## [Unreleased]\n\n', 0],
	['an entry', '## [Unreleased]\n\n### Added\n\n- Something\n\n', 1],
	['an entry under a bare heading', '## Unreleased\n- Something\n', 1],
])('with %s above the releases', (_what, unreleased, expected) => {
	const changelog = join(folder, 'CHANGELOG.md');
	writeFileSync(changelog, `# Changelog\n\n${unreleased}${released}`);
	const script = join(root, 'scripts', 'unreleased.mjs');
	const { status, stdout } = spawnSync(process.execPath, [script, changelog], { encoding: 'utf8' });
	expect(status).toBe(expected);
	expect(stdout.includes('- Something')).toBe(expected === 1);
	expect(stdout).not.toContain('- First');
});
