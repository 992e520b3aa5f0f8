// Prints one line for each test file, as jest does. What a test and the code under it wrote to the
// console follows only where that test failed; what the file wrote outside of its tests, where any did.
const { DefaultReporter } = require('@jest/reporters');

module.exports = class QuietReporter extends DefaultReporter {
	printTestFileHeader(path, config, result) {
		const hasFailed = result.numFailingTests > 0 || result.testExecError;
		const console = hasFailed ? outputOfFailed(result) : undefined;
		super.printTestFileHeader(path, config, { ...result, console });
	}
};

/** test/support/testEnvironment.ts marks where the output of each test begins. */
function outputOfFailed({ console: entries = [], testResults }) {
	const failed = testResults.filter(({ status }) => status === 'failed');
	const shown = new Set(['', ...failed.map(({ fullName }) => fullName)]);
	let title = '';
	const output = entries.filter(({ message }) => {
		if (!message.startsWith('\0')) return shown.has(title);
		title = message.slice(1);
		return false;
	});
	return output.length > 0 ? output : undefined;
}
