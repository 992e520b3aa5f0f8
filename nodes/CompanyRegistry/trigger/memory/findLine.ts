/** All base64url characters in ASCII order. */
const REFERENCE_CHARACTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

/**
 * Index at which the line of this reference starts, or -1. A match inside a line does not count: it is
 * part of an id or a secret.
 *
 * @param lines of webhooks whose references begin with the same character; sorted lines are searched faster
 */
export function findLine(lines: string, reference: string): number {
	if (lines.startsWith(reference)) return 0;
	const lineStart = `\n${reference}`;
	let before = lines.indexOf(lineStart, startOfSearch(lines.length, reference));
	if (before === -1) before = lines.indexOf(lineStart);
	return before === -1 ? -1 : before + 1;
}

/**
 * An index a little before the expected place of a reference's line. References are random, so sorted
 * lines are spread evenly.
 *
 * @param length of all lines, in characters
 */
export function startOfSearch(length: number, reference: string): number {
	const place = REFERENCE_CHARACTERS.indexOf(reference[1]) / REFERENCE_CHARACTERS.length;
	// Lines have about 93 characters, so this is twice the standard error at its greatest. It has to be a
	// whole number: V8 searches far more slowly from any other.
	return Math.max(0, Math.trunc(length * place - 10 * Math.sqrt(length)));
}
