import { memoize } from 'lodash';

const MINUTE = 60_000;

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
	const zone = usableZone(timezone);
	const formatter = (options: Intl.DateTimeFormatOptions) =>
		new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
	const time = formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
	const day = formatter({ day: 'numeric', month: 'short' });
	const year = formatter({ year: 'numeric' });
	const offset = formatter({ timeZoneName: 'short' });

	const dayOf = (at: number) => {
		const isThisYear = year.format(at) === year.format(now);
		return isThisYear ? day.format(at) : `${day.format(at)} ${year.format(at)}`;
	};
	const timeWithDay = (at: number) => `${dayOf(at)} ${time.format(at)}`;
	const timeOf = (at: number) => (dayOf(at) === dayOf(now) ? time.format(at) : timeWithDay(at));
	const offsetOf = (at: number) =>
		offset.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';

	const rangeOf = ({ from, to }: { from?: number; to?: number }) => {
		if (from === undefined) return to === undefined ? '' : `until ${timeOf(to)}`;
		if (to === undefined) return `since ${timeOf(from)}`;
		const format = dayOf(from) === dayOf(to) ? timeOf : timeWithDay;
		const [start, end] = [format(from), format(to)];
		// In between, the clocks went forward or back.
		if (offsetOf(from) !== offsetOf(to)) {
			return `between ${start} ${offsetOf(from)} and ${end} ${offsetOf(to)}`;
		}
		return start === end ? `around ${start}` : `between ${start} and ${end}`;
	};
	return { zone, timeOf, rangeOf: memoize(rangeOf, minutesOf) };
}

/** Many companies share their times to the minute. */
function minutesOf({ from, to }: { from?: number; to?: number }): string {
	return [from, to].map((at) => at && Math.floor(at / MINUTE)).join();
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
