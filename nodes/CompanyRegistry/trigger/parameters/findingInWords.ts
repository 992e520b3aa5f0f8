import type { INodePropertyOptions } from 'n8n-workflow';

import type { CustomScheme } from '../signatures/customScheme';
import type { Finding } from '../signatures/search/findScheme';
import { signatureSchemeProperties } from './customSchemeFields';

const NOTHING_FOUND =
	"Nothing was found that would prove it with the webhook's secret. Either somebody else has sent it, or the service signs in a way of its own: look for it in the service's reference and enter it under Options → Signature. If what is entered there signs a time, nothing weaker was looked for.";
/** Fields that still hold what was tried before would go on counting. */
const OTHER_FIELDS =
	'Every other field there must be at its default: reset those that you have changed.';

/** What was found out about a refused delivery, and what to do, in the words of the node's fields. */
export function findingInWords(finding: Finding | undefined): string {
	if (finding === undefined) return NOTHING_FOUND;
	if (finding.kind === 'recognised') {
		return 'The delivery is genuine and signed in a way that is recognised, but not in the way that is entered under Options → Signature. Remove the custom scheme there.';
	}
	if (finding.kind === 'custom') {
		return `The delivery is genuine, but signed in a way that is not recognised. Enter under Options → Signature: ${schemeInWords(finding.scheme)}. ${OTHER_FIELDS}`;
	}
	return `It is signed with the webhook's secret, but its signed time lies ${inWords(finding.age)}, which is more than Options → Signature Tolerance (Seconds) allows. If the clock of the machine that n8n runs on is right, the delivery took long to arrive, or somebody has sent a recorded one again. Raise Signature Tolerance only if the service is known to send deliveries so late.`;
}

/** The fields whose value is not the default, in the order in which the node shows them. */
function schemeInWords(scheme: CustomScheme): string {
	const fields = signatureSchemeProperties.flatMap(({ displayName, name, options, ...field }) => {
		const value = scheme[name as keyof CustomScheme] ?? '';
		if (value === '' || value === field.default) return [];
		const choice = (options as INodePropertyOptions[] | undefined)?.find(
			(option) => option.value === value,
		);
		return [`${displayName} \`${choice?.name ?? value}\``];
	});
	return fields.join(', ');
}

function inWords(age: number): string {
	if (Number.isNaN(age)) return 'at no time that can be read';
	const seconds = Math.abs(age);
	const [amount, unit] =
		[
			[seconds / 86_400, 'day'] as const,
			[seconds / 3600, 'hour'] as const,
			[seconds / 60, 'minute'] as const,
		].find(([size]) => size >= 2) ?? ([seconds, 'second'] as const);
	const rounded = Math.round(amount);
	return `${rounded} ${unit}${rounded === 1 ? '' : 's'} ${age < 0 ? 'ahead' : 'back'}`;
}
