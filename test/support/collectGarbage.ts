import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** The engine's own collector; `minor` goes through what was made lately, in time that depends on that. */
export const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
