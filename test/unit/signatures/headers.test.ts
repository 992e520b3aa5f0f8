// Which headers may carry a signature.
import {
	headerText,
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
