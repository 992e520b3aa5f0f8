import type { IDataObject } from 'n8n-workflow';

import { MINUTE } from '../../shared/durations';
import { warn } from '../../shared/format';
import { FAILURE } from '../lifecycle/emission';
import { signatureHeaderNames } from '../signatures/headers';
import type { Verdict } from '../signatures/verifyDelivery';
import { ANSWERS, problemOf, type Reason } from './answers';
import type { Refusals } from './deliveryHistory';
import type { IncomingDelivery } from './incoming';
import { refusalItem, refusalReport } from './refusalReport';

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
	const { context, history, monotonicMs, headers, subscription, showsReport } = incoming;
	const reason = reasonFor(incoming, verdict);
	const reply = replyTo(reason);
	const refusals = countRefusal(incoming);

	if (refusals) {
		const report = refusalReport(incoming, verdict, reason, refusals);
		warn(context, `${report.title}. ${report.description}`);
		const item = showsReport ? refusalItem(report, incoming.receivedAt) : { [FAILURE]: report };
		return { ...reply, report: item };
	}

	// A flood of forged deliveries must not fill the log, and values stay out of it.
	if (history.claimReport(`refused ${reason}`, monotonicMs, MINUTE, 10)) {
		const names = signatureHeaderNames(headers).join(', ') || 'none';
		const answer = `Answer: ${reply.status}. Headers that look like a signature: ${names}`;
		warn(context, `${problemOf(reason, subscription.company)}. ${answer}`);
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
export function replyTo(reason: Reason): Reply {
	const [status] = ANSWERS[reason];
	if (status === 200) return { status, body: {} };
	return {
		status,
		body: { error: CODES.get(status), message: `${problemOf(reason, '')}.`, status },
	};
}

/** Counts a refused delivery. @returns what a person has to learn of now, if anything */
function countRefusal(incoming: IncomingDelivery): Refusals | undefined {
	const { history, monotonicMs, receivedAt, headers, subscription, settings } = incoming;
	// A pass reports lost webhooks.
	if (incoming.isPending) return undefined;
	// Someone checks whether n8n answers.
	if (subscription.reference === '' && signatureHeaderNames(headers).length === 0) return undefined;

	history.countRefused(receivedAt);
	return history.takeRefusals(incoming.isKnown ? 'known' : 'unknown', settings, monotonicMs);
}
