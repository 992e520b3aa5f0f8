// The order in which jest begins with the test files: the longest first, so that no worker is left with a
// long one at the end. TEST_ORDER_SEED, a number, shuffles them instead, in the same way each time.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const repository = join(__dirname, '../..');
/** Seconds by file. `TEST_RECORD_DURATIONS=1 npm test` writes them anew for the files that it runs. */
const durationsFile = join(__dirname, 'durations.json');
/** A file that is not in the record: among those of some length. */
const UNKNOWN_SECONDS = 10;

module.exports = class extends Sequencer {
	sort(tests) {
		const seed = process.env.TEST_ORDER_SEED;
		if (seed) return shuffled(tests, Number(seed));
		const durations = recorded();
		const secondsOf = (test) => durations[nameOf(test.path)] ?? UNKNOWN_SECONDS;
		return [...tests].sort((one, other) => secondsOf(other) - secondsOf(one));
	}

	cacheResults(tests, results) {
		super.cacheResults(tests, results);
		if (!process.env.TEST_RECORD_DURATIONS) return;
		const durations = recorded();
		for (const { testFilePath, perfStats } of results.testResults) {
			durations[nameOf(testFilePath)] = Math.round((perfStats.end - perfStats.start) / 1000);
		}
		// Tests of npm test run files outside of the repository.
		const present = Object.entries(durations).filter(
			([file]) => !file.startsWith('..') && existsSync(join(repository, file)),
		);
		const longestFirst = present.sort(([, one], [, other]) => other - one);
		writeFileSync(durationsFile, `${JSON.stringify(Object.fromEntries(longestFirst), null, 2)}\n`);
	}
};

function recorded() {
	return JSON.parse(readFileSync(durationsFile, 'utf8'));
}

function nameOf(path) {
	return relative(repository, path).replaceAll('\\', '/');
}

function shuffled(tests, seed) {
	const order = [...tests].sort((one, other) => (one.path < other.path ? -1 : 1));
	const random = randomNumbers(seed);
	for (let last = order.length - 1; last > 0; last--) {
		const chosen = Math.floor(random() * (last + 1));
		[order[last], order[chosen]] = [order[chosen], order[last]];
	}
	return order;
}

/** Mulberry32: numbers from 0 to 1 that follow from the seed. */
function randomNumbers(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
