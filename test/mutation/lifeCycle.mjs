// npm run mutation:life-cycle: what keeps webhooks and their secrets. Takes a while: see README.md.
import { settings } from './settings.mjs';

export default settings({
	name: 'life-cycle',
	files: [
		'trigger/memory/identity',
		'shared/companyLabel',
		'trigger/parameters/pastedCompanies',
		'trigger/parameters/watchlist',
		'trigger/subscriptions/account',
		'trigger/subscriptions/address',
		'trigger/subscriptions/checkPublished',
		'trigger/subscriptions/errors',
		'trigger/subscriptions/pause',
		'trigger/subscriptions/publish',
		'trigger/subscriptions/subscribe',
		'trigger/subscriptions/subscribeCompany',
		'trigger/subscriptions/unpublish',
		'registry/webhooks',
	],
	tests: [
		'unit/parameters/watchlist',
		'integration/subscriptions/publish',
		'integration/subscriptions/checkPublished',
		'integration/subscriptions/unpublish',
		'integration/subscriptions/publishFailures',
		'integration/subscriptions/refusedCompanies',
		'integration/subscriptions/unexpectedAnswers',
		'integration/subscriptions/addressChanged',
		'integration/subscriptions/accountChange',
		'integration/subscriptions/slowPublish',
		'integration/subscriptions/concurrentRuns',
		'integration/subscriptions/change',
		'integration/subscriptions/testRuns',
	],
	lowest: 90,
	together: true,
});
