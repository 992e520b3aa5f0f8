// Companies that the service refuses: whether each by itself, or all for the same reason.
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import {
	CompaniesRefused,
	CompanyFailure,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/publishErrors';
import { Refusals } from '../../../nodes/CompanyRegistry/trigger/subscriptions/refusals';

/** A refusal in the service's own words. */
function refusal(status: number, message = 'Unknown'): RegistryFailure {
	const body = { error: 'invalid', message, status };
	return new RegistryFailure({
		method: 'POST',
		credentialType: 'companyRegistryApi',
		secrets: [],
		status,
		body,
	});
}

/** What is thrown when so many companies have been refused, one after the other. */
function thrownAfter(
	count: number,
	refuse: (index: number) => RegistryFailure,
	succeeded = 0,
): unknown {
	const refusals = new Refusals();
	try {
		for (let index = 0; index < count; index++)
			refusals.add(`company ${index}`, refuse(index), succeeded);
	} catch (error) {
		return error;
	}
	return undefined;
}

it('stops at the 20th of the first companies that are refused in the same words', () => {
	expect(thrownAfter(19, () => refusal(422))).toBeUndefined();
	const error = thrownAfter(20, () => refusal(422));
	expect(error).toBeInstanceOf(CompaniesRefused);
	expect(error).toMatchObject({ stopped: true, refusals: { length: 20 } });
});

it.each<[string, (index: number) => RegistryFailure, number]>([
	['one is refused for another reason', (index) => refusal(index === 7 ? 404 : 422), 0],
	[
		'one is refused in other words of the service',
		(index) => refusal(422, index === 7 ? 'Struck off' : 'Unknown'),
		0,
	],
	['another company was accepted', () => refusal(422), 1],
])('goes on where %s', (_why, refuse, succeeded) => {
	expect(thrownAfter(30, refuse, succeeded)).toBeUndefined();
});

it('compares the reason itself, and not only what to do about it', () => {
	const [one, other] = [refusal(422), refusal(422)];
	expect(one.description).toBe(other.description);
	other.message = 'Another reason';
	expect(thrownAfter(30, (index) => (index === 7 ? other : one))).toBeUndefined();
});

it('stops at once at what concerns more than the one company, and names it', () => {
	const failure = refusal(402);
	const refusals = new Refusals();
	expect(() => refusals.add('company 1', failure, 3)).toThrow(CompanyFailure);
	expect(thrownAfter(1, () => failure)).toMatchObject({ company: 'company 0', reason: failure });
	expect(() => refusals.add('company 2', new Error('of n8n'), 3)).toThrow(CompanyFailure);
});

it('tells of those that were refused, and of nothing where none was', () => {
	const refusals = new Refusals();
	expect(refusals.asError()).toBeUndefined();
	const failure = refusal(404);
	refusals.add('company 1', failure, 0);
	expect(refusals.asError()).toMatchObject({
		stopped: false,
		refusals: [{ company: 'company 1', failure }],
	});
});
