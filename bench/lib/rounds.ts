/** What a measurement yields in one round; the unit is the measurement's own. */
export type Measure = () => Promise<number> | number;

export interface Comparison {
	/** Median over the rounds. */
	ours: number;
	peer: number;
	/** Median of the rounds' own ratios, ours to peer: what slows the machine slows both of a round. */
	ratio: number;
}

export function median(values: number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures each of ours and the peer in every round, in an order that changes from one to the next,
 * after one round that does not count.
 */
export async function compare<Name extends string>(
	rounds: number,
	peer: Measure,
	ours: Record<Name, Measure>,
): Promise<Record<Name, Comparison>> {
	const measures: Array<[string, Measure]> = [['peer', peer], ...Object.entries<Measure>(ours)];
	const results: Array<Record<string, number>> = [];
	for (let round = 0; round <= rounds; round++) {
		const result: Record<string, number> = {};
		const start = round % measures.length;
		for (const [name, measure] of [...measures.slice(start), ...measures.slice(0, start)]) {
			result[name] = await measure();
		}
		if (round > 0) results.push(result);
	}
	const comparisonOf = (name: string): Comparison => ({
		ours: median(results.map((result) => result[name])),
		peer: median(results.map((result) => result.peer)),
		ratio: median(results.map((result) => result[name] / result.peer)),
	});
	const names = Object.keys(ours) as Name[];
	return Object.fromEntries(names.map((name) => [name, comparisonOf(name)])) as Record<Name, Comparison>;
}

/** Runs and answers how many seconds it took. */
export async function seconds(work: () => Promise<unknown> | unknown): Promise<number> {
	const start = performance.now();
	await work();
	return (performance.now() - start) / 1000;
}
