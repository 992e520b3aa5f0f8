const { default: Sequencer } = require('@jest/test-sequencer');

/** In n8n, longest first. Some are short, and import their tests. */
const LONGEST = ['queue', 'editor', 'mails', 'checks', 'examples'];

/**
 * The tests in n8n first, which take minutes: a worker that begins one last would keep all waiting. jest
 * knows how long a file takes only once it has run it, and goes by its size until then.
 */
module.exports = class extends Sequencer {
	sort(tests) {
		const rank = ({ path }) => {
			if (!path.includes('/test/e2e/')) return LONGEST.length + 1;
			const place = LONGEST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
			return place === -1 ? LONGEST.length : place;
		};
		return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
	}
};
