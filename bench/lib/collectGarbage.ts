import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** So that what is measured next pays for its own garbage only. */
export const collectGarbage = runInNewContext('gc') as () => void;
