import type { IWebhookFunctions } from 'n8n-workflow';

import { dropOldest } from '../../shared/dropOldest';
import { signatureHeaderNames } from '../signatures/headers';

/** A flood of forged deliveries must not fill the log: what comes on top of these is counted. */
const LINES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
/** Kinds of refusal, of all workflows in this process, that are remembered. */
const MAXIMUM_REMEMBERED = 10_000;

interface Minute {
	startedAt: number;
	refusals: number;
}

const minutes = new Map<string, Minute>();

/**
 * Logs as a warning why a delivery was not accepted. Names of signature headers help to set the
 * scheme up; values stay out of the log.
 *
 * @param kind refusals of one workflow that share it share a minute's lines
 * @param what ends the sentence "a delivery …"
 */
export function logRefusal(context: IWebhookFunctions, kind: string, what: string): void {
	const key = `${context.getWorkflow().id ?? ''}/${kind}`;
	const now = Date.now();
	let minute = minutes.get(key);
	let unwritten = 0;
	if (minute === undefined || now - minute.startedAt >= MINUTE_MS) {
		unwritten = Math.max(0, (minute?.refusals ?? 0) - LINES_PER_MINUTE);
		minute = { startedAt: now, refusals: 0 };
		minutes.delete(key);
		minutes.set(key, minute);
		dropOldest(minutes, MAXIMUM_REMEMBERED);
	}
	minute.refusals++;
	if (minute.refusals > LINES_PER_MINUTE) return;

	const names = signatureHeaderNames(context.getHeaderData()).join(', ') || 'none';
	const before = unwritten > 0 ? `; ${unwritten} earlier ones like it were not logged` : '';
	const after =
		minute.refusals === LINES_PER_MINUTE ? '; more like it within this minute are not logged' : '';
	context.logger.warn(
		`Company Registry Trigger "${context.getNode().name}": a delivery ${what}; headers that look like a signature: ${names}${before}${after}`,
	);
}

/** Logs what was found out about a refused delivery: settings of a scheme, and no more of a value. */
export function logFinding(context: IWebhookFunctions, what: string): void {
	context.logger.warn(
		`Company Registry Trigger "${context.getNode().name}": about the refused delivery ${what}`,
	);
}

/**
 * Logs that n8n ended while the trigger was being published: it shows the workflow as published then, and
 * does not call the trigger again.
 */
export function logHalfPublished(context: IWebhookFunctions): void {
	context.logger.warn(
		`Company Registry Trigger "${context.getNode().name}": a delivery was accepted, but the latest publish of this trigger never came to an end, probably because n8n was stopped meanwhile. Some companies or events may not be watched. Unpublish the workflow and publish it again.`,
	);
}
