import type { IDataObject } from 'n8n-workflow';

import { MINUTE } from '../../shared/durations';
import { warn } from '../../shared/format';
import { FAILURE } from '../lifecycle/emission';
import { signatureHeaderNames } from '../signatures/headers';
import type { Verification } from '../signatures/verifyDelivery';
import { ANSWERS, describeRefusal, type RefusalReason } from './answers';
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

/** @param verification undefined where the settings for signatures cannot be read */
export function refuse(incoming: IncomingDelivery, verification: Verification | undefined): Reply {
	const { context, history, monotonicMs, subscription, showsReport, receivedAt } = incoming;
	const reason = reasonFor(incoming, verification);
	const reply = replyTo(reason);

	if (isUnexpected(incoming)) {
		history.countRefused(receivedAt);
		const kind = incoming.isKnown ? 'known' : 'unknown';
		const refusals = history.takeRefusals(kind, incoming.settings, monotonicMs);
		if (refusals) {
			const report = refusalReport(incoming, verification, reason, refusals);
			warn(context, `${report.title}. ${report.description}`);
			const item = showsReport ? refusalItem(report, receivedAt) : { [FAILURE]: report };
			return { ...reply, report: item };
		}
	}

	// A flood of forged deliveries must not fill the log, and values stay out of it.
	if (history.claimReport(`refused ${reason}`, monotonicMs, MINUTE, 10)) {
		const names = signatureHeaderNames(incoming.headers).join(', ') || 'none';
		const answer = `Answer: ${reply.status}. Headers that look like a signature: ${names}`;
		warn(context, `${describeRefusal(reason, subscription.company)}. ${answer}`);
	}

	return reply;
}

function reasonFor(
	{ isKnown, isPending }: IncomingDelivery,
	verification: Verification | undefined,
): RefusalReason {
	const result: Verification = verification ?? { accepted: false, reason: 'unset' };
	const reason = result.accepted ? 'unreadable' : result.reason;
	if (isKnown) return reason;
	// The service may check the address of a webhook that it is creating. Such a check is not signed.
	return isPending && reason === 'unsigned' ? 'check' : 'unknown';
}

/** An error has the service's own form: error, message and status. */
export function replyTo(reason: RefusalReason): Reply {
	const [status] = ANSWERS[reason];
	if (status === 200) return { status, body: {} };
	return {
		status,
		body: { error: CODES.get(status), message: `${describeRefusal(reason, '')}.`, status },
	};
}

/** Whether a person may have to learn of a refused delivery. */
function isUnexpected({ isPending, subscription, headers }: IncomingDelivery): boolean {
	// A pass reports lost webhooks.
	if (isPending) return false;
	// Without both, someone checks whether n8n answers.
	return subscription.reference !== '' || signatureHeaderNames(headers).length > 0;
}
