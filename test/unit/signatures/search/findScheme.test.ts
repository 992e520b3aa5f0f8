// The search for the settings that would have proven a refused delivery.
import crypto, { createHmac } from 'node:crypto';

import fc from 'fast-check';

import { findingInWords } from '../../../../nodes/CompanyRegistry/trigger/parameters/findingInWords';
import type { CustomScheme } from '../../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import {
	findScheme,
	MAXIMUM_SEARCH,
	type RefusedDelivery,
} from '../../../../nodes/CompanyRegistry/trigger/signatures/search/findScheme';
import { PLAIN_SCHEME } from '../../../support/plainScheme';
import { signDelivery, type CustomScheme as SignedScheme } from '../../../simulator/signing';

jest.setTimeout(120_000);

const secret = 'a secret, as text';
const now = 1_700_000_000;
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
const body = Buffer.from('{"event":"filing.new"}');
const others = {
	host: 'n8n.example',
	'content-type': 'application/json',
	'user-agent': 'Acme/1.0 (+https://acme.example)',
	'x-request-id': '5f0c',
};

function delivery(
	scheme: SignedScheme,
	{ timestamp = now, withSecret = secret, rawBody = body } = {},
): RefusedDelivery {
	const signable = { secret: withSecret, body: rawBody, id: 'call-1', timestamp, url };
	const headers = { ...others, ...signDelivery(scheme, signable) };
	return { rawBody, headers, secret: withSecret, now, tolerance: 300, url: () => url };
}

const SEAL: SignedScheme = {
	header: 'x-foo-seal',
	prefix: 'v3=',
	content: '{id}:{timestamp}:{body}',
	timestampHeader: 'x-foo-sent-at',
	idHeader: 'x-foo-call',
};

afterEach(() => jest.restoreAllMocks());

it('finds the settings that prove a delivery, and says them in the words of the fields', () => {
	expect(findingInWords(findScheme(delivery(SEAL)))).toBe(
		'The delivery is genuine, but signed in a way that is not recognised. Enter under Options → Signature: Header `X-Foo-Seal`, Prefix `v3=`, Signed Content `{id}:{timestamp}:{body}`, Timestamp Header `X-Foo-Sent-At`, ID Header `X-Foo-Call`. Every other field there must be at its default: reset those that you have changed.',
	);
});

it.each<[string, SignedScheme, string]>([
	[
		'two parts in one header',
		{
			header: 'x-foo-seal',
			headerFormat: 'at={timestamp};mac={signature}',
			content: '{timestamp}|{body}',
		},
		'Header `X-Foo-Seal`, Signed Content `{timestamp}|{body}`, Header Format `at={timestamp},mac={signature}`',
	],
	[
		'two parts without labels',
		{ header: 'x-foo-seal', headerFormat: '{timestamp},{signature}', content: '{body}{timestamp}' },
		'Header `X-Foo-Seal`, Signed Content `{body}{timestamp}`, Header Format `{timestamp},{signature}`',
	],
	[
		'a new line, SHA-512 and base64',
		{ ...SEAL, algorithm: 'sha512', encoding: 'base64', content: '{timestamp}\n{id}\n{body}' },
		'Header `X-Foo-Seal`, Prefix `v3=`, Encoding `Base64`, Algorithm `HMAC-SHA512`, Signed Content `{timestamp}\\n{id}\\n{body}`, Timestamp Header `X-Foo-Sent-At`, ID Header `X-Foo-Call`',
	],
	[
		'the address, and a key in base64',
		{ header: 'x-foo-seal', content: '{url}{body}', secretEncoding: 'base64' },
		'Header `X-Foo-Seal`, Signed Content `{url}{body}`, Secret Encoding `Base64`',
	],
])('finds %s', (_case, scheme, words) => {
	const refused = delivery(scheme, { withSecret: 'c2VjcmV0IG9mIHRlc3Rz' });
	expect(findingInWords(findScheme(refused))).toContain(words);
});

it.each([
	...[
		'{timestamp}.{body}',
		'{body}{timestamp}',
		'{timestamp}\n{body}',
		'{id}{body}',
		'{body}-{id}',
	],
	...[
		'{id}:{timestamp}:{body}',
		'{body}.{timestamp}.{id}',
		'{timestamp}|{id}|{body}',
		'{url}{body}',
	],
	...['{body}&{url}', '{url}.{timestamp}.{body}', 'v2.{timestamp}.{body}', 'v3:{timestamp}:{body}'],
	...['[{timestamp};{body}]', 'timestamp={timestamp}&body={body}', 'hmacsha256={body}'],
	...['sha256={body}', 'POST{url}{body}', '{url}POST{body}', 'POST{url}{body}{timestamp}'],
	...['{timestamp}POST{url}{body}', '{body}'],
])('finds the content %j', (content) => {
	const scheme: SignedScheme = {
		header: 'x-foo-seal',
		content,
		...(content.includes('{timestamp}') ? { timestampHeader: 'x-foo-sent-at' } : {}),
		...(content.includes('{id}') ? { idHeader: 'x-foo-call' } : {}),
	};
	expect(findScheme(delivery(scheme))).toMatchObject({
		kind: 'custom',
		scheme: { content: content.replaceAll('\n', '\\n') },
	});
});

it.each(['{id}{timestamp}{body}', '[{timestamp},{body}]'])(
	'does not name %j, which could be read in two ways',
	(content) => {
		const timed = { header: 'x-foo-seal', content, timestampHeader: 'x-foo-sent-at' };
		const idHeader = content.includes('{id}') ? 'x-foo-call' : '';
		expect(findScheme(delivery({ ...timed, idHeader }))).toBeUndefined();
	},
);

it.each<[string, string]>([
	['text', 'a secret, as text'],
	['base64', 'c2VjcmV0IG9mIHRlc3Rz'],
	['hex', '736563726574206f66207465737473'],
])('finds a secret that is read as %s', (_as, withSecret) => {
	const secretEncoding = _as === 'text' ? 'utf8' : (_as as 'base64' | 'hex');
	const scheme: SignedScheme = { header: 'x-foo-seal', secretEncoding };
	expect(findScheme(delivery(scheme, { withSecret }))).toMatchObject({
		kind: 'custom',
		scheme: { secretEncoding },
	});
});

it('a delivery whose headers contradict each other, or without a tolerance, is searched all the same', () => {
	const { headers, ...rest } = delivery(SEAL);
	const contradicting = { ...headers, 'x-signature': `t=1700000000,t=1,v1=${'ab'.repeat(32)}` };
	expect(findScheme({ ...rest, headers: contradicting })).toMatchObject({ kind: 'custom' });
});

it('the age of a delivery is that of the claim for which it is refused', () => {
	const old = now - 1000;
	const signed = signDelivery(
		{
			header: 'b-signature',
			headerFormat: 't={timestamp},v1={signature}',
			content: '{timestamp}.{body}',
		},
		{ secret, body, id: '', timestamp: old, url },
	);
	const current = { 'a-signature': `t=${now},v1=${'ab'.repeat(32)}` };
	const refused = { ...delivery(SEAL), headers: { ...current, ...signed } };
	expect(findScheme(refused)).toEqual({ kind: 'stale', age: 1000 });
	expect(findScheme({ ...refused, tolerance: 1000 })).toEqual({ kind: 'recognised' });
});

it('finds nothing in what was made without the secret, and says what can be done', () => {
	const forged = { ...delivery(SEAL), secret: 'another secret' };
	expect(findScheme(forged)).toBeUndefined();
	expect(findScheme({ ...forged, headers: {} })).toBeUndefined();
	expect(findScheme({ ...delivery(SEAL), secret: '' })).toBeUndefined();
	expect(findingInWords(undefined)).toContain('Nothing was found');
});

it.each<[SignedScheme]>([
	[SEAL],
	[
		{
			header: 'x-signature',
			headerFormat: 't={timestamp},v1={signature}',
			content: '{timestamp}.{body}',
		},
	],
])('an old delivery is told as such, and when it was sent: %j', (scheme) => {
	const old = findScheme(delivery(scheme, { timestamp: now - 7200 }));
	expect(old).toEqual({ kind: 'stale', age: 7200 });
	expect(findingInWords(old)).toContain('its signed time lies 2 hours back');
	const ahead = findScheme(delivery(scheme, { timestamp: now + 400 }));
	expect(ahead).toEqual({ kind: 'stale', age: -400 });
	expect(findingInWords(ahead)).toContain('its signed time lies 7 minutes ahead');
});

it('an old delivery is told as such even where its body is too large to be searched', () => {
	const large = Buffer.alloc(MAXIMUM_SEARCH.bytes + 1, '{');
	const headers = signDelivery(
		{
			header: 'x-signature',
			headerFormat: 't={timestamp},v1={signature}',
			content: '{timestamp}.{body}',
		},
		{ secret, body: large, id: '', timestamp: now - 7200, url },
	);
	const old = { ...delivery(SEAL), rawBody: large, headers };
	expect(findScheme(old)).toEqual({ kind: 'stale', age: 7200 });
});

it('a delivery without anything that could be a signature costs no HMAC', () => {
	const { headers, ...rest } = delivery(SEAL);
	const hashes = jest.spyOn(crypto, 'createHmac');
	expect(findScheme({ ...rest, headers: { ...headers, 'x-foo-seal': 'ab' } })).toBeUndefined();
	expect(hashes).not.toHaveBeenCalled();
	hashes.mockRestore();
});

it('a delivery that is recognised by itself needs no custom scheme', () => {
	const finding = findScheme(delivery({ header: 'x-signature' }));
	expect(finding).toEqual({ kind: 'recognised' });
	expect(findingInWords(finding)).toContain('Remove the custom scheme');
});

it('a search is bounded in HMACs, and in bytes for a large body', () => {
	const hashes = jest.spyOn(crypto, 'createHmac');
	const many = Object.fromEntries([...Array(200).keys()].map((n) => [`x-foo-${n}-id`, `id-${n}`]));
	const times = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`x-foo-${n}`, String(now - n)]));
	const digests = ['ab'.repeat(32), 'ab'.repeat(64), 'ab'.repeat(20)].join();
	const headers = { 'x-foo-seal': digests, ...times, ...many };
	const search = (rawBody: Buffer) => {
		hashes.mockClear();
		const inHex = { rawBody, headers, secret: 'c0ffee', now, tolerance: 300, url: () => url };
		expect(findScheme(inHex)).toBeUndefined();
		return hashes.mock.calls.length;
	};
	expect(search(body)).toBe(MAXIMUM_SEARCH.hmacs);
	expect(search(Buffer.alloc(1024 * 1024))).toBe(MAXIMUM_SEARCH.bytes / 1024 / 1024);
});

it('never throws, whatever the headers', () => {
	const text = fc.oneof(
		fc.string(),
		fc.constantFrom('ab'.repeat(32), String(now), 'v1=', 't=', ',', '{id}', '"'),
	);
	const value = fc.array(text, { maxLength: 5 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(fc.dictionary(fc.string(), value, { maxKeys: 4 }), (headers) => {
			const finding = findScheme({ rawBody: body, headers, secret, now, tolerance: 300 });
			expect(finding).toBeUndefined();
		}),
		{ numRuns: 50 },
	);
});

describe('where the custom scheme that is set signs a time', () => {
	const scheme: CustomScheme = {
		...PLAIN_SCHEME,
		header: 'X-Foo-Seal',
		headerFormat: 'at={timestamp},mac={signature}',
		content: '{timestamp}|{body}',
	};
	const seal = { header: 'x-foo-seal', headerFormat: scheme.headerFormat, content: scheme.content };
	const alone = signDelivery({ header: 'x-signature' }, { secret, body, id: '', timestamp: now });
	const signedAt = (timestamp: number) => delivery(seal, { timestamp });
	const beside = (refused: RefusedDelivery) => ({ ...refused.headers, ...alone });

	it('an old delivery is told as such, whatever stands beside it', () => {
		const old = signedAt(now - 7200);
		const stale = { kind: 'stale', age: 7200 };
		expect(findScheme({ ...old, headers: beside(old), scheme })).toEqual(stale);
		expect(findScheme({ ...old, headers: beside(old), scheme, hasVerified: true })).toEqual(stale);
	});

	it('a signature over the body alone is not told', () => {
		const { headers, ...rest } = delivery({ header: 'x-foo-sign-by' });
		const found = { kind: expect.stringMatching(/^(?:recognised|custom)$/) };
		for (const sent of [alone, headers]) {
			expect(findScheme({ ...rest, headers: sent, scheme })).toBeUndefined();
			expect(findScheme({ ...rest, headers: sent })).toMatchObject(found);
			const timeless = { ...PLAIN_SCHEME, header: 'X-Other' };
			expect(findScheme({ ...rest, headers: sent, scheme: timeless })).toMatchObject(found);
		}
	});

	it('one that signs a time too is, also behind one over the body alone', () => {
		const timed = delivery(SEAL);
		const headers = beside(timed);
		const { content } = SEAL;
		const other = { ...scheme, header: 'X-Other' };
		const found = { kind: 'custom', scheme: { content } };
		expect(findScheme({ ...timed, headers, scheme: other })).toMatchObject(found);
		const inCapitals = { ...other, content: '{Timestamp}{body}' };
		expect(findScheme({ ...timed, headers, scheme: inCapitals })).toMatchObject(found);
	});

	it('one that is recognised and signs a time is told as such', () => {
		const recognised = delivery({
			header: 'x-signature',
			headerFormat: 't={timestamp},v1={signature}',
			content: '{timestamp}.{body}',
		});
		expect(findScheme({ ...recognised, scheme })).toEqual({ kind: 'recognised' });
	});
});

describe('where the webhook has verified others', () => {
	const scheme: CustomScheme = { ...PLAIN_SCHEME, header: 'X-Other' };
	const hasVerified = true;

	it('the custom scheme is not told to be needless', () => {
		const timed = delivery({
			header: 'x-signature',
			headerFormat: 't={timestamp},v1={signature}',
			content: '{timestamp}.{body}',
		});
		for (const recognised of [timed, delivery({ header: 'x-signature' })]) {
			expect(findScheme({ ...recognised, scheme })).toEqual({ kind: 'recognised' });
			expect(findScheme({ ...recognised, scheme, hasVerified })).toBeUndefined();
		}
	});

	it('only settings that sign a time are told', () => {
		expect(findScheme({ ...delivery(SEAL), hasVerified })).toMatchObject({ kind: 'custom' });
		const refused = delivery({ ...SEAL, content: '{id}:{body}' });
		expect(findScheme(refused)).toMatchObject({ kind: 'custom' });
		expect(findScheme({ ...refused, hasVerified })).toBeUndefined();
	});
});

describe('the settings are those of every delivery of the sender', () => {
	const mac = (content: string) =>
		createHmac('sha256', secret).update(content).update(body).digest('hex');
	const schemeOf = (headers: Record<string, string>) => {
		const finding = findScheme({ rawBody: body, headers, secret, now, tolerance: 300 });
		return finding?.kind === 'custom' ? finding.scheme : finding;
	};
	const id = 'e76c7781';

	it.each<[string, Partial<CustomScheme>]>([
		[`v3=${mac('')}`, { prefix: 'v3=' }],
		[`a=1,SHA256=${mac('')}`, { prefix: 'SHA256=' }],
		[`Seal key="a",mac="${mac('')}"`, { headerFormat: 'mac="{signature}"' }],
		[`t=${now},s=${mac(`${now}|`)}`, { headerFormat: 't={timestamp},s={signature}' }],
		[`s=${mac(`${now}|`)};t=${now}`, { headerFormat: 's={signature},t={timestamp}' }],
		[`${now} x ${mac(`${now}|`)}`, { headerFormat: '{timestamp},-,{signature}' }],
		[`t=${now},x,${mac(`${now}|`)}`, { headerFormat: 't={timestamp},-,{signature}' }],
		[`a=1,i=${id},s=${mac(`${id}|`)}`, { headerFormat: 'i={id},s={signature}' }],
		[
			`i=${id},t=${now},s=${mac(`${id}|${now}|`)}`,
			{ headerFormat: 'i={id},t={timestamp},s={signature}' },
		],
	])('%s', (value, expected) => {
		expect(schemeOf({ 'x-foo': value })).toEqual({
			...PLAIN_SCHEME,
			header: 'X-Foo',
			content: expect.any(String),
			...expected,
		});
	});

	it('and there are none where a value stands before the signature, or its id in another header’s part', () => {
		expect(schemeOf({ 'x-foo': `${id}:${mac('')}` })).toBeUndefined();
		expect(schemeOf({ 'x-foo': `{id}:${mac('')}` })).toBeUndefined();
		const beside = { 'x-bar': `nonce=${id},mac=${'ab'.repeat(32)}` };
		expect(schemeOf({ 'x-foo': mac(`${id}.`), ...beside })).toBeUndefined();
		const inIt = { 'x-foo': `nonce=${id},mac=${mac(`${id}.`)}`, ...beside };
		expect(schemeOf(inIt)).toMatchObject({ headerFormat: 'nonce={id},mac={signature}' });
	});

	it('a time is never told as an id, however many times there are', () => {
		const times = (count: number) =>
			Object.fromEntries([...Array(count).keys()].map((n) => [`x-${n}-at`, String(now - 1 - n)]));
		const headers = { 'x-foo-seal': mac(`${now}|`), 'foo-at': String(now) };
		const timed = { timestampHeader: 'Foo-At', idHeader: '' };
		expect(schemeOf({ ...times(3), ...headers })).toMatchObject(timed);
		expect(schemeOf({ ...times(4), ...headers })).toBeUndefined();
	});
});
