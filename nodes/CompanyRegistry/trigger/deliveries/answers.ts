import type { Finding } from '../signatures/findScheme';
import type { Doubt } from '../signatures/verifyDelivery';

/** Why a delivery starts nothing. */
export type Reason =
	| Doubt['reason']
	| Finding['reason']
	| 'noLonger'
	| 'unreadable'
	| 'unknown'
	| 'check';

export const IGNORE = 'If the delivery does not come from the registry service, ignore it.';

/** The status of the answer, what is wrong with the delivery, and the user's next step. */
export const ANSWERS: Record<Reason, [status: number, what: string, advice?: string]> = {
	missing: [401, 'has no signature in a known format'],
	wrong: [401, 'has a signature that does not match'],
	stale: [401, 'has a signed time that is unreadable or too far from the time of this n8n'],
	custom: [401, 'is genuine, but its signature format is not recognised'],
	recognised: [401, 'is genuine, but its signature does not follow Options → Signature'],
	noLonger: [
		401,
		'cannot be verified, although earlier ones were',
		'The trigger has refused at least three deliveries of this company in a row. The service may have changed its secret or signature format, or someone else may be sending forgeries.',
	],
	unreadable: [
		400,
		'is genuine, but its body is not a JSON object or array of at most 1000 levels',
		"Look in the service's reference for a way to send deliveries as JSON, or ask its support. The trigger reads only JSON.",
	],
	unknown: [
		503,
		'names a webhook whose secret is not known here',
		`Unpublish the workflow and publish it again. If that creates new webhooks, pause the old ones with Webhook → Pause. Check that your proxy passes on ?ref= at the end of the address. ${IGNORE}`,
	],
	unset: [503, 'cannot be verified, because Options → Signature cannot be read or used'],
	check: [200, 'has no signature: the service checks the address of a new webhook'],
};

/** The problem, without a full stop. @param company empty where it is not known */
export function titleOf(reason: Reason, company: string): string {
	return `A delivery${company && ` for company ${company}`} ${ANSWERS[reason][1]}`;
}
