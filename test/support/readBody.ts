import { readDelivery } from '../../nodes/CompanyRegistry/trigger/deliveries/readDelivery';
import type { DeliveryHeaders } from '../../nodes/CompanyRegistry/trigger/signatures/headers';

export const SUBSCRIPTION = {
	...{ reference: 'ref', company: '00445790', id: 'wh_1', secret: 'a secret' },
	status: 'active' as const,
};

/** Reads the body of a verified delivery to this subscription. */
export function readBody(
	rawBody: Buffer,
	headers: DeliveryHeaders = {},
	claim: Parameters<typeof readDelivery>[1] = {},
) {
	const chosenEvents = ['company.renamed'];
	return readDelivery({ rawBody, headers, subscription: SUBSCRIPTION, chosenEvents }, claim);
}
