import type { Ratio } from './rounds';

/** One line of the table. */
export interface Figure {
	what: string;
	ours: string;
	peer: string;
	/** Undefined where there is nothing to compare with. */
	ratio?: Ratio;
	/** In words, such as "≥ 1.0"; empty where there is none. */
	target: string;
	/** `unclear`: the target lies within the error of what was measured. */
	isMet: boolean | 'unclear';
}

/** Standard errors within which two figures are not told apart. */
const TOLD_APART = 2;

/** A ratio that has to reach `bound`. */
export function atLeast(bound: number, ratio: Ratio): Pick<Figure, 'ratio' | 'target' | 'isMet'> {
	return { ratio, target: `≥ ${bound}`, isMet: isMet(ratio.median - bound, ratio) };
}

/** A ratio that must not pass `bound`. */
export function atMost(bound: number, ratio: Ratio): Pick<Figure, 'ratio' | 'target' | 'isMet'> {
	return { ratio, target: `≤ ${bound}`, isMet: isMet(bound - ratio.median, ratio) };
}

function isMet(margin: number, { error }: Ratio): Figure['isMet'] {
	if (margin >= 0) return true;
	return margin >= -TOLD_APART * error ? 'unclear' : false;
}

const MET = { true: 'yes', false: '**no**', unclear: 'within the error' };

/** The figures as a Markdown table. */
export function table(figures: Figure[]): string {
	const rows = figures.map(({ what, ours, peer, ratio, target, isMet }) => [
		what,
		ours,
		peer,
		ratio === undefined ? '' : `${ratio.median.toFixed(2)} ± ${ratio.error.toFixed(2)}`,
		target,
		target === '' ? '' : MET[`${isMet}`],
	]);
	return [['What', 'This package', 'Peer', 'Ratio', 'Target', 'Met'], Array(6).fill('---'), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}
