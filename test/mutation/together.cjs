/**
 * The tests that mutation testing runs, as one file for Jest, which loads n8n's own code anew for each
 * file: that takes longer than most of these tests. The hooks of each file stay its own.
 * The names of the files come from settings.mjs.
 */

/** Milliseconds; longer than a trigger goes on in the background after the last test of a file. */
const SETTLING = 6000;

for (const test of testsTogether) {
	describe(test, () => {
		let hasRun = false;
		afterEach(() => {
			hasRun = true;
		});
		afterAll(async () => {
			if (hasRun && test.startsWith('integration/')) {
				await new Promise((resolve) => setTimeout(resolve, SETTLING));
			}
		});
		require(`../${test}.test.ts`);
	});
}
