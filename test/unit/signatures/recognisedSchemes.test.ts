// What is recognised by itself: labels, times, families of headers and lists; of several claims the strongest decides.
// senders.test.ts has real senders.
import crypto, { createHmac } from 'node:crypto';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery, TIME_FORMATS } from '../../simulator/signing';

const secret = 'whsec_c2VjcmV0IG9mIHRlc3Rz';
const key = Buffer.from('secret of tests');
const body = Buffer.from('{"event":"filing.new"}');
const now = 1_700_000_000;
const NOW = String(now);
const wrong = 'ab'.repeat(32);

function sign(content: string | Buffer, withKey: string | Buffer = secret) {
	return createHmac('sha256', withKey).update(content).digest();
}
const hexOf = (content: string | Buffer, withKey: string | Buffer = secret) =>
	sign(content, withKey).toString('hex');
const BODY_ALONE = hexOf(body);
const TIMED = hexOf(`${now}.${body}`);

function verify(headers: DeliveryHeaders, withSecret = secret) {
	return verifyDelivery({ rawBody: body, headers, secret: withSecret, now, tolerance: 300 });
}

afterEach(() => jest.restoreAllMocks());

describe('a label before a digest', () => {
	const isAccepted = (value: string) => verify({ 'x-signature': value }).accepted;

	it.each([
		...['v', 'v2b', 's', 'h1', 'sig1', 'sign', 'signature2', 'hmac', 'mac', 'hash', 'digest'],
		...['hs256', 'sha-256', 'SHA_256', 'hmac_sha256', 'hmacsha256', 'my.key-1/v1'],
	])('may be %s', (label) => expect(isAccepted(`${label}=${BODY_ALONE}`)).toBe(true));

	it.each([
		...['nonce', 'vx1', 'v12b', 'hs2', 'hsabc', 'sha25', 'signaturex', 'nonce-v1', 'a:b/v1'],
		...['hmac--sha256', 'sha--256'],
	])('may not be %s', (label) => expect(isAccepted(`${label}=${BODY_ALONE}`)).toBe(false));

	it('may come after a part that is no time', () =>
		expect(isAccepted(`client=abcdefgh1,v1=${BODY_ALONE}`)).toBe(true));

	it('may end with a comma', () => {
		expect(isAccepted(`v1,${wrong} v2,${BODY_ALONE}`)).toBe(true);
		expect(isAccepted(`v1,${wrong} nonce,${BODY_ALONE}`)).toBe(false);
	});
});

describe('the header of a time', () => {
	const isAccepted = (headers: DeliveryHeaders) =>
		verify({ 'x-acme-signature': TIMED, ...headers }).accepted;

	it.each(['timestamp', 'x-time', 'x-ts', 'x-sent-at', 'x_timestamp'])('may be %s', (name) =>
		expect(isAccepted({ [name]: NOW })).toBe(true),
	);

	it.each(['uptime', 'x-uptime', 'timestamps', 'x'])('may not be %s', (name) =>
		expect(isAccepted({ [name]: NOW })).toBe(false),
	);

	it('is not one that holds no time', () =>
		expect(isAccepted({ 'x-time': '12ms', 'x-sent-at': NOW })).toBe(true));

	it.each([
		['x-acme-signature-timestamp', 'x-acme-time'],
		['x-acme-time', 'x-timestamp'],
		['x-timestamp', 'x-ts'],
		['x-timestamp', 'x-request-timestamp'],
		['x-ts', 'y-timestamp'],
	])('is %s rather than %s', (one, other) => {
		expect(isAccepted({ [other]: '1700000009', [one]: NOW })).toBe(true);
		expect(isAccepted({ [one]: NOW, [other]: '1700000009' })).toBe(true);
	});
});

const timeFormats = Object.keys(TIME_FORMATS) as Array<keyof typeof TIME_FORMATS>;
it.each(timeFormats)('a time in %s is current within the tolerance, else stale', (timeFormat) => {
	const content = '{timestamp}.{body}';
	const scheme = { header: 'x-signature', timestampHeader: 'x-timestamp', content, timeFormat };
	const signed = (timestamp: number) => signDelivery(scheme, { secret, body, id: '', timestamp });
	const claim = { time: { header: 'x-timestamp' } };
	expect(verify(signed(now - 300))).toMatchObject({ accepted: true, claim });
	expect(verify(signed(now + 301))).toMatchObject({ reason: 'stale', age: -301 });
});

describe('three headers of one family', () => {
	const signature = `v1,${sign(`id_1.${now}.${body}`, key).toString('base64')}`;
	const named = (family: string, value = signature, id = 'id_1') => ({
		[`${family}id`]: id,
		[`${family}timestamp`]: NOW,
		[`${family}signature`]: value,
	});

	it.each(['webhook-', 'svix-', 'signature-of-acme-', ''])('may be %ssignature', (family) => {
		const claim = { time: { text: NOW }, id: { text: 'id_1' } };
		const verification = verify(named(family, signature, ' id_1 '));
		expect(verification).toMatchObject({ accepted: true, claim });
	});

	it('need a time, a plain id and a name that ends with signature', () => {
		const odd = `v1,${sign(`{"event":.${now}.${body}`, key).toString('base64')}`;
		for (const headers of [
			{ 'a-id': 'id_1', 'a-signature': signature },
			{ 'a-timestamp': NOW, 'a-signature': signature },
			named('a-', odd, '{"event":'),
			{ 'a-id': 'id_1', 'a-timestamp': NOW, 'a-hmac-hash': signature },
		]) {
			expect(verify(headers)).toMatchObject({ accepted: false });
		}
	});

	it.each([
		['a later version', `v1a,${'A'.repeat(86)} v2,${wrong} ${signature}`, true],
		['v2,', signature.replace('v1,', 'v2,'), true],
		['no version', signature.replace('v1,', ''), true],
		['a version that it runs into', signature.replace('v1,', 'v1'), false],
		['one over the body alone', `sha256=${BODY_ALONE}`, true],
	])('find the right one with %s', (_case, value, accepted) => {
		expect(verify(named('webhook-', value))).toMatchObject({ accepted });
	});
});

it.each([
	['in quotation marks', `t="${now}",v1="${TIMED}"`, true],
	['after a signature of a test mode', `v0=${wrong},t=${now},v1=${TIMED}`, true],
	['without its time', `t=,v1=${hexOf(`.${body}`)}`, false],
	['with a signature over the body alone', `t=${now},v1=${BODY_ALONE}`, false],
	['with an unreadable time', `t=today,v1=${hexOf(`today.${body}`)}`, false],
])('a list with a time is read %s: %s', (_case, value, accepted) => {
	expect(verify({ 'acme-signature': value })).toMatchObject({ accepted });
});

it('a signature may be in a header given as a list', () => {
	expect(verify({ 'x-signature': [wrong, BODY_ALONE] })).toMatchObject({ accepted: true });
});

describe('of several claims the strongest decides', () => {
	// It can be a key in one way only.
	const text = 'a secret, as text';
	const verifyAll = (headers: DeliveryHeaders) => verify(headers, text);
	const old = now - 86_400;
	const accepted = { accepted: true };
	const stale = { accepted: false, reason: 'stale', age: 86_400, timeHeader: expect.any(String) };
	const list = (time: number, withSecret = text) =>
		`t=${time},v1=${hexOf(`${time}.${body}`, withSecret)}`;
	const inOwnHeader = (time: number) => ({
		'x-signature': hexOf(`${time}:${body}`, text),
		'x-time': `${time}`,
	});
	const inFamily = (time: number) => ({
		...{ 'svix-id': 'a', 'svix-timestamp': `${time}` },
		'svix-signature': hexOf(`a.${time}.${body}`, text),
	});
	const bodyAlone = { 'x-hub-signature-256': `sha256=${hexOf(body, text)}` };

	it.each<[string, (time: number) => Record<string, string>]>([
		['a list', (time) => ({ 'acme-signature': list(time) })],
		['its own header', inOwnHeader],
		['a family', inFamily],
		['a list beside a current one', (time) => ({ 'a-sign': list(now), 'b-sign': list(time) })],
		['a list with a current one', (time) => ({ 'a-sign': `${list(now)},${list(time)}` })],
	])('a stale time in %s refuses it, despite a correct signature over the body', (_case, timed) => {
		expect(verifyAll({ ...bodyAlone, ...timed(now) })).toMatchObject(accepted);
		expect(verifyAll({ ...bodyAlone, ...timed(old) })).toEqual(stale);
		expect(verifyAll({ ...timed(old), ...bodyAlone })).toEqual(stale);
	});

	it('a time counts only where it is signed', () => {
		for (const beside of [
			{ 'x-hub-timestamp': String(old) },
			{ 'a-signature': `t=${old},v1=${hexOf('', text)}` },
			{ 'a-signature': `t=${old},${list(now)}` },
		]) {
			expect(verifyAll({ ...bodyAlone, ...beside })).toMatchObject(accepted);
		}
	});

	it('claims beyond the limit refuse the delivery, because they could be stale', () => {
		const forged = (n: number) => `t=${old - n},v1=${hexOf('', text)},sig=${'ab'.repeat(64)}`;
		const current = { 'y-signature': list(now) };
		const stalest = { 'z-signature': list(old) };
		expect(verifyAll({ ...current, 'x-0-signature': forged(0) })).toMatchObject(accepted);
		expect(verifyAll({ ...current, ...stalest, 'x-0-signature': forged(0) })).toEqual(stale);

		const many = { ...current, 'x-0-signature': forged(0), 'x-1-signature': forged(1) };
		const hashes = jest.spyOn(crypto, 'createHmac');
		expect(verifyAll(many)).toEqual({ accepted: false, reason: 'wrong' });
		expect(hashes).toHaveBeenCalledTimes(16);
		// The stale one is found among any number of current ones.
		const fresh = [0, 1, 2, 3, 4].map((n) => [`x-${n}-signature`, list(now - n)]);
		expect(verifyAll({ ...Object.fromEntries(fresh), ...stalest })).toEqual(stale);
	});

	it('a header may have the signatures of two secrets, as during a change', () => {
		for (const value of [`${list(now, 'new')} ${list(now)}`, `${list(now)}, ${list(now, 'new')}`]) {
			expect(verifyAll({ 'a-signature': value })).toMatchObject(accepted);
		}
	});
});
