/** Something that runs during tests and can tell of one that has failed. */
export interface Witness {
	/** Such as "n8n". */
	name: string;
	/** All that it has written so far. */
	log?(): string;
	/** Writes what is to be seen now to a PNG file of that path. */
	picture?(file: string): Promise<void>;
}

declare global {
	/** Of test/support/testEnvironment.ts: how much of the log is of tests before. */
	var witnesses: Map<Witness, number>;
}

/** A failed test of this file is reported with what the witness has seen of it, until the answer is called. */
export function addWitness(witness: Witness): () => void {
	witnesses.set(witness, 0);
	return () => void witnesses.delete(witness);
}
