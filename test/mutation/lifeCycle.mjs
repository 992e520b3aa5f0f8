// npm run mutation:life-cycle: what keeps webhooks and their secrets. Takes an hour or more.
import { settings } from './settings.mjs';

export default settings({
	name: 'life-cycle',
	files: [
		'trigger/gatherKnown',
		'trigger/isPublished',
		'trigger/knownWebhooks',
		'trigger/processMemory',
		'trigger/publish',
		'trigger/publishRun',
		'trigger/unpublish',
		'trigger/webhookRequests',
	],
	tests: [
		'unit/knownWebhooks',
		'integration/checkExists',
		'integration/concurrentRuns',
		'integration/publish',
		'integration/publishFailures',
		'integration/testRuns',
		'integration/unpublish',
	],
	lowest: 70,
});
