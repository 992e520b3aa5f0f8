import { inspect } from 'node:util';

import type { CustomScheme } from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import type { Recording } from './record';

const FILE = 'nodes/CompanyRegistry/trigger/signatures/serviceScheme.ts';

/** What to change now that a delivery was seen: text for whoever has recorded it. */
export function changeToMake({ delivery }: Recording): string {
	if (!delivery)
		return 'No delivery came. So nothing is known of signatures. Try a company with more to report.';
	const { signed } = delivery;
	if (signed?.reason === 'stale') {
		const { age, timeHeader } = signed;
		// What is written as JSON has no NaN.
		return Number.isFinite(age)
			? `The delivery is genuine, but its time in ${timeHeader} lies ${age} seconds back. Check the clock of this machine and record again.`
			: `The delivery is genuine, but its time in ${timeHeader} cannot be read. Have "unixSeconds" in signedContent.ts beside ${FILE} read it, and record again.`;
	}
	const scheme = signed?.scheme;
	if (!scheme) {
		return `${signed ? 'The delivery is recognised, in a form that no custom scheme describes' : 'Nothing was found that proves the delivery'}. Compare its headers in the recording with the service's reference. docs/maintainers/recording.md says where a new format goes.`;
	}
	return `The delivery proves itself by the scheme below${signed.reason === 'recognised' ? ', which is also recognised' : ''}. To accept this one and nothing else:

1. In ${FILE}, put in place of the last line:

${asCode(scheme)}

   The simulated service then signs its deliveries in this way, too. "npm test" still passes.
2. Update docs/signatures.md and README's Status.`;
}

function asCode(scheme: CustomScheme): string {
	const lines = Object.entries(scheme).map(([name, value]) => `\t${name}: ${inspect(value)},`);
	return ['export const SERVICE_SCHEME: CustomScheme | undefined = {', ...lines, '};'].join('\n');
}
