// Which texts are a signature's header, a digest, a key, a time or an id.
import { keyIn, readDigest } from '../../../nodes/CompanyRegistry/trigger/signatures/digests';
import {
	headerParts,
	headerText,
	signatureHeaderNames,
} from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import {
	isPlainId,
	unixSeconds,
} from '../../../nodes/CompanyRegistry/trigger/signatures/signedContent';

describe('signature header names', () => {
	// test/support/senders.ts has the common ones.
	it('are found by their form', () => {
		const names = [
			...['x_acme_signature', 'x-signature-primary', 'x-sig', 'acme-sign', 'hash-sha512'],
			...['x-haravan-hmacsha256'],
		];
		// A digest is a checksum, which proxies add.
		const others = ['signatures', 'xsignature', 'digest', 'content-digest', 'repr-digest', 'host'];
		const found = [...names, ...others].flatMap((name) => signatureHeaderNames({ [name]: 'a' }));
		expect(found).toEqual(names);
	});

	it('are few and short, because the log has them', () => {
		const many = Object.fromEntries([...Array(50).keys()].map((n) => [`x-${n}-signature`, 'a']));
		expect(signatureHeaderNames(many)).toHaveLength(8);
		const named = (length: number) => 'x-signature'.padStart(length, 'x');
		expect(signatureHeaderNames({ [named(80)]: 'a', [named(81)]: 'a' })).toEqual([named(80)]);
	});
});

it('a header of more than 4096 characters is not read', () => {
	expect(headerText({ a: 'x'.repeat(4096) }, 'a')).toHaveLength(4096);
	expect(headerText({ a: 'x'.repeat(4097) }, 'a')).toBe('');
});

it('a header has at most 32 parts, with any separator', () => {
	expect(headerParts('t=1,v1=x v1=y;  z')).toEqual(['t=1', 'v1=x', 'v1=y', 'z']);
	expect(headerParts(Array(40).fill('a').join(','))).toHaveLength(32);
});

describe('a part of a header is a digest', () => {
	const bytes = Buffer.alloc(32, 0xa5);
	const hex = bytes.toString('hex');
	const base64 = bytes.toString('base64');

	it.each([hex.toUpperCase(), base64, bytes.toString('base64url')])('in any form: %s', (text) => {
		expect(readDigest(text)).toEqual({ algorithm: 'sha256', text, bytes, label: '' });
		expect(readDigest(`v1=${text}`)).toMatchObject({ text, label: 'v1' });
		expect(readDigest(`sig="${text}"`)).toMatchObject({ text, label: 'sig' });
	});

	// Another length, other characters, another padding, and labels that could be of the value or name another algorithm.
	it.each([
		...['', hex.slice(1), `${hex}a`, `${hex.slice(1)}!`, base64.replace('=', '!'), `x${hex}`],
		...[`a.${base64}`, `sha512=${hex}`],
	])('unless it is %s', (text) => expect(readDigest(text)).toBeUndefined());

	it('after at most 60 characters', () => {
		const behind = (length: number) => `${'x'.repeat(length - 1)}=${hex}`;
		expect(readDigest(behind(60))?.label).toHaveLength(59);
		expect(readDigest(behind(61))).toBeUndefined();
	});
});

describe('the key in a secret', () => {
	const inBase64 = [
		...['whsec_c2VjcmV0', 'v1,whsec_c2VjcmV0', 'c2Vjcm_-', 'c2Vjcm+/', 'c2VjcmV0cw=='],
		...['AAAAwhsec_BBBBBB'],
	];
	it.each(inBase64)('is found in base64: %s', (secret) => {
		const text = secret.replace(/^(?:v1,)?[a-z_]*whsec_/, '');
		expect(keyIn(secret, 'base64')).toEqual(Buffer.from(text, 'base64'));
	});

	// No base64, or it decodes to nothing.
	const empty = ['', 'whsec_', '=', 'A', 'c2Vj cmV0', '!c2VjcmV0', 'c2VjcmV0==='];
	it.each(empty)('is missing in "%s"', (secret) => expect(keyIn(secret, 'base64')).toBeUndefined());

	it('is found in hex', () => {
		expect(keyIn('00ffAB', 'hex')).toEqual(Buffer.from([0, 0xff, 0xab]));
		for (const secret of ['', '00f', '00fg', ' 00ff', '00ff ']) {
			expect(keyIn(secret, 'hex')).toBeUndefined();
		}
	});

	it('is the text of a secret, but never an empty one', () => {
		expect(keyIn('whsec_a b', 'utf8')).toEqual(Buffer.from('whsec_a b'));
		expect(keyIn('', 'utf8')).toBeUndefined();
	});
});

describe('a time', () => {
	// recognisedSchemes.test.ts has the usual forms.
	it.each([
		['1700000000.5', 1_700_000_000.5],
		['1699999999500.25', 1_699_999_999.50025],
		// In milliseconds above a hundred thousand millions, where seconds are thousands of years ahead.
		['100000000000', 100_000_000_000],
		['100000000001', 100_000_000.001],
		['2023-11-14T10:13:20.25-12:00', 1_700_000_000.25],
		['2023-11-14 23:43:20+0130', 1_700_000_000],
		['Tue, 14 Nov 2023 22:13:20 +0000 (UTC)', 1_700_000_000],
		['14 Nov 2023 22:13 -0000', 1_699_999_980],
		['Thu,  2 Nov 2023 00:00:00 GMT', 1_698_883_200],
	])('may be %s', (text, seconds) => expect(unixSeconds(text)).toBe(seconds));

	it.each([
		...['+1700000000', '1700000000.', '1.7e9', '0x6553f100', 'Infinity', '', '9'.repeat(20)],
		...['2023-11-14T22:13:20+00', '2023-11-14T22:13:20Z (1)', 'at 2023-11-14T22:13:20Z'],
		...['2023-11-14', '2023-11-14T22:13', '2023-13-14T22:13:20Z'],
		...['Tue, 14 Nov 2023 22:13:20', 'tue, 14 nov 2023 22:13:20 GMT'],
		...['Tue, 14 Nov 2023 22:13:20 GMT (UTC', 'on Tue, 14 Nov 2023 22:13:20 GMT'],
	])('is not "%s"', (text) => expect(unixSeconds(text)).toBeNaN());
});

it.each(['', 'a b', 'a\n', '{', 'a{"b', 'a]', '["', 'a'.repeat(257)])('an id is not "%s"', (id) => {
	expect([isPlainId('a'.repeat(256)), isPlainId(id)]).toEqual([true, false]);
});
