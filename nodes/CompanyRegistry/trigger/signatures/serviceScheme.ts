import type { CustomScheme } from './customScheme';

/**
 * How the service signs, once that is known: only this is accepted then, unless the user describes another. Its
 * reference does not say, so what is usual is recognised.
 */
export const SERVICE_SCHEME: CustomScheme | undefined = undefined;
