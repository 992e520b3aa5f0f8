import {
	diagnose,
	type Diagnosis,
} from '../../nodes/CompanyRegistry/trigger/signatures/findScheme';
import {
	verifyDelivery,
	type SentDelivery,
} from '../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';

/** What is told of a delivery, for the reason for which it is refused; undefined also where it is not. */
export function searchScheme(delivery: SentDelivery): Diagnosis | undefined {
	const verification = verifyDelivery(delivery);
	return verification.accepted ? undefined : diagnose(delivery, verification);
}
