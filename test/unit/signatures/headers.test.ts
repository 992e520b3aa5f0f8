// Which headers may carry a signature.
import {
	headerParts,
	headerText,
	sharedLength,
	signatureHeaderNames,
} from '../../../nodes/CompanyRegistry/trigger/signatures/headers';

describe('signature header names', () => {
	it.each([
		'signature',
		'x-signature',
		'acme-webhook-signature',
		'x-hub-signature-256',
		'x-acme-hmac-sha256',
		'x-signature-sha256',
		'x-signature-primary',
		'x-payload-digest',
		'x-hub-signature-1',
		'x-acme-signature-hmac-sha-256',
		'content-hmac',
		'hmacsignature',
		'x_acme_signature',
		'x-content-mac',
		'x-payload-hash',
		'x-sig',
		'acme-sign',
		'x-hash-sha512',
	])('include %s', (name) => {
		expect(signatureHeaderNames({ host: 'a', [name]: 'b' })).toEqual([name]);
	});

	it.each(['signatures', 'x-designature', 'authorization', 'xsignature', '__proto__'])(
		'leave out %s',
		(name) => {
			expect(signatureHeaderNames(Object.fromEntries([[name, 'b']]))).toEqual([]);
		},
	);

	it('are few and short, as they go to the log', () => {
		const many = Object.fromEntries([...Array(50).keys()].map((n) => [`x-${n}-signature`, 'a']));
		expect(signatureHeaderNames(many)).toHaveLength(8);
		const named = (length: number) => 'x-signature'.padStart(length, 'x');
		expect(signatureHeaderNames({ [named(80)]: 'a', [named(81)]: 'a' })).toEqual([named(80)]);
	});
});

it('a header longer than any sender needs is not read', () => {
	expect(headerText({ a: 'x'.repeat(4096) }, 'a')).toHaveLength(4096);
	expect(headerText({ a: 'x'.repeat(4097) }, 'a')).toBe('');
});

it.each([
	['a', ['a']],
	['a,b', ['a', 'b']],
	['a, b;  c', ['a', 'b', 'c']],
	['t=1,v1=x v1=y', ['t=1', 'v1=x', 'v1=y']],
])('the parts of "%s"', (value, parts) => {
	expect(headerParts(value)).toEqual(parts);
});

it('a header has 64 parts at most', () => {
	expect(headerParts(Array(70).fill('a').join(','))).toHaveLength(64);
});

it.each([
	['x-acme-signature', 'x-acme-timestamp', 7],
	['same', 'same', 4],
	['sam', 'same', 3],
	['same', 'sam', 3],
	['a', 'b', 0],
])('%s and %s begin with the same %i letters', (one, other, length) => {
	expect(sharedLength(one, other)).toBe(length);
});
