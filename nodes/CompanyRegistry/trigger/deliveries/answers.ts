import { find } from 'lodash';
import type { INodePropertyOptions } from 'n8n-workflow';

import { signatureSchemeProperties } from '../parameters/customSchemeFields';
import type { CustomScheme } from '../signatures/customScheme';
import type { Finding } from '../signatures/findScheme';
import { inTitleCase } from '../signatures/headers';
import type { Doubt } from '../signatures/verifyDelivery';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What is told of a trigger's deliveries. */
export type Occasion = 'unproven' | 'unknown' | 'noLonger' | 'refused' | 'failingExpression';

/** How often: in so many milliseconds so many times, and so many of each kind. */
export const OCCASIONS: Record<Occasion, { ms: number; times?: number; timesEach?: number }> = {
	/** A failed execution: its webhook has delivered nothing genuine yet. */
	unproven: { ms: HOUR, times: 1 },
	/** A failed execution: its reference is not known, and nothing genuine has come to the trigger yet. */
	unknown: { ms: HOUR, times: 1 },
	/** A failed execution: nothing of one webhook could be verified for long, though others were. */
	noLonger: { ms: DAY, times: 3, timesEach: 1 },
	/** A line in n8n's log, each reason by itself. A flood of forged deliveries must not fill it. */
	refused: { ms: MINUTE, timesEach: 10 },
	/** A line in n8n's log, each field by itself. */
	failingExpression: { ms: DAY, timesEach: 1 },
};

/** Why a delivery starts nothing. */
export type Reason =
	| Doubt['reason']
	| Finding['reason']
	| 'noLonger'
	| 'unreadable'
	| 'unknown'
	| 'check';

const IGNORE =
	'If the delivery was not sent by the registry service, ignore it: it has started nothing.';
const NOTHING_FOUND = `Nothing was found that would prove it with the webhook's secret. Either somebody else has sent it, or the service signs in a way of its own: look for it in the service's reference and enter it under Options → Signature. If what is entered there signs a time, nothing weaker was looked for. A proxy in front of n8n must pass headers and body on unchanged. ${IGNORE}`;
export const UNKNOWN_FOR_LONG =
	'Such deliveries have come for a day or longer, though others of this trigger could be verified.';
export const HOW_OFTEN =
	'Of such deliveries n8n shows only a few; its log names up to ten a minute.';

/** What such a delivery is answered, what it did, and what to do. */
export const REASONS: Record<Reason, { status: number; what: string; advice?: string }> = {
	missing: { status: 401, what: 'came without a signature of a known form' },
	wrong: { status: 401, what: 'came with a signature that does not match' },
	stale: {
		status: 401,
		what: 'came with a signature whose time is too far from now, or cannot be read',
	},
	custom: { status: 401, what: 'is genuine, but signed in a way that is not recognised' },
	recognised: {
		status: 401,
		what: 'is genuine, but signed in another way than Options → Signature says',
	},
	noLonger: {
		status: 401,
		what: 'could not be verified, though earlier ones were',
		advice:
			'Nothing of this company could be verified since at least three deliveries ago. The secret or the way it signs may have changed at the registry service, or somebody else knows the address.',
	},
	unreadable: {
		status: 400,
		what: 'is genuine, but its body is not a JSON object or array of at most 1000 levels',
		advice:
			"The service's reference or support may tell how to have deliveries sent as JSON: this trigger reads nothing else.",
	},
	unknown: {
		status: 503,
		what: 'came for a webhook whose secret is not known here',
		advice: `Unpublish the workflow and publish it again. If that makes new webhooks, the old ones stay active at the registry service: pause them with Webhook → Pause of the Company Registry node. A proxy in front of n8n must pass on what each address ends with: ?ref= and 22 characters. ${IGNORE}`,
	},
	unset: {
		status: 503,
		what: 'could not be verified, because an expression under Options fails or Options → Signature cannot be used',
		advice:
			'Correct Options → Signature and Options → Signature Tolerance (Seconds). Until then deliveries are answered 503.',
	},
	check: {
		status: 200,
		what: 'came without a signature while its webhook was being created, as a check of the address',
	},
};

/** A sentence without its full stop. @param company empty where it is not known */
export function titleOf(reason: Reason, company: string): string {
	return `A delivery${company && ` for company ${company}`} ${REASONS[reason].what}`;
}

/**
 * What was found out about a refused delivery, and what to do, in the words of the node's fields.
 * @param others companies whose deliveries are verified as it is set now
 */
export function findingInWords(
	finding: Finding | undefined,
	company: string,
	others: number,
): string {
	if (finding === undefined) return NOTHING_FOUND;
	if (finding.reason === 'stale') {
		const { age, timeHeader } = finding;
		if (Number.isNaN(age)) {
			return `It is signed with the webhook's secret, but the time in its header ${inTitleCase(timeHeader)} cannot be read. Times are read in seconds, milliseconds, microseconds or nanoseconds, in ISO 8601, and as mails have them. Ask the service's support for one of these.`;
		}
		const seconds = `${Math.abs(Math.round(age))} seconds ${age < 0 ? 'ahead' : 'back'}`;
		return `It is signed with the webhook's secret, but its signed time lies ${seconds}, which is more than Options → Signature Tolerance (Seconds) allows. If the clock of the machine that n8n runs on is right, the delivery took long to arrive, or somebody has sent a recorded one again. Raise Signature Tolerance only if the service is known to send deliveries so late.`;
	}
	const rest =
		others > 0
			? ` Deliveries of ${others} other ${others === 1 ? 'company' : 'companies'} were verified as it is set now, and will be refused after that unless they are signed in this way, too.`
			: '';
	const [how, step] =
		finding.reason === 'recognised'
			? [
					'in another way than Options → Signature says, which is recognised by itself',
					'Remove it there by the bin beside its name: what is entered there replaces recognition',
				]
			: // Fields that still hold what was tried before would go on counting.
				[
					'in a way that is not recognised',
					`Enter under Options → Signature: ${schemeInWords(finding.scheme)}. Every other field there must be at its default: reset those that you have changed. What is entered there replaces recognition`,
				];
	return `The delivery for company ${company} is genuine, but signed ${how}. ${step} for all companies of this trigger.${rest}`;
}

/** The fields whose value is not the default, in the order in which the node shows them. */
function schemeInWords(scheme: CustomScheme): string {
	const fields = signatureSchemeProperties.flatMap(({ displayName, name, options, ...field }) => {
		const value = scheme[name as keyof CustomScheme] ?? '';
		if (value === '' || value === field.default) return [];
		const choice = find(options as INodePropertyOptions[] | undefined, { value });
		return [`${displayName} \`${choice?.name ?? value}\``];
	});
	return fields.join(', ');
}
