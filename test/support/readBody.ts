import { readDelivery } from '../../nodes/CompanyRegistry/trigger/deliveries/readDelivery';
import { TrackRecord } from '../../nodes/CompanyRegistry/trigger/deliveries/trackRecord';
import type { DeliveryHeaders } from '../../nodes/CompanyRegistry/trigger/signatures/headers';

export const WEBHOOK = { reference: 'ref', company: '00445790', id: 'wh_1', secret: 'a secret' };

/** Reads a verified delivery to a webhook of a trigger that has had no other, unless a record says so. */
export function readBody(
	rawBody: Buffer,
	headers: DeliveryHeaders = {},
	claim: Parameters<typeof readDelivery>[1] = {},
	record = new TrackRecord(),
) {
	const chosen = ['company.renamed'];
	return readDelivery({ rawBody, headers, webhook: WEBHOOK, chosen, record }, claim);
}
