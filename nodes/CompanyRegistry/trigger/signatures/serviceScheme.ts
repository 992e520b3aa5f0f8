import type { CustomScheme } from './customScheme';

/**
 * How the service signs, once that is known: the trigger then accepts only this or a custom scheme. The service's
 * reference does not say, so common formats are recognised.
 */
export const SERVICE_SCHEME: CustomScheme | undefined = undefined;
