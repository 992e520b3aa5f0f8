// What headers claim, shape by shape.
import { createHmac } from 'node:crypto';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';

const secret = 'whsec_c2VjcmV0IG9mIHRlc3Rz';
const key = Buffer.from('secret of tests');
const body = Buffer.from('{"event":"filing.new"}');
const now = 1_700_000_000;
const wrong = 'ab'.repeat(32);

function sign(content: string | Buffer, withKey: string | Buffer = secret) {
	return createHmac('sha256', withKey).update(content).digest();
}

function verify(headers: DeliveryHeaders, withSecret = secret, withBody = body) {
	return verifyDelivery(withBody, headers, withSecret, now, { tolerance: 300 });
}

describe('three headers of one family', () => {
	const signature = `v1,${sign(`id_1.${now}.${body}`, key).toString('base64')}`;
	const headers = {
		'webhook-id': 'id_1',
		'webhook-timestamp': String(now),
		'webhook-signature': signature,
	};

	it.each(['acme-', 'signature-of-acme-', 'webhook-of-acme-', ''])(
		'may have a name of their own: %ssignature',
		(family) => {
			const named = {
				[`${family}id`]: 'id_1',
				[`${family}timestamp`]: String(now),
				[`${family}signature`]: signature,
			};
			expect(verify(named)).toEqual({
				accepted: true,
				signedId: 'id_1',
				idNamesDelivery: false,
			});
		},
	);

	it.each(['webhook-', 'svix-', 'acme-message-'])(
		'name each delivery if they are those of %ssignature',
		(family) => {
			const named = {
				[`${family}id`]: 'id_1',
				[`${family}timestamp`]: String(now),
				[`${family}signature`]: signature,
			};
			expect(verify(named)).toEqual({ accepted: true, signedId: 'id_1', idNamesDelivery: true });
		},
	);

	it('are read without the space around them', () => {
		expect(verify({ ...headers, 'webhook-id': ' id_1 ' })).toEqual({
			accepted: true,
			signedId: 'id_1',
			idNamesDelivery: true,
		});
	});

	it('need a time', () => {
		const timeless = `v1,${sign(`id_1..${body}`, key).toString('base64')}`;
		expect(verify({ 'webhook-id': 'id_1', 'webhook-signature': timeless })).toEqual({
			accepted: false,
			reason: 'wrong',
		});
	});

	it.each([
		['several', `v1,${sign('old key').toString('base64')} ${signature}`],
		['repeated headers', `v1,${sign('old key').toString('base64')}, ${signature}`],
		['a later version', `v1a,${'A'.repeat(86)} v2,${wrong} ${signature}`],
	])('find the right one among %s', (_case, value) => {
		expect(verify({ ...headers, 'webhook-signature': value })).toMatchObject({ accepted: true });
	});

	it.each(['v1=', 'v2,', ''])('may have "%s" before the signature', (prefix) => {
		const changed = signature.replace('v1,', prefix);
		expect(verify({ ...headers, 'webhook-signature': changed })).toMatchObject({ accepted: true });
	});

	it('read no signature that runs into its version', () => {
		const changed = signature.replace('v1,', 'v1');
		expect(verify({ ...headers, 'webhook-signature': changed })).toMatchObject({ accepted: false });
	});

	it('read any secret as base64 and as text, and one in hex as that too', () => {
		const content = `id_1.${now}.${body}`;
		const signedWith = (text: string, bytes: string | Buffer) =>
			verify({ ...headers, 'webhook-signature': sign(content, bytes).toString('hex') }, text);
		expect(signedWith(secret, key)).toMatchObject({ accepted: true });
		expect(signedWith(secret, secret)).toMatchObject({ accepted: true });
		expect(signedWith(`k${secret}`, key)).toMatchObject({ accepted: true });
		expect(signedWith('c0ffee', Buffer.from('c0ffee', 'hex'))).toMatchObject({ accepted: true });
		expect(signedWith('c0ffee', Buffer.from('c0ffee', 'base64'))).toMatchObject({ accepted: true });
		expect(signedWith('c0ffee', 'c0ffee')).toMatchObject({ accepted: true });
	});

	it('read a secret without whsec_ as base64 and as text', () => {
		const bare = secret.slice('whsec_'.length);
		expect(verify(headers, bare)).toMatchObject({ accepted: true });
		const asText = `v1,${sign(`id_1.${now}.${body}`, bare).toString('base64')}`;
		expect(verify({ ...headers, 'webhook-signature': asText }, bare)).toMatchObject({
			accepted: true,
		});
	});

	it('find no key in a secret that is nothing but its prefix', () => {
		const empty = createHmac('sha256', '').update(`id_1.${now}.${body}`).digest('base64');
		expect(verify({ ...headers, 'webhook-signature': `v1,${empty}` }, 'whsec_')).toMatchObject({
			accepted: false,
		});
	});

	it('leave a signature over the body alone to the scheme that signs the body alone', () => {
		const value = `sha256=${sign(body).toString('hex')}`;
		expect(verify({ ...headers, 'webhook-signature': value })).toEqual({ accepted: true });
	});

	it('do not let part of a signed body pass for another body', () => {
		const inner = '{ ":": "}';
		const signed = `{".${now}.${inner}`;
		const base64 = sign(signed, secret.slice(6)).toString('base64');
		const forged = {
			'webhook-id': '{"',
			'webhook-timestamp': String(now),
			'webhook-signature': `v1,${base64}`,
		};
		expect(verify(forged, secret.slice(6), Buffer.from(inner))).toMatchObject({
			accepted: false,
		});
	});
});

describe('a list with a time', () => {
	const hex = sign(`${now}.${body}`).toString('hex');

	it.each([
		['in order', `t=${now},v1=${hex}`],
		['in another order', `v1=${hex},t=${now}`],
		['with spaces', `t=${now} , v1=${hex}`],
		['with a test mode signature', `t=${now},v0=${wrong},v1=${hex}`],
		['with an old secret', `t=${now},v1=${wrong},v1=${hex}`],
		['in milliseconds', `t=${now}123,v1=${sign(`${now}123.${body}`).toString('hex')}`],
	])('is read %s', (_case, value) => {
		expect(verify({ 'acme-signature': value })).toEqual({ accepted: true });
	});

	it('counts no other version than v1', () => {
		const value = `t=${now},v0=${hex},v1=${wrong}`;
		expect(verify({ 'acme-signature': value })).toEqual({ accepted: false, reason: 'wrong' });
	});

	it.each([
		['no time', 't='],
		['a negative time', 't=-1'],
		['words', 't=today'],
		['a time in hex', 't=0x6553f100'],
		['an exponent', 't=17e8'],
		['Infinity', 't=Infinity'],
		['30 digits', `t=${'9'.repeat(30)}`],
	])('with %s is stale even if that is signed', (_case, time) => {
		const value = `${time},v1=${sign(`${time.slice(2)}.${body}`).toString('hex')}`;
		expect(verify({ 'acme-signature': value })).toMatchObject({ accepted: false, reason: 'stale' });
	});
});

describe('a signature over the body alone', () => {
	const digest = sign(body);

	it.each([
		['hex', digest.toString('hex')],
		['hex in upper case', digest.toString('hex').toUpperCase()],
		['base64', digest.toString('base64')],
		['base64 without padding', digest.toString('base64').replace('=', '')],
		['url-safe base64', digest.toString('base64url')],
		['sha256=', `sha256=${digest.toString('hex')}`],
		['SHA256=', `SHA256=${digest.toString('base64')}`],
		['v1=', `v1=${digest.toString('hex')}`],
		['v2=', `v2=${digest.toString('base64')}`],
		['sha256:', `sha256:${digest.toString('hex')}`],
		['key/SHA256/', `key/SHA256/${digest.toString('hex')}`],
		['a list', `sha256=${wrong}, sha256=${digest.toString('hex')}`],
		['a list that has something like a time', `at=1,v1=${digest.toString('hex')}`],
	])('is read in the form %s', (_case, value) => {
		expect(verify({ 'x-signature': value })).toEqual({ accepted: true });
	});

	it('may be in the second of two signature headers, or in a header given as a list', () => {
		const hex = digest.toString('hex');
		expect(verify({ 'x-hub-signature': 'sha1=0', 'x-hub-signature-256': `sha256=${hex}` })).toEqual(
			{ accepted: true },
		);
		expect(verify({ 'x-signature': [wrong, hex] })).toEqual({ accepted: true });
	});

	it.each(['sha512=', 'sha1=', 'sha-512:', 'sha384='])(
		'is not read behind the name of another algorithm: %s',
		(prefix) => {
			expect(verify({ 'x-signature': prefix + digest.toString('hex') })).toEqual({
				accepted: false,
				reason: 'missing',
			});
		},
	);

	it('is not read in base64 with something else in place of the padding', () => {
		const value = digest.toString('base64').replace('=', '!');
		expect(verify({ 'x-signature': value })).toEqual({ accepted: false, reason: 'missing' });
	});

	it('is not read around a prefix', () => {
		const hex = digest.toString('hex');
		const value = `${hex.slice(0, 32)}v1=${hex.slice(32)}`;
		expect(verify({ 'x-signature': value })).toEqual({ accepted: false, reason: 'missing' });
	});
});

describe('the work for a hostile header', () => {
	// Node reads 16 kB of headers. At this length a quadratic step takes hours, so the run would not end.
	const long = 1_000_000;

	it.each([
		['commas', ','],
		['spaces', ' '],
		['spaces and commas', ' ,'],
		['signatures', `v1=${wrong},`],
		['times', 't=1,'],
		['padding', '='],
		['digits', 'a'],
		['prefixes', 'v1,'],
	])('is bounded for %s', (_case, unit) => {
		const value = `t=1${unit.repeat(long / unit.length)}x`;
		const headers = {
			'x-signature': value,
			'x-id': value,
			'x-timestamp': value,
		};
		expect(verify(headers)).toMatchObject({ accepted: false });
	});
});
