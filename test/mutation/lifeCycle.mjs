// npm run mutation:life-cycle: what keeps webhooks and their secrets. Takes a while: see docs/mutation.md.
import { settings } from './settings.mjs';

export default settings({
	name: 'life-cycle',
	files: [
		'trigger/memory/activatedTrigger',
		'trigger/parameters/watchlist',
		'trigger/subscriptions/checkPublished',
		'trigger/subscriptions/pausing/leftAccounts',
		'trigger/subscriptions/pausing/pauseGoal',
		'trigger/subscriptions/pausing/pauseWebhooks',
		'trigger/subscriptions/publish',
		'trigger/subscriptions/refusals',
		'trigger/subscriptions/subscribe',
		'trigger/subscriptions/subscribeCompany',
		'trigger/subscriptions/unpublish',
		'shared/webhookRequests',
	],
	tests: [
		'unit/parameters/watchlist',
		'unit/memory/activatedTrigger',
		'integration/subscriptions/publishSteps',
		'integration/subscriptions/checkPublished',
		'integration/subscriptions/unpublishSteps',
		'integration/subscriptions/publishUndone',
		'integration/subscriptions/pauses',
		'integration/subscriptions/refusedCompanies',
		'integration/subscriptions/addressChanged',
		'integration/subscriptions/accountChange',
		'integration/subscriptions/leftAccounts',
		'integration/subscriptions/waits',
		'integration/subscriptions/unpublish',
		'integration/subscriptions/deletedTrigger',
		'integration/subscriptions/slowPublish',
	],
	lowest: 90,
});
