// Prints one line for each test file, as jest does. What its tests and the code under them wrote to
// the console follows only where one of them failed.
const { DefaultReporter } = require('@jest/reporters');

module.exports = class QuietReporter extends DefaultReporter {
	printTestFileHeader(path, config, result) {
		const hasFailed = result.numFailingTests > 0 || result.testExecError;
		super.printTestFileHeader(path, config, hasFailed ? result : { ...result, console: undefined });
	}
};
