const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs test files in the order in which the settings name them: quick ones first. */
module.exports = class extends Sequencer {
	sort(tests) {
		return [...tests].sort((one, other) => position(one) - position(other));
	}
};

function position({ path, context }) {
	return context.config.testMatch.findIndex((pattern) =>
		path.endsWith(pattern.slice(pattern.lastIndexOf('/test/'))),
	);
}
