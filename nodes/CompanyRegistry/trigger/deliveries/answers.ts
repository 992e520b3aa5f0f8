import type { Diagnosis } from '../signatures/findScheme';
import type { Rejection } from '../signatures/verifyDelivery';

/** Why a delivery starts nothing. */
export type RefusalReason =
	| Rejection['reason']
	| Diagnosis['reason']
	| 'noLonger'
	| 'unreadable'
	| 'unknown'
	| 'check';

const UNPROVEN =
	"If the registry service did not send this delivery, ignore it. Otherwise, check that no proxy changes headers or body. Then compare the headers below with the service's reference, enter its signature format under Options → Signature, and publish.";

/** The status of the answer, what is wrong with the delivery, and the user's next step. */
export const ANSWERS: Record<RefusalReason, [status: number, what: string, advice?: string]> = {
	unsigned: [401, 'has no signature in a known format', UNPROVEN],
	wrong: [401, 'has a signature that does not match', UNPROVEN],
	stale: [401, 'has a signed time that is unreadable or outside the tolerance'],
	custom: [401, 'is genuine, but its signature format is not recognised'],
	noLonger: [
		401,
		'failed verification, as did at least two before it',
		"The service may have changed its secret or signature format, or someone is sending forged deliveries. Ask the service's support. For a new format, set Options → Signature. For a new secret, unpublish and replace this trigger node. Then publish.",
	],
	unreadable: [
		400,
		'is genuine, but its body is not a JSON object or array',
		"Look in the service's reference for a way to send deliveries as JSON, or ask its support.",
	],
	unknown: [
		503,
		'is for a webhook whose secret this trigger does not have',
		'If the registry service did not send it, ignore it. Otherwise, check that your proxy passes on ?ref= at the end of the address, then unpublish and publish. If that creates new webhooks, pause the old ones with Webhook → Pause.',
	],
	unset: [503, 'cannot be verified, because Options → Signature cannot be read or used'],
	check: [200, 'has no signature: the service may be checking the address of a new webhook'],
};

/** The problem, without a full stop. @param company empty where it is not known */
export function describeRefusal(reason: RefusalReason, company: string): string {
	return `A delivery${company && ` for company ${company}`} ${ANSWERS[reason][1]}`;
}
