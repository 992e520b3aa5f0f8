/**
 * Jest's own runner, which stops at the first test that notices a mutant. Stryker cannot make Jest
 * stop, and what the other tests would say of the mutant is of no use, while most of them talk to a
 * server. Stryker wants "jest-circus" in the name.
 */
const { createEmptyTestResult } = require('@jest/test-result');
const { default: circus } = require('jest-circus/runner');

/** The mutant that a test has noticed. This module is loaded once, for all mutants and test files. */
let noticed;

module.exports = async (globalConfig, config, environment, runtime, testPath, ...rest) => {
	const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
	const isNoticed = () => mutant !== undefined && mutant === noticed;
	if (isNoticed()) return leftOut(testPath);

	const handle = environment.handleTestEvent?.bind(environment);
	environment.handleTestEvent = async (event, state) => {
		if (event.name === 'test_start' && isNoticed()) event.test.mode = 'skip';
		if (event.name === 'test_done' && event.test.errors.length > 0) noticed = mutant;
		await handle?.(event, state);
	};
	return await circus(globalConfig, config, environment, runtime, testPath, ...rest);
};

/** Jest takes a file without a single test for an error. */
function leftOut(testFilePath) {
	const test = {
		ancestorTitles: [],
		title: 'left out',
		fullName: 'left out',
		status: 'pending',
		failureMessages: [],
	};
	return { ...createEmptyTestResult(), testFilePath, numPendingTests: 1, testResults: [test] };
}
