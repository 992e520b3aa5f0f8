const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The tests in n8n first, which take minutes: a worker that begins one last would keep all waiting. jest
 * knows how long a file takes only once it has run it, and goes by its size until then: 40 s of ten minutes.
 */
module.exports = class extends Sequencer {
	sort(tests) {
		const sorted = super.sort(tests);
		const isInN8n = ({ path }) => path.includes('/test/e2e/');
		return [...sorted.filter(isInN8n), ...sorted.filter((test) => !isInN8n(test))];
	}
};
