import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { Measure } from './rounds';

setFlagsFromString('--expose-gc');

/** The engine's own collector; `minor` goes through what was made lately, in time that depends on that. */
const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

/**
 * Microseconds of CPU time for one call and for collecting its garbage, but nobody else's.
 * Throws when a call does not hold.
 */
export function microseconds(times: number, holds: () => boolean): Measure {
	return () => {
		collectGarbage();
		const before = process.cpuUsage();
		for (let time = 0; time < times; time++)
			if (!holds()) throw new Error('What is measured went wrong');
		collectGarbage({ type: 'minor' });
		const { user, system } = process.cpuUsage(before);
		return (user + system) / times;
	};
}
