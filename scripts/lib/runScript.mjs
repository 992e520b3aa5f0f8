/** Ends the process with the status that `main` answers, or with 1 and the reason. */
export async function runScript(main) {
	try {
		process.exitCode = await main();
	} catch (error) {
		console.error(`\n${error.message}`);
		process.exitCode = 1;
	}
}
