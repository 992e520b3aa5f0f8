import { createHmac } from 'node:crypto';

import {
	customSchemeProblem,
	findCustomClaim,
	type CustomScheme,
} from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import {
	findClaims,
	signatureHeaderNames,
} from '../../../nodes/CompanyRegistry/trigger/signatures/recognisedSchemes';
import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/signatureText';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';

const secret = 'whsec_c2VjcmV0IG9mIHRlc3Rz';
const key = Buffer.from('secret of tests');
const body = Buffer.from('{"event":"filing.new"}');
const now = 1_700_000_000;
const wrong = 'ab'.repeat(32);

function sign(content: string | Buffer, withKey: string | Buffer = secret) {
	return createHmac('sha256', withKey).update(content).digest();
}

function verify(
	headers: DeliveryHeaders,
	scheme?: CustomScheme,
	withSecret = secret,
	withBody = body,
) {
	return verifyDelivery(withBody, headers, withSecret, now, { tolerance: 300, scheme });
}

describe('signature header names', () => {
	it.each([
		'signature',
		'x-signature',
		'acme-webhook-signature',
		'x-hub-signature-256',
		'x-acme-hmac-sha256',
	])('include %s', (name) => {
		expect(signatureHeaderNames({ host: 'a', [name]: 'b' })).toEqual([name]);
	});

	it.each([
		'signatures',
		'x-signature-version',
		'x-hub-signature-1',
		'authorization',
		'xsignature',
		'__proto__',
	])('leave out %s', (name) => {
		expect(signatureHeaderNames(Object.fromEntries([[name, 'b']]))).toEqual([]);
	});

	it('are few and short, as they go to the log', () => {
		const many = Object.fromEntries([...Array(50).keys()].map((n) => [`x-${n}-signature`, 'a']));
		expect(signatureHeaderNames(many)).toHaveLength(8);
		const named = (length: number) => 'x-signature'.padStart(length, 'x');
		expect(signatureHeaderNames({ [named(80)]: 'a', [named(81)]: 'a' })).toEqual([named(80)]);
	});
});

describe('three headers of one family', () => {
	const signature = `v1,${sign(`id_1.${now}.${body}`, key).toString('base64')}`;
	const headers = {
		'webhook-id': 'id_1',
		'webhook-timestamp': String(now),
		'webhook-signature': signature,
	};

	it.each(['acme-', 'signature-of-acme-', ''])(
		'may have a name of their own: %ssignature',
		(family) => {
			const named = {
				[`${family}id`]: 'id_1',
				[`${family}timestamp`]: String(now),
				[`${family}signature`]: signature,
			};
			expect(verify(named)).toEqual({ accepted: true, signedId: 'id_1' });
		},
	);

	it('are read without the space around them', () => {
		expect(verify({ ...headers, 'webhook-id': ' id_1 ' })).toEqual({
			accepted: true,
			signedId: 'id_1',
		});
	});

	it('need a time', () => {
		const timeless = `v1,${sign(`id_1..${body}`, key).toString('base64')}`;
		expect(verify({ 'webhook-id': 'id_1', 'webhook-signature': timeless })).toEqual({
			accepted: false,
			reason: 'wrong',
		});
	});

	it('read a secret with whsec_ as base64 alone', () => {
		const asText = `v1,${sign(`id_1.${now}.${body}`).toString('base64')}`;
		expect(verify({ ...headers, 'webhook-signature': asText })).toEqual({
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

	it.each(['v1=', 'v2,', 'v1', '', 'V1,'])('need v1, before the signature, not "%s"', (prefix) => {
		const changed = signature.replace('v1,', prefix);
		expect(verify({ ...headers, 'webhook-signature': changed })).toMatchObject({ accepted: false });
	});

	it('read a secret without whsec_ as base64 and as text', () => {
		const bare = secret.slice('whsec_'.length);
		expect(verify(headers, undefined, bare)).toMatchObject({ accepted: true });
		const asText = `v1,${sign(`id_1.${now}.${body}`, bare).toString('base64')}`;
		expect(verify({ ...headers, 'webhook-signature': asText }, undefined, bare)).toMatchObject({
			accepted: true,
		});
	});

	it('find no key in a secret that is nothing but its prefix', () => {
		const empty = createHmac('sha256', '').update(`id_1.${now}.${body}`).digest('base64');
		expect(
			verify({ ...headers, 'webhook-signature': `v1,${empty}` }, undefined, 'whsec_'),
		).toMatchObject({
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
		expect(verify(forged, undefined, secret.slice(6), Buffer.from(inner))).toMatchObject({
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
		expect(verify({ 'acme-signature': value })).toEqual({ accepted: false, reason: 'stale' });
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

	it.each(['sha512=', 'sha1=', 'v2=', 'sha256:'])('is not read behind %s', (prefix) => {
		expect(verify({ 'x-signature': prefix + digest.toString('hex') })).toEqual({
			accepted: false,
			reason: 'missing',
		});
	});

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

const plain: CustomScheme = {
	header: 'X-Acme-Auth',
	algorithm: 'sha256',
	encoding: 'hex',
	prefix: '',
	content: '{body}',
	timestampHeader: '',
	idHeader: '',
	secretEncoding: 'utf8',
};

describe('a custom scheme', () => {
	const hex = sign(body).toString('hex');

	it('is the only one that counts', () => {
		expect(verify({ 'x-acme-auth': hex }, plain)).toEqual({ accepted: true });
		expect(verify({ 'x-signature': hex }, plain)).toEqual({ accepted: false, reason: 'missing' });
	});

	it.each([
		['', `${wrong},${hex}`],
		['', `${wrong} ${hex}`],
		['v1,', `v1,${wrong} v1,${hex}`],
		['v1,', `v1,${wrong}, v1,${hex}`],
		['v1=', `v1=${wrong},v1=${hex}`],
		['HMAC-SHA256', `HMAC-SHA256 ${hex}`],
		['Acme hmac, v=', `Acme hmac, v=${hex}`],
	])('with prefix "%s" is found in %s', (prefix, value) => {
		expect(verify({ 'x-acme-auth': value }, { ...plain, prefix })).toEqual({ accepted: true });
	});

	it.each([
		['without its prefix', { prefix: 'v1=' }, hex],
		['behind another prefix', { prefix: 'v1=' }, `v2=${hex}`],
		['in the other encoding', { encoding: 'base64' as const }, hex],
		['of the other length', { algorithm: 'sha512' as const }, hex],
	])('does not count a signature %s', (_case, change, value) => {
		expect(verify({ 'x-acme-auth': value }, { ...plain, ...change })).toEqual({
			accepted: false,
			reason: 'missing',
		});
	});

	it('decodes a base64 secret with or without whsec_, and takes no other for one', () => {
		const base64 = { ...plain, secretEncoding: 'base64' as const };
		const headers = { 'x-acme-auth': sign(body, key).toString('hex') };
		expect(verify(headers, base64)).toEqual({ accepted: true });
		expect(verify(headers, base64, secret.slice('whsec_'.length))).toEqual({ accepted: true });
		const within = 'AAAAwhsec_BBBBBB';
		const signed = { 'x-acme-auth': sign(body, Buffer.from(within, 'base64')).toString('hex') };
		expect(verify(signed, base64, within)).toEqual({ accepted: true });
		const notBase64 = { 'x-acme-auth': createHmac('sha256', '').update(body).digest('hex') };
		expect(verify(notBase64, base64, 'not base64!')).toEqual({ accepted: false, reason: 'wrong' });
	});

	it('reports the id and needs the time that it signs', () => {
		const scheme = {
			...plain,
			content: '{id}.{timestamp}.{body}',
			idHeader: 'X-Id',
			timestampHeader: 'X-Time',
		};
		const at = (time: number) => ({
			'x-acme-auth': sign(`id_1.${time}.${body}`).toString('hex'),
			'x-id': 'id_1',
			'x-time': String(time),
		});
		expect(verify(at(now), scheme)).toEqual({ accepted: true, signedId: 'id_1' });
		expect(verify(at(now - 301), scheme)).toEqual({ accepted: false, reason: 'stale' });
	});

	it('does not need an id header that the signature leaves out', () => {
		expect(verify({ 'x-acme-auth': hex }, { ...plain, idHeader: 'X-Id' })).toEqual({
			accepted: true,
		});
	});

	it.each([
		['an id with JSON', '{"a":"', String(now)],
		['no id', '', String(now)],
		['no time', 'id_1', ''],
	])('refuses %s where it is signed', (_case, id, time) => {
		const scheme = {
			...plain,
			content: '{id}.{timestamp}.{body}',
			idHeader: 'X-Id',
			timestampHeader: 'X-Time',
		};
		const headers = {
			'x-acme-auth': sign(`${id}.${time}.${body}`).toString('hex'),
			'x-id': id,
			'x-time': time,
		};
		expect(findCustomClaim(headers, secret, scheme)).toBeUndefined();
	});

	it.each(['x-id', 'x-time'])('makes no claim without %s where that is signed', (missing) => {
		const scheme = {
			...plain,
			content: '{id}.{timestamp}.{body}',
			idHeader: 'X-Id',
			timestampHeader: 'X-Time',
		};
		const headers = {
			'x-acme-auth': hex,
			'x-id': 'id_1',
			'x-time': String(now),
			[missing]: undefined,
		};
		expect(findCustomClaim(headers, secret, scheme)).toBeUndefined();
	});

	it.each([
		[{ header: ' ' }, "'Header' is empty"],
		[
			{ content: '{timestamp}', timestampHeader: 'X-Time' },
			"'Signed Content' does not contain {body}",
		],
		[{ content: '' }, "'Signed Content' does not contain {body}"],
		[
			{ content: '{Timestamp}{body}' },
			"'Signed Content' contains {timestamp} but 'Timestamp Header' is empty",
		],
		[
			{ timestampHeader: 'X-Time' },
			"'Timestamp Header' is set but 'Signed Content' does not contain {timestamp}",
		],
		[{ content: '{ID}{body}' }, "'Signed Content' contains {ID} but 'ID Header' is empty"],
	])('with %j protects nothing and is never claimed', (change, problem) => {
		const scheme = { ...plain, ...change };
		expect(customSchemeProblem(scheme)).toBe(problem);
		const headers = { 'x-acme-auth': hex, 'x-time': String(now), '': hex };
		expect(findCustomClaim(headers, secret, scheme)).toBeUndefined();
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
			'x-acme-auth': value,
		};
		for (const claim of findClaims(headers, secret))
			expect(claim.signatures.length).toBeLessThanOrEqual(16);
		for (const prefix of ['', 'v1=', 'v1,']) {
			const custom = findCustomClaim(headers, secret, { ...plain, prefix });
			expect(custom?.signatures.length ?? 0).toBeLessThanOrEqual(16);
		}
		expect(verify(headers)).toMatchObject({ accepted: false });
	});

	it('is one claim for each of the first few headers', () => {
		const headers = Object.fromEntries(
			[...Array(1000).keys()].map((n) => [`x-${n}-signature`, wrong]),
		);
		expect(findClaims(headers, secret)).toHaveLength(8);
	});
});
