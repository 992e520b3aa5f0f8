// n8n shows only the message of a failed publish: it begins with a verdict and has the next step.
import { describeFailedPublish } from '../../../nodes/CompanyRegistry/trigger/reports/publishFailure';
import {
	COMPANIES,
	expectPlain,
	failureWith,
	refused,
	situationOf,
	type Facts,
} from '../../support/situations';

const all = COMPANIES.slice(0, 3);
const [ONE] = all;

it.each<[string, Facts, RegExp]>([
	[
		'all are refused alike',
		{ outcome: refused(all) },
		/^This workflow watches no company yet\. The registry service refused 3 companies\. .* All were refused for the same reason\. .* first: 10000001 Acme Ltd, 10000002, 10000003/,
	],
	[
		'answers are lost',
		{ outcome: { lost: all } },
		/answers for these companies were lost or unusable\. Unpublish and publish: 10000001 Acme Ltd/,
	],
	[
		'lost webhooks are listed',
		{ outcome: { lost: [ONE], unverified: { [ONE]: ['wh_1'] }, failure: failureWith(503) } },
		/HTTP 503.* Some webhooks cannot be verified\. Pause these webhooks .*: wh_1\.$/,
	],
	[
		'neither the service nor the list can be read',
		{
			desired: { problem: new Error('The link is broken.') },
			outcome: { failure: failureWith(402) },
		},
		/^This workflow watches no company yet\. The account is not allowed/,
	],
])('a failed publish where %s', (_what, facts, expected) => {
	const situation = situationOf({ all, watched: 0, situation: { isFirst: true }, ...facts });
	const words = describeFailedPublish(situation, false);
	expect(words).toMatch(expected);
	expectPlain(words);
	expect(words).not.toContain('\n');
});
