// Every failure of a request in words: what happened, and what to do next.
import { reasonOf, RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import type { FailedRequest } from '../../../nodes/CompanyRegistry/registry/failureWords';

type Failure = Partial<FailedRequest>;
const failed = (failure: Failure) =>
	new RegistryFailure({
		method: 'GET',
		credentialType: 'companyRegistryApi',
		token: '',
		...failure,
	});

const errorBody = (message: string, error = 'some_code') => ({ error, message, status: 400 });

const ID = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';
const TOKENS = [
	'whsec_c2VjcmV0',
	'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
	'Bearer abc123',
	'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6',
];

/** Words in whose place n8n would put a sentence of its own. */
const REPLACED_BY_N8N =
	/ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|ERRADDRINUSE|EADDRNOTAVAIL|ECONNABORTED|EHOSTUNREACH|EAI_AGAIN|ENOENT|EISDIR|ENOTDIR|EACCES|EEXIST|EPERM|GETADDRINFO/i;

const cases: Array<[string, Failure, RegExp, RegExp]> = [
	['a wrong token', { status: 401 }, /did not accept the API key/, /Session tokens go in/],
	[
		'a wrong session token',
		{ status: 401, credentialType: 'companyRegistrySessionApi' },
		/did not accept the session token/,
		/Log in to the service again/,
	],
	['a plan that ends', { status: 402 }, /plan does not cover/, /dashboard/],
	['a right that is missing', { status: 403 }, /not allowed/, /dashboard/],
	['an unknown address', { status: 404 }, /nothing at this address/, /'Base URL'/],
	['too many requests', { status: 429 }, /too many requests/, /fewer requests at a time/],
	['a fault of the service', { status: 503 }, /could not process.*503/, /Try again/],
	['a refused value', { status: 422 }, /did not accept the request.*422/, /Check the values/],
	['a redirect', { status: 301 }, /redirects/, /final address/],
	[
		'a web page',
		{ status: 200, isStrange: true, body: '<!doctype html><html>' },
		/web page/,
		/API/,
	],
	['a web page that says no', { status: 404, body: '\n<html><body>' }, /web page/, /'Base URL'/],
	[
		'a strange answer',
		{ status: 200, isStrange: true, body: { a: 1 } },
		/Unexpected answer/,
		/newer version/,
	],
	['an unknown host', { reason: 'ENOTFOUND' }, /host name was not found/, /^Check.*typos/],
	['a closed port', { reason: 'ECONNREFUSED' }, /Nothing answers/, /'Base URL'/],
	['a slow service', { reason: 'ETIMEDOUT' }, /did not answer in time/, /Try again/],
	["n8n's own timeout", { reason: 'timeout of 15000ms exceeded' }, /in time/, /Try again/],
	['a certificate', { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, /secure connection/, /certificate/],
	['a closed connection', { reason: 'ECONNRESET' }, /closed before/, /Try again/],
	['anything else', { reason: 'Domain not allowed' }, /could not be reached/, /Domain not allowed/],
	['nothing known', {}, /could not be reached/, /'Base URL'/],
];

describe('a failure', () => {
	it.each(cases)(
		'says what happened and what to do: %s',
		(_name, failure, message, description) => {
			const words = failed(failure);
			expect(words.message).toMatch(message);
			expect(words.message).not.toMatch(REPLACED_BY_N8N);
			expect(words.description).toMatch(description);
			expect(words.description).not.toMatch(/ENOTFOUND|EAI_AGAIN/);
			expect(words.httpCode).toBe(failure.status === undefined ? 'none' : String(failure.status));
		},
	);

	it.each(['just text', { message: 'no code' }, null, [errorBody('x')]])(
		'does not quote what is not the error object: %j',
		(body) => {
			const { description } = failed({ status: 400, body });
			expect(description).not.toContain('The service said');
		},
	);

	it.each([
		// n8n's editor would leave angle brackets out as markup.
		['Use "Bearer <API_KEY>"', 'Use "Bearer ‹API_KEY›"'],
		...[ID, `Webhook ${ID} needs Bearer followed by a key`].map((said) => [said, said]),
		...TOKENS.map((token) => [`Token ${token} is not valid`, 'Token … is not valid']),
	])('quotes %j without what looks like a token, as %j', (said, quoted) => {
		const { description } = failed({ status: 400, body: errorBody(said) });
		expect(description).toContain(` The service said: "${quoted}" (some_code).`);
	});

	it.each(['short', 'a.dotted.key', 'plain-words-only', 'with+plus/and=', '$&(.*)'])(
		"does not repeat the credential's own value, whatever it looks like: %s",
		(secret) => {
			const body = errorBody(`No account for '${secret}' (${encodeURIComponent(secret)})`, secret);
			const { description } = failed({ status: 401, body, token: secret });
			expect(description).toContain(`The service said: "No account for '…' (…)" (…).`);
		},
	);

	it('shortens a long message', () => {
		const body = errorBody('word '.repeat(1000));
		const { description } = failed({ status: 400, body });
		expect(description.length).toBeLessThan(500);
	});
});

// Whether it may have been carried out decides whether it is sent again, and what is believed afterwards.
it.each<[RegistryFailure['kind'], Failure]>([
	['notSent', { reason: 'ENOTFOUND' }],
	['notSent', { reason: 'ECONNREFUSED' }],
	['notSent', { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
	['later', { status: 429 }],
	['later', { status: 503 }],
	['refused', { status: 302 }],
	['refused', { status: 401 }],
	['refused', { status: 404 }],
	['refused', { status: 422 }],
	['unclear', { status: 500 }],
	['unclear', { status: 504 }],
	['unclear', { status: 200, isStrange: true }],
	['unclear', { reason: 'ECONNRESET' }],
	['unclear', { reason: 'ETIMEDOUT' }],
	['unclear', {}],
])('is %s: %j', (kind, failure) => {
	expect(failed(failure).kind).toBe(kind);
});

describe('reasonOf', () => {
	it("prefers the connection's code over the words", () => {
		const cause = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });
		expect(reasonOf(new Error('The service refused', { cause }))).toBe('ECONNREFUSED');
		expect(reasonOf(new Error('Domain not allowed'))).toBe('Domain not allowed');
		expect(reasonOf('text')).toBe('');
		// As Node 24 puts it.
		const words =
			'self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca';
		expect(reasonOf(new Error(words))).toBe('self-signed certificate');
	});
});
