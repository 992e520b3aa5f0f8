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
		return `${signed ? 'The delivery is recognised, in a form that no custom scheme describes' : 'Nothing was found that proves the delivery'}. Compare its headers in the recording with the service's reference. CONTRIBUTING.md, "A signature format", says where a new one goes.`;
	}
	return `The delivery proves itself by the scheme below${signed.reason === 'recognised' ? ', which is also recognised' : ''}. To accept this one and nothing else:

1. In ${FILE}, put in place of the last line:

${asCode(scheme)}

   The stand-in then signs its deliveries in this way, too. "npm test -- test/unit test/integration
   test/e2e/reliability" goes on as before.
2. In docs/signatures.md, say that the service signs so.
3. May be deleted then: recognisedSchemes.ts beside it, with "[]" in place of "findClaims(headers)" in
   verifyDelivery.ts; in test/unit/signatures, recognisedSchemes.test.ts and strength.test.ts; and what mocks
   serviceScheme in test/integration/deliveries.
4. "npm run typecheck" then finds nothing else that used it. "npm test -- test/unit test/integration" fails in
   unit/signatures and simulator/recorded for what is said to be recognised (delete that), in integration/deliveries for
   what relies on how else a delivery is signed, such as with an id (sign as the service does), in unit/project/links
   for what names the file, and nowhere else. "npm test -- test/e2e/reliability" goes on as before.`;
}

function asCode(scheme: CustomScheme): string {
	const lines = Object.entries(scheme).map(([name, value]) => `\t${name}: ${inspect(value)},`);
	return ['export const SERVICE_SCHEME: CustomScheme | undefined = {', ...lines, '};'].join('\n');
}
