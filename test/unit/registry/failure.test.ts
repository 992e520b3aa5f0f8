// Every kind of failed request: its cause, its next step, and whether the service may have processed it.
import {
	isGone,
	isOfOneCompany,
	reasonOf,
	RegistryFailure,
} from '../../../nodes/CompanyRegistry/registry/failure';
import type { FailedRequest } from '../../../nodes/CompanyRegistry/registry/describeFailure';

type Failure = Partial<FailedRequest>;
const failed = (failure: Failure) =>
	new RegistryFailure({
		method: 'GET',
		credentialType: 'companyRegistryApi',
		token: '',
		...failure,
	});

const errorBody = (message: string, error = 'some_code') => ({ error, message, status: 400 });

/** Codes for which n8n replaces the whole message with its own. */
const REPLACED_BY_N8N =
	/ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|ERRADDRINUSE|EADDRNOTAVAIL|ECONNABORTED|EHOSTUNREACH|EAI_AGAIN|ENOENT|EISDIR|ENOTDIR|EACCES|EEXIST|EPERM|GETADDRINFO/i;

const session = { credentialType: 'companyRegistrySessionApi' } as const;
const page = { status: 200, isUnexpected: true, body: '<!doctype html><html>' };
const unexpected = { status: 200, isUnexpected: true, body: { a: 1 } };

it.each<[string, Failure, RegistryFailure['kind'], RegExp, RegExp]>([
	['401', { status: 401 }, 'refused', /did not accept the API key/, /Session tokens go in/],
	['401', { status: 401, ...session }, 'refused', /accept the session token/, /API keys go in/],
	['403', { status: 403 }, 'refused', /not allowed.*403/, /permissions.*dashboard/],
	['404', { status: 404 }, 'refused', /nothing at this address/, /'Base URL'/],
	['408', { status: 408 }, 'unclear', /could not process.*408/, /Try again/],
	['422', { status: 422 }, 'refused', /did not accept the request.*422/, /Check the values/],
	['429', { status: 429 }, 'later', /too many requests/, /fewer requests at a time/],
	['500', { status: 500 }, 'unclear', /could not process.*500/, /Try again/],
	['503', { status: 503 }, 'later', /could not process.*503/, /Try again/],
	['a redirect', { status: 301 }, 'refused', /redirects/, /final address/],
	['a web page', page, 'unclear', /web page/, /API/],
	['a 404 page', { status: 404, body: '\n<html>' }, 'refused', /web page/, /'Base URL'/],
	['an unexpected answer', unexpected, 'unclear', /sent an unexpected answer/, /newer version/],
	['an unknown host', { reason: 'ENOTFOUND' }, 'notSent', /could not reach/, /^Check.*typos/],
	['a closed port', { reason: 'ECONNREFUSED' }, 'notSent', /could not reach/, /'Base URL'/],
	['a timeout', { reason: 'timeout of 15000ms exceeded' }, 'unclear', /No answer/, /Try again/],
	['a bad certificate', { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'notSent', /secure/, /certif/],
	['a closed connection', { reason: 'ECONNRESET' }, 'unclear', /No answer/, /Try again/],
	['another reason', { reason: 'Domain not allowed' }, 'unclear', /not reach/, /Domain not/],
])('%s: %j is %s, with cause and next step', (_case, failure, kind, message, description) => {
	const result = failed(failure);
	expect(result.kind).toBe(kind);
	expect(result.message).toMatch(message);
	expect(result.message).not.toMatch(REPLACED_BY_N8N);
	expect(result.description).toMatch(description);
});

it('some failures may pass, concern one company, or prove that a webhook is gone', () => {
	const statuses = [400, 401, 402, 403, 404, 408, 409, 410, 422, 425, 429, 500, 503];
	const those = (is: (failure: RegistryFailure) => boolean) =>
		statuses.filter((status) => is(failed({ status, body: errorBody('x') })));
	expect(those(({ isTemporary }) => isTemporary)).toEqual([408, 425, 429, 500, 503]);
	expect(those(isOfOneCompany)).toEqual([400, 404, 409, 410, 422]);
	expect(those(isGone)).toEqual([404, 410]);
	const proxyPage = failed({ status: 404, body: '<h1>Not found</h1>' });
	expect([isOfOneCompany(proxyPage), isGone(proxyPage)]).toEqual([true, false]);
});

describe("the quotation of the service's message", () => {
	it('is missing for a body other than the error object', () => {
		const { description, serviceError } = failed({ status: 400, body: { message: 'no code' } });
		expect(description).not.toContain('The service said');
		expect(serviceError).toBeUndefined();
	});

	// n8n's editor would hide angle brackets as markup.
	it('is whole, without angle brackets', () => {
		const { description } = failed({ status: 400, body: errorBody('Use "Bearer <API_KEY>"') });
		expect(description).toContain(' The service said: "Use "Bearer ‹API_KEY›"" (some_code).');
	});

	const tokens = ['short', 'with+plus/and=', '$&(.*)'];
	it.each(tokens)("hides the credential's token: %s", (token) => {
		const body = errorBody(`No account for '${token}' (${encodeURIComponent(token)})`, token);
		const { description } = failed({ status: 401, body, token });
		expect(description).toContain(`The service said: "No account for '…' (…)" (…).`);
	});

	it('is shortened', () => {
		const { description } = failed({ status: 400, body: errorBody('word '.repeat(1000)) });
		expect(description.length).toBeLessThan(500);
	});
});

it("the reason of a failed connection hides the credential's own token", () => {
	const failure = failed({ reason: 'Invalid header: plain-words', token: 'plain-words' });
	expect(failure.description).toContain('(Invalid header: …)');
	expect(failure.reason).toBe('Invalid header: …');
});

const cause = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });

it.each([
	[new Error('The service refused', { cause }), 'ECONNREFUSED'],
	[new Error('Domain not allowed'), 'Domain not allowed'],
	['text', ''],
])('the reason of %s is %j', (error, reason) => {
	expect(reasonOf(error)).toBe(reason);
});
