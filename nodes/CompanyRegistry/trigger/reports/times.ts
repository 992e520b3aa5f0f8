/** A time as a person of the workflow's time zone reads it. Times are milliseconds since the epoch. */
export interface Clock {
	/** The zone's name. */
	zone: string;
	/** `05:10`, with its date where that is not today's. */
	timeOf(at: number): string;
	/** `between 05:10 and 05:22`; empty where neither time is known. */
	rangeOf(range: { from?: number; to?: number }): string;
}

/** @param now the time at which it is read */
export function clockIn(timezone: string, now: number): Clock {
	const timeZone = usableZone(timezone);
	const formatter = (options: Intl.DateTimeFormatOptions) =>
		new Intl.DateTimeFormat('en-GB', { timeZone, ...options });
	const time = formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
	const day = formatter({ day: 'numeric', month: 'short' });

	const isSameDay = (at: number, other: number) => day.format(at) === day.format(other);
	const timeWithDay = (at: number) => `${day.format(at)} ${time.format(at)}`;
	const timeOf = (at: number) => (isSameDay(at, now) ? time.format(at) : timeWithDay(at));

	const rangeOf = ({ from, to }: { from?: number; to?: number }) => {
		if (from === undefined) return to === undefined ? '' : `until ${timeOf(to)}`;
		if (to === undefined) return `since ${timeOf(from)}`;
		const format = isSameDay(from, to) ? timeOf : timeWithDay;
		const [start, end] = [format(from), format(to)];
		return start === end ? `around ${start}` : `between ${start} and ${end}`;
	};
	return { zone: timeZone, timeOf, rangeOf };
}

/** The time zone itself if it is one, or else UTC. */
function usableZone(timezone: string): string {
	try {
		new Intl.DateTimeFormat('en-GB', { timeZone: timezone });
		return timezone;
	} catch {
		return 'UTC';
	}
}
