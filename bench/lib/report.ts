/** One line of the table. */
export interface Figure {
	what: string;
	ours: string;
	peer: string;
	/** Undefined where there is nothing to compare with. */
	ratio?: number;
	/** In words, such as "≥ 1.0"; empty where there is none. */
	target: string;
	isMet: boolean;
}

/** A ratio that has to reach `bound`. */
export function atLeast(bound: number, ratio: number): Pick<Figure, 'ratio' | 'target' | 'isMet'> {
	return { ratio, target: `≥ ${bound}`, isMet: ratio >= bound };
}

/** A ratio that must not pass `bound`. */
export function atMost(bound: number, ratio: number): Pick<Figure, 'ratio' | 'target' | 'isMet'> {
	return { ratio, target: `≤ ${bound}`, isMet: ratio <= bound };
}

/** The figures as a Markdown table. */
export function table(figures: Figure[]): string {
	const rows = figures.map(({ what, ours, peer, ratio, target, isMet }) => [
		what,
		ours,
		peer,
		ratio === undefined ? '' : ratio.toFixed(2),
		target,
		target === '' ? '' : isMet ? 'yes' : '**no**',
	]);
	return [['What', 'This package', 'Peer', 'Ratio', 'Target', 'Met'], Array(6).fill('---'), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}
