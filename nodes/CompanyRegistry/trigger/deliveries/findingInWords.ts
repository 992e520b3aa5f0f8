import { find } from 'lodash';
import type { INodePropertyOptions } from 'n8n-workflow';

import { signatureSchemeProperties } from '../parameters/customSchemeFields';
import type { CustomScheme } from '../signatures/customScheme';
import type { Finding } from '../signatures/findScheme';
import { inTitleCase } from '../signatures/headers';
import { IGNORE } from './answers';

const NOTHING_FOUND = `No known signature format matches. Find the format in the service's reference and enter it under Options → Signature. Check that no proxy changes headers or body. ${IGNORE}`;

/** The next step. @param others how many other companies the present settings have verified */
export function findingInWords(finding: Finding | undefined, others: number): string {
	if (finding === undefined) return NOTHING_FOUND;
	if (finding.reason === 'stale') return staleInWords(finding);
	const step =
		finding.reason === 'recognised'
			? 'Remove the custom scheme under Options → Signature: the format is recognised without it'
			: // A field that still has an earlier attempt would count too.
				`Enter under Options → Signature → Custom Scheme: ${schemeInWords(finding.scheme)}. Reset every other field there to its default`;
	const companies = others === 1 ? '1 other company' : `${others} other companies`;
	const rest = `The current settings work for ${companies}. Change them only if the service signs all deliveries this way.`;
	return `${step}. This applies to all companies of the trigger.${others > 0 ? ` ${rest}` : ''}`;
}

function staleInWords({ age, timeHeader }: Extract<Finding, { reason: 'stale' }>): string {
	const but = "It is signed with the webhook's secret, but";
	if (Number.isNaN(age)) {
		return `${but} the time in its header ${inTitleCase(timeHeader)} is unreadable. Ask the service's support for Unix times, ISO 8601 or mail dates.`;
	}
	const seconds = `${Math.abs(Math.round(age))} seconds ${age < 0 ? 'ahead' : 'ago'}`;
	return `${but} its time is ${seconds}. Check the clock of this n8n. If it is right, the delivery was late or is a copy. Raise Options → Signature → Tolerance only if the service delivers so late.`;
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
