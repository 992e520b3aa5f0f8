/** What a measurement yields in one round; the unit is the measurement's own. */
export type Measure = () => Promise<number> | number;

export interface Comparison {
	/** Median over the rounds. */
	ours: number;
	peer: number;
	/** Of ours to the peer's in the same round: what slows the machine slows both. */
	ratio: Ratio;
}

export interface Ratio {
	/** Median over the rounds. */
	median: number;
	/** Standard error of that median. */
	error: number;
}

/** @param values one ratio per round */
export function ratioOf(values: number[]): Ratio {
	const middle = median(values);
	// From the middle of the distances rather than their squares: one round in which the machine stalled
	// says nothing of the others.
	const deviation = 1.4826 * median(values.map((value) => Math.abs(value - middle)));
	return { median: middle, error: (1.2533 * deviation) / Math.sqrt(values.length) };
}

export function median(values: number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures each of ours and the peer in every round, after one round that does not count. The order
 * changes from one to the next, and so does which follows which: some leave their garbage to the next.
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
		for (const [name, measure] of shuffled(measures)) result[name] = await measure();
		if (round > 0) results.push(result);
	}
	const comparisonOf = (name: string): Comparison => ({
		ours: median(results.map((result) => result[name])),
		peer: median(results.map((result) => result.peer)),
		ratio: ratioOf(results.map((result) => result[name] / result.peer)),
	});
	const names = Object.keys(ours) as Name[];
	return Object.fromEntries(names.map((name) => [name, comparisonOf(name)])) as Record<
		Name,
		Comparison
	>;
}

export function shuffled<Value>(values: Value[]): Value[] {
	return values
		.map((value) => ({ value, place: Math.random() }))
		.sort((one, other) => one.place - other.place)
		.map(({ value }) => value);
}

/** Runs and answers how many seconds it took. */
export async function seconds(work: () => Promise<unknown> | unknown): Promise<number> {
	const start = performance.now();
	await work();
	return (performance.now() - start) / 1000;
}
