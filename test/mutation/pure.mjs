// npm run mutation: what decides whether a delivery is genuine, and the parts without n8n.
import { settings } from './settings.mjs';

export default settings({
	name: 'pure',
	files: [
		'shared/companyNumber',
		'shared/concurrently',
		'trigger/signatures/customScheme',
		'trigger/memory/findLine',
		'trigger/memory/gatherKnown',
		'trigger/memory/knownWebhooks',
		'trigger/subscriptions/plan',
		'trigger/memory/processMemory',
		'trigger/signatures/recognisedSchemes',
		'trigger/signatures/digests',
		'trigger/signatures/findScheme',
		'trigger/signatures/headers',
		'trigger/signatures/keys',
		'trigger/signatures/schemeCandidates',
		'trigger/signatures/signedContent',
		'trigger/subscriptions/turns',
		'trigger/signatures/verifyDelivery',
	],
	tests: [
		'unit/companyNumber',
		'unit/concurrently',
		'unit/plan',
		'unit/turns',
		'unit/gatherKnown',
		'unit/processMemory',
		'unit/findLine',
		'unit/knownWebhooks',
		'unit/signatures/*',
	],
	lowest: 90,
});
