import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const jestConfig = createRequire(import.meta.url)('../../jest.config.js');

/**
 * Stryker's settings for one group of files: it changes each piece of `files`, one at a time, and
 * runs `tests` until one of them notices. Mutants that survive are listed at the end, and in
 * coverage/mutation-<name>.html.
 *
 * @param {{ name: string, files: string[], tests: string[], lowest: number, together?: boolean }} group
 *   file names below nodes/CompanyRegistry, test names below test, the percentage of mutants to be found,
 *   and whether the tests run as one file, so that n8n's code is loaded once for each mutant
 */
export function settings({ name, files, tests, lowest, together = false }) {
	const named = [
		...files.map((file) => `nodes/CompanyRegistry/${file}.ts`),
		...tests.map((test) => `test/${test}.test.ts`),
	];
	const missing = named.filter((path) => !existsSync(path));
	if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}`);
	return {
		mutate: files.map((file) => `nodes/CompanyRegistry/${file}.ts`),
		testRunner: 'jest',
		jest: {
			projectType: 'custom',
			// It would look for imports, which together.cjs does not have.
			enableFindRelatedTests: false,
			config: {
				...jestConfig,
				// No n8n runs here, and Stryker loads an environment without compiling it.
				testEnvironment: 'node',
				testMatch: together
					? ['<rootDir>/test/mutation/together.cjs']
					: tests.map((test) => `<rootDir>/test/${test}.test.ts`),
				globals: { testsTogether: tests },
				// A mutant that makes a test wait in vain is found once the test has waited that long.
				testTimeout: 12_000,
				testRunner: '<rootDir>/test/mutation/jest-circus-stop.cjs',
				testSequencer: '<rootDir>/test/mutation/inGivenOrder.cjs',
			},
		},
		coverageAnalysis: 'perTest',
		// A property test or a real server may be slow on a busy machine without being stuck.
		timeoutMS: 20_000,
		concurrency: 1,
		tempDirName: `.cache/stryker-${name}`,
		ignorePatterns: ['.cache', 'coverage', 'dist', 'test/n8n-host*/node_modules'],
		reporters: ['clear-text', 'html', 'progress-append-only'],
		clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
		htmlReporter: { fileName: `coverage/mutation-${name}.html` },
		thresholds: { high: 100, low: lowest, break: lowest },
	};
}
