import { createHash } from 'crypto';

import type { TriggerOptions } from '../parameters/options';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Milliseconds between two checks. */
const EVERY: Record<TriggerOptions['checkWebhooks'], number> = {
	tenMinutes: 10 * MINUTE,
	hour: HOUR,
	day: 24 * HOUR,
};

/** When a trigger looks whether a check is due: each minute, at a second of its own. n8n's six fields. */
export function clockOf(node: string): `${number} * * * * *` {
	return `${numberOf(node, 60)} * * * * *`;
}

/** The next check after a time, at a minute of the trigger's own. Both in milliseconds since the epoch. */
export function nextCheck(
	node: string,
	every: TriggerOptions['checkWebhooks'],
	at: number,
): number {
	const period = EVERY[every];
	const offset = numberOf(node, period / MINUTE) * MINUTE;
	return Math.floor((at - offset) / period) * period + offset + period;
}

/** Whether a check that was planned for then is due; also where the clock was set back since. */
export function isDue(dueAt: number, every: TriggerOptions['checkWebhooks'], at: number): boolean {
	return at >= dueAt || dueAt - at > EVERY[every];
}

/** The next try where something is left to do: after 2, 4, 8 … minutes, and an hour at the most. */
export function nextTry(tries: number, at: number): number {
	return at + Math.min(2 ** tries * MINUTE, HOUR);
}

/** The same for the same node, so that many triggers do not ask at once. */
function numberOf(node: string, below: number): number {
	return createHash('sha256').update(node).digest().readUInt32BE(0) % below;
}
