// The only place in which tests name a signature format. They hold also once the service's own format is known.
import * as service from '../../nodes/CompanyRegistry/trigger/signatures/serviceScheme';

/** A common format, in which the simulator signs while the service's own is not known. */
export const COMMON_FORMAT = 'standardWebhooks';

/** From now on the trigger and the simulator know no format of the service, and common formats are recognised. */
export function forgetServiceScheme(): void {
	Object.assign(service, { SERVICE_SCHEME: undefined });
}
