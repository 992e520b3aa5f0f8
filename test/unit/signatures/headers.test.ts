import {
	describeHeaders,
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

describe('the description of headers', () => {
	it.each([
		['ab'.repeat(32), '64 hex characters'],
		[`v3=${'ab'.repeat(64)}`, 'a label and 128 hex characters'],
		[`${'A'.repeat(43)}=`, '44 base64 characters'],
		['1700000000', 'a number of 10 digits'],
		['2023-11-14T22:13:20Z', 'a date and time'],
		['Tue, 14 Nov 2023 22:13:20 GMT', 'a date and time'],
		['t=1700000000,s=tree', 'a label and a number of 10 digits, text'],
		['call-1', '6 characters'],
		['', '0 characters'],
	])('says of %j that it is %s', (value, looks) => {
		expect(describeHeaders({ 'x-foo-seal': value })).toEqual([`X-Foo-Seal: ${looks}`]);
	});

	it('is bounded', () => {
		const many = Object.fromEntries([...Array(100).keys()].map((n) => [`x-${n}`, '1,'.repeat(99)]));
		const lines = describeHeaders({ ['x'.repeat(81)]: 'long name', ...many });
		expect(lines).toHaveLength(40);
		expect(lines.join()).not.toContain('xx');
		expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
	});
});

it('a header longer than any sender needs is not read', () => {
	expect(headerText({ a: 'x'.repeat(4096) }, 'a')).toHaveLength(4096);
	expect(headerText({ a: 'x'.repeat(4097) }, 'a')).toBe('');
});
