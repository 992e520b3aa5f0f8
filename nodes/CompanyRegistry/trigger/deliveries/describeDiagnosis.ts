import { compact, find } from 'lodash';
import type { INodePropertyOptions } from 'n8n-workflow';

import { pluralise } from '../../shared/format';
import { signatureSchemeProperties } from '../parameters/customSchemeFields';
import type { CustomScheme } from '../signatures/customScheme';
import type { Diagnosis } from '../signatures/findScheme';
import { inTitleCase } from '../signatures/headers';

/** The next step. @param others how many other companies the present settings have verified */
export function describeDiagnosis(diagnosis: Diagnosis, others: number): string {
	if (diagnosis.reason === 'stale') return describeStale(diagnosis);
	const caution = `The current settings work for ${pluralise(others, 'other company')}: change them only if the service signs all deliveries this way.`;
	const isRecognised = diagnosis.reason === 'recognised';
	return compact([
		isRecognised
			? 'Remove Options → Signature → Custom Scheme and publish: the trigger recognises this format by itself. This applies to all companies.'
			: // A field that still has an earlier attempt would count too.
				'Under Options → Signature → Custom Scheme, enter the settings below, reset its other fields, and publish. They apply to all companies.',
		others > 0 && caution,
		!isRecognised && `Settings: ${describeScheme(diagnosis.scheme)}.`,
	]).join(' ');
}

function describeStale({ age, timeHeader }: Extract<Diagnosis, { reason: 'stale' }>): string {
	if (Number.isNaN(age)) {
		return `The signature matches, but the time in header ${inTitleCase(timeHeader)} is unreadable. Ask the service's support to send Unix, ISO 8601 or email times.`;
	}
	const seconds = `${Math.abs(Math.round(age))} seconds in the ${age < 0 ? 'future' : 'past'}`;
	return `The signature matches, but its time is ${seconds}. Check the clock of n8n's machine. If it is right, the delivery was late or is a copy. If the service often delivers late, raise Options → Signature → Tolerance and publish.`;
}

/** The fields that differ from their defaults, in the order of the node. */
function describeScheme(scheme: CustomScheme): string {
	const fields = signatureSchemeProperties.flatMap(({ displayName, name, options, ...field }) => {
		const value = scheme[name as keyof CustomScheme] ?? '';
		if (value === '' || value === field.default) return [];
		const choice = find(options as INodePropertyOptions[] | undefined, { value });
		return [`${displayName} \`${choice?.name ?? value}\``];
	});
	return fields.join(', ');
}
