// Which failures of one company stop a publish, and how many are told.
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import {
	GivenUp,
	isGone,
	isOfOneCompany,
	mayPass,
	Refusals,
	UnusableAnswer,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/refusals';
import { describeRefusals } from '../../../nodes/CompanyRegistry/trigger/subscriptions/words';
import { companyNumbers } from '../../support/savedWorkflow';

function refused(status?: number, said = 'Refused', error = 'invalid') {
	return new RegistryFailure({
		method: 'POST',
		credentialType: 'companyRegistryApi',
		token: '',
		status,
		body: { error, message: said, status },
	});
}

it.each<[unknown, { ofOne: boolean; mayPass: boolean; isGone?: boolean }]>([
	[refused(400), { ofOne: true, mayPass: false }],
	[refused(404), { ofOne: true, mayPass: false, isGone: true }],
	[refused(409), { ofOne: true, mayPass: false }],
	[refused(410), { ofOne: true, mayPass: false, isGone: true }],
	[refused(422), { ofOne: true, mayPass: false }],
	[refused(401), { ofOne: false, mayPass: false }],
	[refused(402), { ofOne: false, mayPass: false }],
	[refused(403), { ofOne: false, mayPass: false }],
	[refused(429), { ofOne: false, mayPass: true }],
	[refused(500), { ofOne: false, mayPass: true }],
	[refused(503), { ofOne: false, mayPass: true }],
	[refused(), { ofOne: false, mayPass: true }],
	[new UnusableAnswer('Paused', 'as not active'), { ofOne: true, mayPass: false }],
	[new Error('No secret'), { ofOne: false, mayPass: false }],
])('%s concerns one company, may pass: %j', (reason, expected) => {
	const { ofOne, mayPass: passes, isGone: gone = false } = expected;
	expect([isOfOneCompany(reason), mayPass(reason), isGone(reason)]).toEqual([ofOne, passes, gone]);
	const refusals = new Refusals();
	const add = () => refusals.add('1', reason, () => 0);
	if (ofOne) expect(add).not.toThrow();
	else expect(add).toThrow(reason as Error);
	expect(refusals.has('1')).toBe(ofOne);
});

const COMPANIES = companyNumbers(500);

/** How many are refused, one after the other, until no more are asked for. */
function countUntilGivenUp(
	reasonOf: (index: number) => unknown,
	refusals = new Refusals(),
): number {
	for (const [index, company] of COMPANIES.entries()) {
		try {
			const reason = reasonOf(index);
			if (reason === undefined) refusals.noteAccepted();
			else refusals.add(company, reason, () => COMPANIES.length - index - 1);
		} catch (error) {
			expect(error).toBeInstanceOf(GivenUp);
			return index + 1;
		}
	}
	return Infinity;
}

it.each<[string, (index: number) => unknown, number]>([
	['for the same reason', () => refused(409), 20],
	['in words that hold a number', (n) => refused(409, `Limit reached (request ${n})`), 20],
	['with another code now and then', (n) => refused(409, 'No', n % 19 ? 'a' : 'b'), Infinity],
	['with another status now and then', (n) => refused(n % 19 ? 409 : 422), Infinity],
	['after one was accepted', (n) => (n < 100 && n % 19 === 0 ? undefined : refused(409)), 95 + 21],
	[
		'as they are shown paused',
		(n) => new UnusableAnswer(`Shows wh_${n} as paused`, 'as not active'),
		20,
	],
])('where companies are refused %s, it gives up after %p', (_how, reasonOf, count) => {
	expect(countUntilGivenUp(reasonOf)).toBe(count);
});

it('new webhooks whose answers are lost are no more than three in a row', () => {
	const refusals = new Refusals();
	const lose = (company: string) => () => refusals.addLost(company, refused(500));
	for (const company of ['1', '2']) expect(lose(company)).not.toThrow();
	refusals.noteAccepted();
	for (const company of ['3', '4']) expect(lose(company)).not.toThrow();
	expect(lose('5')).toThrow('The answers to new webhooks are lost, so no more are asked for');
	expect(refusals.lost).toEqual(['1', '2', '3', '4', '5']);
});

describe('500 refusals are told with no more than twenty names', () => {
	it.each<[string, (index: number) => unknown, RegExp]>([
		['of one kind', (n) => refused(422, `No company ${n}`), /^10000001, .*10000020 and 480 more: /],
		['each of its own', (n) => refused(422, 'No', `code_${n}`), /495 more for other reasons$/],
		[
			'of three kinds',
			(n) => refused([400, 409, 422][n % 3]),
			/^10000001, .*10000058 and 147 more: .*\. 167 more: .*\. 166 more: /,
		],
	])('%s', (_what, reasonOf, expected) => {
		const said = describeRefusals(
			COMPANIES.map((company, index) => ({ company, reason: reasonOf(index) })),
		).join('. ');
		expect(said).toMatch(expected);
		expect(said.match(/\b100\d{5}\b/g)?.length).toBeLessThanOrEqual(20);
		expect(said.length).toBeLessThan(1500);
	});
});
