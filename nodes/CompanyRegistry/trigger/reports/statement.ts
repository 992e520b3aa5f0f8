import { digestOf } from '../../shared/digest';
import type { Part } from './words';

/** What a report needs beside the status. */
export interface ReportContext {
	/** Its name. */
	workflow: string;
	/** For example `Europe/London`. */
	timezone: string;
	/** In milliseconds since the epoch, as is the time of the last delivery that this process has accepted. */
	at: number;
	lastEventAt?: number;
}

/** How often a problem is reported: each day while it lasts, each day on which it happens again, or once. */
type Rhythm = 'daily' | 'again' | 'once';

/** Each kind of problem, and how a verdict names its end. */
export const KINDS = {
	check: { rhythm: 'daily', end: 'checks work again' },
	address: { rhythm: 'daily', end: "n8n's address is clear again" },
	unwatched: { rhythm: 'daily', end: '' },
	events: { rhythm: 'daily', end: '' },
	list: { rhythm: 'daily', end: 'your list and settings can be read again' },
	large: { rhythm: 'daily', end: '' },
	row: { rhythm: 'daily', end: '' },
	drift: { rhythm: 'again', end: '' },
	away: { rhythm: 'once', end: '' },
	account: { rhythm: 'once', end: '' },
	others: { rhythm: 'once', end: '' },
	rows: { rhythm: 'once', end: '' },
	renumbered: { rhythm: 'once', end: '' },
} satisfies Record<string, { rhythm: Rhythm; end: string }>;

type Kind = keyof typeof KINDS;

/** Something that needs a person: its kind, and a digest of its details. With other details, it is another problem. */
export type Problem = string;

/** @param details what it is about; none where any change of it is the same problem */
export function problemOf(kind: Kind, details: string[] = []): Problem {
	return details.length > 0 ? `${kind} ${digestOf([...details].sort().join('\n'), 12)}` : kind;
}

export function kindOf(problem: Problem): Kind {
	return problem.split(' ')[0] as Kind;
}

export function rhythmOf(problem: Problem): Rhythm {
	return KINDS[kindOf(problem)].rhythm;
}

/** One statement of a report. */
export interface Statement {
	/** As a verdict. */
	says: string;
	parts: Part[];
	/** Undefined where no one has to act. */
	problem?: Problem;
	/** What a verdict about something worse has of it, where there is room. */
	brief?: string;
}
