import { compact, find } from 'lodash';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import { signatureSchemeProperties } from '../parameters/customSchemeFields';
import { baseItem } from '../reports/reportItem';
import { clockIn } from '../reports/times';
import type { CustomScheme } from '../signatures/customScheme';
import { diagnose, type Diagnosis } from '../signatures/findScheme';
import { inTitleCase } from '../signatures/headers';
import type { Stale, Verification } from '../signatures/verifyDelivery';
import { ANSWERS, describeRefusal, type RefusalReason } from './answers';
import type { Refusals } from './deliveryHistory';
import type { IncomingDelivery } from './incoming';

interface RefusalReport {
	title: string;
	description: string;
}

/** Row 16. It has no secret, no value of a header and nothing of the body. */
export function refusalReport(
	incoming: IncomingDelivery,
	verification: Verification | undefined,
	reason: RefusalReason,
	{ count, since }: Refusals,
): RefusalReport {
	const clock = clockIn(incoming.context.getTimezone(), incoming.receivedAt);
	const have = count === 1 ? 'delivery has' : 'deliveries have';
	return {
		title: `${count} ${have} been refused since ${clock.timeOf(since)}`,
		description: `${causeAndAdvice(incoming, verification, reason)}\n\nTime zone: ${clock.zone}`,
	};
}

/** The same as an item of *Watch Report*. @param at in milliseconds since the epoch */
export function refusalItem({ title, description }: RefusalReport, at: number): IDataObject {
	const time = new Date(at).toISOString();
	const summary = `${title}\n\n${description}`;
	const payload = { state: 'incomplete', summary, checked_at: time };
	return { ...baseItem(title, description, time), payload };
}

/** Why the last delivery was refused, and the next step. */
function causeAndAdvice(
	incoming: IncomingDelivery,
	verification: Verification | undefined,
	reason: RefusalReason,
): string {
	const { history, isKnown, subscription, headers, settings } = incoming;
	const { reference, company } = subscription;
	const isProven = history.hasProved(settings);
	const rejection = isKnown && verification?.accepted === false ? verification : undefined;
	const diagnosis = rejection && diagnose(incoming, rejection);
	const shownReason = diagnosis?.reason ?? (rejection && isProven ? 'noLonger' : reason);
	const which = reference ? `?ref=${reference.slice(0, 6)}…` : 'no ?ref= of this trigger';

	return compact([
		`${describeRefusal(shownReason, company)}.`,
		diagnosis ? adviceOn(diagnosis, isProven) : ANSWERS[shownReason][2],
		isKnown
			? `Headers of the delivery: ${Object.keys(headers).join(', ')}.`
			: `Its address has ${which}.`,
		"n8n's log has more.",
	]).join(' ');
}

/** The next step for a genuine delivery. @param isProven whether the present settings have proved others */
export function adviceOn(diagnosis: Diagnosis, isProven: boolean): string {
	if (diagnosis.reason === 'stale') return adviceOnTime(diagnosis);
	return compact([
		// A field that still has an earlier attempt would count too.
		'Under Options → Signature → Custom Scheme, enter the settings below, reset its other fields, and publish. They apply to all companies.',
		isProven &&
			'The current settings work for other deliveries: change them only if the service signs all deliveries this way.',
		`Settings: ${schemeInWords(diagnosis.scheme)}.`,
	]).join(' ');
}

function adviceOnTime({ age, timeHeader }: Stale): string {
	if (Number.isNaN(age)) {
		return `The signature matches, but the time in header ${inTitleCase(timeHeader)} is unreadable. Ask the service's support to send Unix, ISO 8601 or email times.`;
	}
	const seconds = `${Math.abs(Math.round(age))} seconds in the ${age < 0 ? 'future' : 'past'}`;
	return `The signature matches, but its time is ${seconds}. Check the clock of n8n's machine. If it is right, the delivery was late or is a copy. If the service often delivers late, raise Options → Signature → Tolerance and publish.`;
}

/** The fields that differ from their defaults, in the order of the node. */
function schemeInWords(scheme: CustomScheme): string {
	const fields = signatureSchemeProperties.flatMap(({ displayName, name, options, ...field }) => {
		const value = scheme[name as keyof CustomScheme] ?? '';
		if (value === '' || value === field.default) return [];
		const choice = find(options as INodePropertyOptions[] | undefined, { value });
		return [`${displayName} \`${choice?.name ?? value}\``];
	});
	return fields.join(', ');
}
