import {
	findScheme,
	type Finding,
	type RefusedDelivery,
} from '../../nodes/CompanyRegistry/trigger/signatures/findScheme';
import { verifyDelivery } from '../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';

/** What is told of a delivery, for the reason for which it is refused; undefined also where it is not. */
export function searchScheme(
	delivery: Omit<RefusedDelivery, 'doubt' | 'hasVerified'> & { hasVerified?: boolean },
): Finding | undefined {
	const { rawBody, headers, secret, now, hasVerified = false, ...settings } = delivery;
	const verdict = verifyDelivery(rawBody, headers, secret, now, settings);
	if (verdict.accepted) return undefined;
	return findScheme({ ...delivery, doubt: verdict, hasVerified });
}
