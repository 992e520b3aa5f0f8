import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { CERTIFICATE } from '../../registry/failureWords';

/** What came back instead of this n8n's answer: a status, or no answer and why. */
export type WrongAnswer = { status: number } | { reason: string };

/**
 * Why the sample event cannot be delivered, and the way out. n8n shows the message and nothing else.
 */
export function unreachableError(
	context: IHookFunctions,
	{ address, local, wrong }: { address: string; local: string; wrong: WrongAnswer },
): NodeOperationError {
	const message = `n8n could not send the sample event to its own webhook address ${address}: ${inWords(wrong)}. Nor does ${local} lead to it. Set the environment variable N8N_WEBHOOK_URL (before n8n 2.40: WEBHOOK_URL) to an address at which n8n reaches itself and restart n8n. Or set 'Options' > 'Test Event' to 'Next Real Event'.`;
	const error = new NodeOperationError(context.getNode(), message);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNREFUSED.
	error.message = message;
	return error;
}

function inWords(wrong: WrongAnswer): string {
	if ('status' in wrong) {
		return wrong.status === 503
			? 'another process of n8n answered, or a proxy that could not pass it on (status 503)'
			: `an unexpected answer came back (status ${wrong.status}), as if the address led elsewhere`;
	}
	const { reason } = wrong;
	if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return 'its host name was not found';
	if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(reason)) return 'nothing answers there';
	if (/TIMEDOUT|ECONNABORTED|timeout/i.test(reason)) return 'no answer came in time';
	if (CERTIFICATE.test(reason)) return `its certificate is not trusted here (${reason})`;
	return reason === '' ? 'the connection failed' : `the connection failed (${reason})`;
}
