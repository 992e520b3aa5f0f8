// npm run mutation: what decides whether a delivery is genuine, and the parts without n8n.
import { settings } from './settings.mjs';

export default settings({
	name: 'pure',
	files: [
		'shared/companyNumber',
		'shared/concurrently',
		'trigger/memory/findLine',
		'trigger/memory/savedState',
		'trigger/memory/triggerMemory',
		'trigger/memory/triggers',
		'trigger/memory/webhookLines',
		'trigger/signatures/customScheme',
		'trigger/signatures/digests',
		'trigger/signatures/findScheme',
		'trigger/signatures/headers',
		'trigger/signatures/keys',
		'trigger/signatures/recognisedSchemes',
		'trigger/signatures/schemeCandidates',
		'trigger/signatures/signedContent',
		'trigger/signatures/verifyDelivery',
		'trigger/subscriptions/plan',
		'trigger/subscriptions/reconciler',
	],
	tests: [
		'unit/shared/companyNumber',
		'unit/shared/concurrently',
		'unit/subscriptions/plan',
		'unit/subscriptions/reconciler',
		'unit/memory/findLine',
		'unit/memory/savedState',
		'unit/memory/triggerMemory',
		'unit/memory/triggers',
		'unit/signatures/*',
	],
	lowest: 90,
});
