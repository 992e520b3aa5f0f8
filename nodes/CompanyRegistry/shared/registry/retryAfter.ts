/** Milliseconds from a Retry-After header in seconds or as a date. */
export function readRetryAfter(header: unknown): number | undefined {
	if (typeof header !== 'string') return undefined;
	if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
