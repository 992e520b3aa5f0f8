// The only place in which tests say how the service signs. Once its format is known, it is set in the node's code,
// and the tests below still try the formats that are recognised without it.
import * as service from '../../nodes/CompanyRegistry/trigger/signatures/serviceScheme';

/** How the stand-in signs unless a test says otherwise. */
export const GENUINE = service.SERVICE_SCHEME ?? 'standardWebhooks';

/** From now on the trigger recognises common formats, whatever format of the service is known. */
export function recogniseFormats(): void {
	Object.assign(service, { SERVICE_SCHEME: undefined });
}
