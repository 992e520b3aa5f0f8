// The search for settings that prove a refused delivery.
import crypto, { createHmac } from 'node:crypto';

import { adviceOn } from '../../../nodes/CompanyRegistry/trigger/deliveries/refusalReport';
import { signatureSchemeProperties } from '../../../nodes/CompanyRegistry/trigger/parameters/customSchemeFields';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import {
	customSchemeProblem,
	customSchemeSchema,
	type CustomScheme,
} from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import {
	verifyDelivery,
	type SentDelivery,
} from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery, type CustomScheme as SignedScheme } from '../../simulator/signing';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { searchScheme } from '../../support/searchScheme';
import { described } from '../../support/senders';

/** What a user reads about it. */
const wordsOf = (finding: ReturnType<typeof searchScheme>) =>
	finding ? adviceOn(finding, false) : '';

/** Text, base64 and hex. */
const secret = Buffer.from('a secret of tests').toString('hex');
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
	{ timestamp = now, rawBody = body, id = 'call-1' } = {},
): SentDelivery {
	const signable = { secret, body: rawBody, id, timestamp, url };
	const headers = { ...others, ...signDelivery(scheme, signable) };
	return { rawBody, headers, secret, now, tolerance: 300, url };
}

const SEAL: SignedScheme = {
	header: 'x-foo-seal',
	prefix: 'v3=',
	content: '{id}:{timestamp}:{body}',
	timestampHeader: 'x-foo-sent-at',
	idHeader: 'x-foo-call',
};
/** Recognised by itself. */
const LIST: SignedScheme = {
	header: 'x-signature',
	headerFormat: 't={timestamp},v1={signature}',
	content: '{timestamp}.{body}',
};

afterEach(() => jest.restoreAllMocks());

/** Beside those of the senders. */
const CONTENTS = [
	...['{timestamp}\n{body}', '{id}{body}', '{body}-{id}', '{body}.{timestamp}.{id}'],
	...['{timestamp}|{id}|{body}', '{url}.{timestamp}.{body}', 'v2.{timestamp}.{body}'],
	...['v3:{timestamp}:{body}', 'sha256={body}', 'POST{url}{body}'],
];
const FORMATS: SignedScheme[] = [
	{ header: 'x_foo_sig', prefix: 'Seal ', algorithm: 'sha512', encoding: 'base64url' },
	{ ...SEAL, secretEncoding: 'hex', timeFormat: 'nanoseconds' },
	{ ...SEAL, secretEncoding: 'base64', timeFormat: 'isoWithoutZone' },
	{ ...SEAL, headerFormat: 'id={id},at={timestamp},mac={signature}' },
	{ ...SEAL, headerFormat: 'alg=x,nonce={id},mac={signature}', content: '{id},{body}' },
];

it.each<[SignedScheme, Record<string, string>?]>([
	...CONTENTS.map((content): [SignedScheme] => [{ ...SEAL, content }]),
	...FORMATS.map((format): [SignedScheme] => [format]),
	...described.map(({ signs, beside }): [SignedScheme, Record<string, string>] => [signs, beside]),
])('finds settings for %j that prove only genuine deliveries', (signed, beside = {}) => {
	const { content = '{body}' } = signed;
	const sender = { ...signed, content };
	const one = delivery(sender);
	const finding = searchScheme({ ...one, headers: { ...beside, ...one.headers } });
	// Only a delivery that is refused has a finding.
	expect(finding).toMatchObject({ scheme: { content: content.replaceAll('\n', '\\n') } });
	const scheme = enter(wordsOf(finding));
	expect(customSchemeProblem(scheme)).toBeUndefined();
	const other = { rawBody: Buffer.from('{"event":"psc.added"}'), id: 'call-2' };
	const next = delivery(sender, { ...other, timestamp: now + 60 });
	const isAccepted = (changes: Partial<SentDelivery>) =>
		verifyDelivery({ ...next, now: now + 60, ...changes, scheme }).accepted;
	expect(isAccepted({})).toBe(true);
	expect(isAccepted({ rawBody: body })).toBe(false);
	expect(isAccepted({ secret: secret.replace(/^../, '00') })).toBe(false);
	// An old delivery passes only where no time is signed.
	expect(isAccepted({ now: now + 86_400 })).toBe(!content.includes('{timestamp}'));
});

/** The settings of a user who enters exactly these words. */
function enter(words: string): CustomScheme {
	const scheme: Record<string, string> = {};
	for (const [, field, value] of words.matchAll(/([A-Z][A-Za-z ]+) `([^`]*)`/g)) {
		const property = signatureSchemeProperties.find(({ displayName }) => displayName === field);
		const options = (property?.options ?? []) as Array<{ name: string; value: string }>;
		const option = options.find(({ name }) => name === value);
		scheme[property?.name ?? ''] = option?.value ?? value;
	}
	return optionsSchema.parse({ signature: { scheme } }).signature.scheme as CustomScheme;
}

it('finds nothing without the secret', () => {
	const forged = { ...delivery(SEAL), secret: 'another secret' };
	expect(searchScheme(forged)).toBeUndefined();
	expect(searchScheme({ ...forged, headers: {} })).toBeUndefined();
	expect(searchScheme({ ...delivery(SEAL), secret: '' })).toBeUndefined();
});

describe('a stale delivery', () => {
	it('has its age', () => {
		const old = searchScheme(delivery(SEAL, { timestamp: now - 7200 }));
		expect(old).toMatchObject({ reason: 'stale', age: 7200 });
		expect(wordsOf(old)).toContain('its time is 7200 seconds in the past');
		const ahead = searchScheme(delivery(LIST, { timestamp: now + 400 }));
		expect(ahead).toMatchObject({ reason: 'stale', age: -400 });
		expect(wordsOf(ahead)).toContain('its time is 400 seconds in the future');
	});

	it('names the header of a time that cannot be read', () => {
		const time = '14/11/2023T22h13';
		const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
		const headers = { 'x-signature': signature, 'x-timestamp': time };
		const { content } = LIST;
		const described = { header: 'X-Signature', timestampHeader: 'X-Timestamp', content };
		const scheme = customSchemeSchema.parse(described);
		const found = searchScheme({ ...delivery(LIST), headers, scheme });
		expect(found).toMatchObject({ reason: 'stale', age: NaN, timeHeader: 'x-timestamp' });
		expect(wordsOf(found)).toContain('the time in header X-Timestamp is unreadable');
	});
});

it('a search has a limit in bytes, and for a short body in HMACs', () => {
	const hashes = jest.spyOn(crypto, 'createHmac');
	const named = (count: number, name: string, value: (n: number) => string) =>
		Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}-${name}`, value(n)]));
	const digests = ['ab'.repeat(32), 'ab'.repeat(64), 'ab'.repeat(20)].join();
	const headers = {
		...{ 'x-foo-seal': digests, 'x-bar-seal': digests },
		...named(5, 'at', (n) => String(now - n)),
		...named(200, 'id', (n) => `id-${n}`),
	};
	const search = (rawBody: Buffer) => {
		hashes.mockClear();
		const inHex = { rawBody, headers, secret: 'c0ffee', now, tolerance: 300, url };
		expect(searchScheme(inHex)).toBeUndefined();
		return hashes.mock.calls.length;
	};
	expect(search(body)).toBe(4096);
	expect(search(Buffer.alloc(1024 * 1024))).toBe(16);
});

describe('beside a custom scheme that signs a time', () => {
	const scheme: CustomScheme = {
		...PLAIN_SCHEME,
		header: 'X-Foo-Seal',
		headerFormat: 'at={timestamp},mac={signature}',
		content: '{timestamp}|{body}',
	};
	const timeless = { ...PLAIN_SCHEME, header: 'X-Other' };
	const bodyAlone = delivery({ header: 'x-acme-signature' });

	it.each<[string, SentDelivery, CustomScheme, string | undefined]>([
		['no signature over the body alone', bodyAlone, scheme, undefined],
		['that signature where no time is needed', bodyAlone, timeless, '{body}'],
		['a signature over a time', delivery(LIST), scheme, LIST.content],
	])('the search finds %s', (_what, sent, custom, content) => {
		const headers = { ...bodyAlone.headers, ...sent.headers };
		const finding = searchScheme({ ...sent, headers, scheme: custom });
		expect(finding?.reason === 'custom' ? finding.scheme.content : finding).toBe(content);
	});
});

describe('the settings fit every delivery of the sender', () => {
	const mac = (content: string) =>
		createHmac('sha256', secret).update(content).update(body).digest('hex');
	const schemeOf = (headers: Record<string, string>) => {
		const finding = searchScheme({ rawBody: body, headers, secret, now, tolerance: 300 });
		return finding?.reason === 'custom' ? finding.scheme : finding;
	};
	const id = 'e76c7781';

	it.each<[string, Partial<CustomScheme>]>([
		[`a=1,SHA256=${mac('')}`, { headerFormat: 'SHA256={signature}' }],
		[`HMAC_SHA256:${mac('')}`, { headerFormat: 'HMAC_SHA256:{signature}' }],
		[`s=${mac(`${now}|`)};t=${now}`, { headerFormat: 't={timestamp},s={signature}' }],
		[`a=1,i=${id},s=${mac(`${id}|`)}`, { headerFormat: 'i={id},s={signature}' }],
	])('%s', (value, expected) => {
		const content = expect.any(String);
		const scheme = { ...PLAIN_SCHEME, header: 'X-Foo', content, ...expected };
		expect(schemeOf({ 'x-foo': value })).toEqual(scheme);
	});

	it('there are none behind a possible value, for a part without a label or in another header', () => {
		for (const value of ['9f8e7dab', 'hmac-9f8e', '{id}']) {
			expect(schemeOf({ 'x-foo': `${value}:${mac('')}` })).toBeUndefined();
		}
		expect(schemeOf({ 'x-foo': `${now},${mac(`${now}|`)}` })).toBeUndefined();
		const beside = { 'x-bar': `nonce=${id},mac=${'ab'.repeat(32)}` };
		expect(schemeOf({ 'x-foo': mac(`${id}.`), ...beside })).toBeUndefined();
	});

	const idHeaders = ['x-call-id', 'nonce', 'my_delivery', 'x-event', 'message', 'x-key'];
	it.each(idHeaders)('the id is found in %s', (header) => {
		const scheme = schemeOf({ [header]: id, 'x-foo': mac(`${id}.`) });
		expect(scheme).toMatchObject({ content: '{id}.{body}' });
	});

	it.each([
		...[String(now - 7200), `${now}123456789`, `a-${now}`, '2023-11-14', '20230105'],
		...['evt_20231114_5', '20231114T221320Z', 'abc:2023-11-14T22:13:20Z'],
	])('a time is never taken for an id: %s', (text) => {
		const beside = { 'x-call-id': text, 'x-foo': mac(`${text}.`) };
		const within = { 'x-foo': `id=${text},s=${mac(`${text}.`)}` };
		for (const scheme of [schemeOf(beside), schemeOf(within)]) {
			expect(JSON.stringify(scheme ?? '')).not.toContain('{id}');
		}
	});
});
