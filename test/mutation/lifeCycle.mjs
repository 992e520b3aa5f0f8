// npm run mutation:life-cycle: what keeps webhooks and their secrets. Takes a while: see docs/mutation.md.
import { settings } from './settings.mjs';

export default settings({
	name: 'life-cycle',
	files: [
		'trigger/subscriptions/activation',
		'trigger/subscriptions/isPublished',
		'trigger/subscriptions/publish',
		'trigger/subscriptions/publishRun',
		'trigger/subscriptions/unpublish',
		'trigger/parameters/watchlist',
		'trigger/subscriptions/webhookRequests',
	],
	tests: [
		'unit/watchlist',
		'unit/activation',
		'integration/publishSteps',
		'integration/isPublished',
		'integration/unpublishSteps',
		'integration/publishUndone',
		'integration/pauses',
		'integration/slowPublish',
		'integration/accountChange',
	],
	lowest: 90,
});
