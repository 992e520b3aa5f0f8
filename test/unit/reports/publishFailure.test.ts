// n8n shows only the message of a failed publish: it begins with a verdict and has the next step.
import { describeFailedPublish } from '../../../nodes/CompanyRegistry/trigger/reports/publishFailure';
import { describeUnpaused } from '../../../nodes/CompanyRegistry/trigger/reports/unpaused';
import {
	COMPANIES,
	expectPlain,
	failureWith,
	refused,
	situationOf,
	type Facts,
} from '../../support/situations';

const [ONE, TWO, THREE] = COMPANIES;
const NEW = { isFirst: true };
const all = COMPANIES.slice(0, 3);
const none: Facts = { all, watched: 0, situation: NEW };

it.each<[string, Facts, RegExp, boolean?]>([
	[
		'the service is down',
		{ ...none, outcome: { failure: failureWith(503) } },
		/^This workflow watches no company yet\. .*HTTP 503.* Publish again: existing webhooks are reused\.$/,
	],
	[
		'a later publish fails',
		{ ...none, situation: {}, outcome: { failure: failureWith(402) } },
		/^No company is watched\. .*account is not allowed/,
	],
	[
		'it took a minute',
		none,
		/^This workflow watches no company yet\. The registry service confirmed no webhook within a minute\. Publish again: existing webhooks are reused\.$/,
		true,
	],
	[
		'a company is refused, and others are not',
		{ all, watched: 2, situation: NEW, outcome: refused([THREE]) },
		/^This workflow watches no company yet: the service refused some\. .*set 'Invalid Companies' \(under Options\) to 'Skip'\. .*Struck off.* Correct these numbers or remove them: 10000003\.$/,
	],
	[
		'all are refused alike',
		{ ...none, outcome: refused(all) },
		/^This workflow watches no company yet\. The registry service refused 3 companies\. .* All were refused for the same reason\. .* first: 10000001 Acme Ltd, 10000002, 10000003/,
	],
	[
		'answers are lost',
		{ ...none, outcome: { lost: all } },
		/answers for these companies were lost or unusable\. Unpublish and publish: 10000001 Acme Ltd/,
	],
	[
		'lost webhooks are listed',
		{ ...none, outcome: { lost: [ONE], others: { [ONE]: ['wh_1'] }, failure: failureWith(503) } },
		/HTTP 503.* Some webhooks cannot be verified\. Pause these webhooks .*: wh_1\.$/,
	],
	[
		'companies are watched already',
		{ ...none, outcome: { alreadyWatched: [ONE, TWO], others: { [ONE]: ['wh_1'] } } },
		/^This workflow watches no company yet\. .*active webhooks for 2 of 3 companies.*Unpublish.*set 'If Already Watched' \(under Options\) to 'Watch Anyway'\. Already watched: 10000001 Acme Ltd, 10000002\.$/,
	],
	[
		'the list cannot be read',
		{ ...none, all: [], desired: { problem: new Error('The link is broken.') } },
		/^This workflow watches no company yet\. The link is broken\.$/,
	],
	[
		'neither the service nor the list can be read',
		{
			...none,
			desired: { problem: new Error('The link is broken.') },
			outcome: { failure: failureWith(402) },
		},
		/^This workflow watches no company yet\. The account is not allowed/,
	],
])('a failed publish where %s', (_what, facts, expected, isLate = false) => {
	const words = describeFailedPublish(situationOf(facts), isLate);
	expect(words).toMatch(expected);
	expectPlain(words);
	expect(words).not.toContain('\n');
});

it('what stays active after an unpublish is logged with each webhook', () => {
	const left = [ONE, TWO].map((company) => ({ id: `wh_${company}`, company }));
	const words = describeUnpaused(left, 'Forbidden.');
	expect(words).toBe(
		'2 webhooks could not be paused and may stay active: Forbidden. The next publish reuses them. Pause these webhooks with Webhook → Pause, unless something else uses them: wh_10000001 (10000001), wh_10000002 (10000002)',
	);
	expectPlain(words);
});
