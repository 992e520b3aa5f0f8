/** What has to be put away at the end, last come first. */
export class Cleanups {
	private readonly pending: Array<{ what: string; cleanUp: () => Promise<void> }> = [];

	/** `what` completes "Could not …". */
	add(what: string, cleanUp: () => Promise<void>): void {
		this.pending.push({ what, cleanUp });
	}

	/** Runs every one, whatever becomes of the others. */
	async run(): Promise<void> {
		for (const { what, cleanUp } of this.pending.splice(0).reverse()) {
			try {
				await cleanUp();
			} catch (error) {
				console.error(`Could not ${what}: ${(error as Error).message}`);
			}
		}
	}
}
