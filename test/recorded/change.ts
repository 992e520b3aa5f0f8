import type { CustomScheme } from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import type { Recording } from './record';

const FILE = 'nodes/CompanyRegistry/trigger/signatures/serviceScheme.ts';

/** What to change now that a delivery was seen: text for whoever has recorded it. */
export function changeToMake({ delivery }: Recording): string {
	if (!delivery)
		return 'No delivery came. So nothing is known of signatures. Try a company with more to report.';
	const { signed } = delivery;
	if (signed?.kind === 'stale') {
		return `The delivery is genuine, but its time in ${signed.timeHeader} lies ${signed.age} seconds back. Check the clock of this machine and record again.`;
	}
	const scheme = signed?.scheme;
	if (!scheme) {
		return `${signed ? 'The delivery is recognised, in a form that no custom scheme describes' : 'Nothing was found that proves the delivery'}. Compare its headers in the recording with the service's reference. CONTRIBUTING.md, "A signature format", says where a new one goes.`;
	}
	return `The delivery proves itself by the scheme below${signed.kind === 'recognised' ? ', which is also recognised' : ''}. To accept this one and nothing else:

1. In ${FILE}, put in place of the last line:

${asCode(scheme)}

   The stand-in then signs its deliveries in this way, too.
2. In docs/signatures.md, say that the service signs so.
3. May be deleted then: all of recognisedSchemes.ts beside it but claimsWithId, which samples are verified by, and
   the first table of test/support/senders.ts. If no other way to sign is to be described by hand, also
   customSchemeFields.ts with 'signature' in options.ts, and findScheme.ts with what explain.ts says of it.
4. "npm run typecheck" names what else has used that. "npm test -- test/unit/signatures test/integration/deliveries"
   fails for what relied on another way to sign, and for nothing else: "npm test -- test/integration/simulator
   test/integration/subscriptions test/e2e/reliability" goes on as before.`;
}

function asCode(scheme: CustomScheme): string {
	const lines = Object.entries(scheme).map(
		([name, value]) => `\t${name}: ${JSON.stringify(value)},`,
	);
	return ['export const SERVICE_SCHEME: CustomScheme | undefined = {', ...lines, '};'].join('\n');
}
