import { compact } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { DAY, MINUTE } from '../../shared/durations';
import { warn } from '../../shared/format';
import { FAILURE } from '../lifecycle/emission';
import type { WebhookHistory } from './deliveryHistory';
import { baseItem } from '../reports/reportItem';
import { clockIn } from '../reports/times';
import { diagnose } from '../signatures/findScheme';
import { signatureHeaderNames } from '../signatures/headers';
import { SERVICE_SCHEME } from '../signatures/serviceScheme';
import type { Verdict } from '../signatures/verifyDelivery';
import { ANSWERS, titleOf, type Reason } from './answers';
import { describeDiagnosis } from './describeDiagnosis';
import type { IncomingDelivery } from './incoming';
import { parseBody } from './readDelivery';

/** So many refused deliveries show a change: in a row of one webhook that was verified before, or of several ones. */
const MANY = 3;
const LONGEST_CHALLENGE = 256;
const CODES = new Map([
	[400, 'bad_request'],
	[401, 'unauthorized'],
	[503, 'unavailable'],
]);

/** The answer to a delivery that starts nothing. */
export interface Reply {
	status: number;
	body: object;
	/** An item that starts the workflow, where a person has to learn of it. */
	report?: IDataObject;
}

/** @param verdict undefined where the settings for signatures cannot be read */
export function refuse(incoming: IncomingDelivery, verdict: Verdict | undefined): Reply {
	const { context, record, monotonicMs, headers, rawBody, subscription } = incoming;
	const reason = reasonFor(incoming, verdict);
	const reply = replyTo(reason, rawBody);
	const history = noteRefusal(incoming, reason);
	if (history) return { ...reply, report: reportOf(incoming, verdict, reason, history) };

	// A flood of forged deliveries must not fill the log, and values stay out of it.
	if (record.claimReport(`refused ${reason}`, monotonicMs, MINUTE, 10)) {
		const names = signatureHeaderNames(headers).join(', ') || 'none';
		const answer = `Answer: ${reply.status}. Headers that look like a signature: ${names}`;
		warn(context, `${titleOf(reason, subscription.company)}. ${answer}`);
	}

	return reply;
}

function reasonFor({ isKnown, isPending }: IncomingDelivery, verdict: Verdict | undefined): Reason {
	const reason = verdict === undefined ? 'unset' : verdict.accepted ? 'unreadable' : verdict.reason;
	if (isKnown) return reason;
	// The service may check the address of a webhook that it is creating. Such a check is not signed.
	return isPending && reason === 'missing' ? 'check' : 'unknown';
}

/** An error has the service's own form: error, message and status. */
export function replyTo(reason: Reason, rawBody?: Buffer): Reply {
	const [status] = ANSWERS[reason];
	const message = `${titleOf(reason, '')}.`;
	if (status !== 200) return { status, body: { error: CODES.get(status), message, status } };
	const { challenge } = ((rawBody && parseBody(rawBody)) ?? {}) as { challenge?: unknown };
	const isText = typeof challenge === 'string' && challenge.length <= LONGEST_CHALLENGE;
	return { status, body: isText ? { challenge } : {} };
}

/**
 * The history of the webhook if the refused delivery is to be reported. Once a webhook was verified, a single one
 * counts as forged, but several do not.
 */
function noteRefusal(incoming: IncomingDelivery, reason: Reason): WebhookHistory | undefined {
	const { record, monotonicMs, receivedAt, headers, subscription, isKnown, verifiedBy } = incoming;
	const { reference } = subscription;
	// A pass reports lost webhooks.
	if (incoming.isPending) return undefined;
	// Someone checks whether n8n answers.
	if (reference === '' && signatureHeaderNames(headers).length === 0) return undefined;

	// References that are not known share one history: anyone can make them up.
	const history = record.noteRefused(isKnown ? reference : '', monotonicMs, receivedAt);
	const isUnproven = history.verifiedBy !== verifiedBy || reason === 'unset';
	// Counted last, because it takes longest.
	const areMany = () => history.refused >= MANY || record.countFailing() >= MANY;
	const isLong = monotonicMs - history.since >= DAY;
	const isWorth = isKnown ? isUnproven || areMany() : isLong || record.countVerified() === 0;
	const what = isKnown ? `refused ${verifiedBy}` : 'unknown';
	return isWorth && record.claimReport(what, monotonicMs, DAY) ? history : undefined;
}

/** Row 16. It has no secret, no value of a header and nothing of the body. */
function reportOf(
	incoming: IncomingDelivery,
	verdict: Verdict | undefined,
	reason: Reason,
	history: WebhookHistory,
): IDataObject {
	const { context, record, receivedAt, showsReport } = incoming;
	const { count, since } = record.takeRefusals();
	const clock = clockIn(context.getTimezone(), receivedAt);
	const have = count === 1 ? 'delivery has' : 'deliveries have';
	const title = `${count} ${have} been refused since ${clock.timeOf(since)}`;
	const text = `${explain(incoming, verdict, reason, history)}\n\nTime zone: ${clock.zone}`;
	warn(context, `${title}. ${text}`);
	if (!showsReport) return { [FAILURE]: { title, description: text } };

	const at = new Date(receivedAt).toISOString();
	const payload = { state: 'incomplete', summary: `${title}\n\n${text}`, checked_at: at };
	return { ...baseItem(title, text, at), payload };
}

/** Why the delivery was refused, and the next step. */
function explain(
	incoming: IncomingDelivery,
	verdict: Verdict | undefined,
	reason: Reason,
	history: WebhookHistory,
): string {
	const { record, isKnown, subscription, headers, verifiedBy } = incoming;
	const { reference, company } = subscription;
	const rejection = isKnown && verdict?.accepted === false ? verdict : undefined;
	const diagnosis = rejection && diagnose(incoming, rejection, SERVICE_SCHEME);
	const wasVerified = history.verifiedBy === verifiedBy;
	const others = record.countVerified(verifiedBy) - Number(wasVerified);
	const shownReason = diagnosis?.reason ?? (rejection && wasVerified ? 'noLonger' : reason);
	const which = reference ? `?ref=${reference.slice(0, 6)}…` : 'no ?ref= of this trigger';
	const failing = record.countFailing();
	return compact([
		`${titleOf(shownReason, company)}.`,
		diagnosis ? describeDiagnosis(diagnosis, others) : ANSWERS[shownReason][2],
		isKnown &&
			failing > 1 &&
			`So far, ${failing} webhooks of this trigger have had such deliveries.`,
		!isKnown && `Its address has ${which}.`,
		!isKnown && others > 0 && 'Such deliveries have arrived for at least a day.',
		isKnown && `Headers of the delivery: ${Object.keys(headers).join(', ')}.`,
		"n8n's log has more.",
	]).join(' ');
}
