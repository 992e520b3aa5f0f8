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

/** Something that needs a person. */
export interface Problem {
	/** Its kind, and a digest of its facts: with other facts, it is another problem. */
	key: string;
	/** Whether it is told each day while it lasts. */
	isDaily?: boolean;
	/** Whether it is told once, as long as it lasts. */
	isOnce?: boolean;
}

/** One statement of a report. */
export interface Fact {
	/** As a verdict. */
	says: string;
	parts: Part[];
	/** Undefined where no one has to act. */
	problem?: Problem;
	/** What a verdict about something worse has of it, where there is room. */
	brief?: string;
}

export function daily(kind: string, facts: string[] = []): Problem {
	return { key: keyOf(kind, facts), isDaily: true };
}

export function once(kind: string, facts: string[]): Problem {
	return { key: keyOf(kind, facts), isOnce: true };
}

function keyOf(kind: string, facts: string[]): string {
	return facts.length > 0 ? `${kind} ${digestOf([...facts].sort().join('\n'), 12)}` : kind;
}
