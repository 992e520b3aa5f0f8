// npm run mutation: what decides whether a delivery is genuine, and the parts without n8n.
import { settings } from './settings.mjs';

export default settings({
	name: 'pure',
	files: [
		'shared/companyNumber',
		'trigger/concurrently',
		'trigger/customScheme',
		'trigger/findLine',
		'trigger/gatherKnown',
		'trigger/knownWebhooks',
		'trigger/plan',
		'trigger/processMemory',
		'trigger/signatureSchemes',
		'trigger/signatureText',
		'trigger/turns',
		'trigger/verifyDelivery',
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
		'unit/verifyDelivery',
		'unit/signatureText',
		'unit/signedTime',
		'unit/signatureSchemes',
	],
	lowest: 90,
});
