// n8n shows only the message of a failed publish: it has the cause, what is affected and the next step, in one line.
import { UnusableAnswer } from '../../../nodes/CompanyRegistry/trigger/records/failures';
import { describeFailedPublish } from '../../../nodes/CompanyRegistry/trigger/reports/publishFailure';
import { nextStep } from '../../../nodes/CompanyRegistry/trigger/reports/reasons';
import type { Status } from '../../../nodes/CompanyRegistry/trigger/reports/status';
import { COMPANIES, expectPlain, failureWith, NOW, statusWith } from '../../support/statuses';

const ALL = COMPANIES.slice(0, 3);
const refused = (...reasons: unknown[]) =>
	new Map(ALL.map((company, nth) => [company, reasons[nth % reasons.length]]));
const STRUCK_OFF = failureWith(422, 'Struck off');
const broken = new Error('The link is broken.');

it.each<[string, Partial<Status>, RegExp]>([
	[
		'all are refused alike',
		{ refused: refused(STRUCK_OFF) },
		/3 companies.*Struck off.*: 10000001 Acme Ltd, 10000002, 10000003/,
	],
	['answers cannot be used', {}, /no usable answer.*: 10000001 Acme Ltd, 10000002/],
	['the address is in question', { addressQuestion: 'Moved or copied?' }, /Moved or copied\?/],
	['the list cannot be read', { unreadList: { reason: broken, since: NOW } }, /The link is broken/],
	[
		'neither the service nor the list can be read',
		{
			unreadList: { reason: broken, since: NOW },
			failing: { reason: failureWith(402), since: NOW },
		},
		/account/,
	],
])('a failed publish where %s', (_what, changes, expected) => {
	const status = statusWith({ watched: [], unwatched: ALL, ...changes });
	for (const isFirst of [true, false]) {
		const words = describeFailedPublish({ ...status, isFirst }, false);
		expect(words).toMatch(isFirst ? /^This workflow/ : /^No company/);
		expect(words).toMatch(expected);
		expectPlain(words);
		expect(words).not.toContain('\n');
	}
});

it.each([false, true])(
	'says to publish again after a failure that may pass (late: %s)',
	(isLate) => {
		const failing = { reason: failureWith(503), since: NOW };
		const words = describeFailedPublish(
			statusWith({ watched: [], unwatched: ALL, failing }),
			isLate,
		);
		expect(words.match(/Publish again/g)).toHaveLength(1);
		// n8n takes the trigger down.
		expect(words).not.toContain('retries');
	},
);

it('quotes each reason with its companies', () => {
	const refusals = [STRUCK_OFF, failureWith(422, 'Too young'), failureWith(409, 'Exists')];
	const status = statusWith({ watched: [], unwatched: ALL, refused: refused(...refusals) });
	expect(describeFailedPublish(status, false)).toMatch(
		/Struck off.*: 10000001 .*Too young.*: 10000002.*Exists.*: 10000003/,
	);
});

const NEW = { isKnownNumber: false, areOthersAccepted: false };
const KNOWN = { isKnownNumber: true, areOthersAccepted: true };
const AMONG_OTHERS = { ...NEW, areOthersAccepted: true };

it.each<[string, unknown, typeof NEW, RegExp, string]>([
	['the plan', failureWith(402), NEW, /plan/, 'number'],
	['permissions', failureWith(403), KNOWN, /permissions/, 'number'],
	['a conflict', failureWith(409), AMONG_OTHERS, /exist.*Get Many/, 'number'],
	['the number', STRUCK_OFF, AMONG_OTHERS, /number/, 'Trigger On'],
	['events or address', STRUCK_OFF, KNOWN, /Trigger On.*address/, 'number'],
	['all that it may be', STRUCK_OFF, NEW, /number.*Trigger On.*address/, 'plan'],
	['the support', new UnusableAnswer('No secret'), AMONG_OTHERS, /support/, 'number'],
])('the next step after a refusal is about %s', (_what, reason, about, words, other) => {
	expect(nextStep(reason, about)).toMatch(words);
	expect(nextStep(reason, about)).not.toContain(other);
});
