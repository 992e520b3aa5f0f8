// The claims of headers in each recognised format: contents, times, keys and signatures.
import { createHmac } from 'node:crypto';

import { compact, filter, groupBy, map } from 'lodash';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { findClaims } from '../../../nodes/CompanyRegistry/trigger/signatures/recognisedSchemes';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery, TIME_FORMATS } from '../../simulator/signing';

const secret = 'whsec_c2VjcmV0IG9mIHRlc3Rz';
const key = Buffer.from('secret of tests');
const body = Buffer.from('{"event":"filing.new"}');
const now = 1_700_000_000;
const NOW = String(now);
const hex = (n: number) => n.toString(16).padStart(2, '0').repeat(32);
const [A, B] = [hex(1), hex(2)];
const A512 = hex(3) + hex(4);
const SHA1 = 'ab'.repeat(20);
const wrong = 'ab'.repeat(32);

function sign(content: string | Buffer, withKey: string | Buffer = secret) {
	return createHmac('sha256', withKey).update(content).digest();
}

function verify(headers: DeliveryHeaders, withSecret = secret) {
	return verifyDelivery({ rawBody: body, headers, secret: withSecret, now, tolerance: 300 });
}

/** Claims with the likeliest key, in order, grouped by everything but their content. */
function claimed(headers: DeliveryHeaders) {
	const groups = groupBy(filter(findClaims(headers), { rank: 0 }), ({ signatures, time, id }) =>
		JSON.stringify([map(signatures, 'text'), time, id]),
	);
	return Object.values(groups).map((alike) => ({
		contents: alike.map(({ content }) => content.join('')),
		values: compact([alike[0].time?.text, alike[0].id?.text]),
		algorithm: alike[0].signatures[0].algorithm,
		signatures: alike[0].signatures.map(({ bytes }) => bytes.toString('hex')),
	}));
}

/** The signatures of the claim that covers the body alone. */
function bodyAlone(value: string): string[] {
	const claims = claimed({ 'x-signature': value });
	return claims.find(({ contents }) => contents.includes('{body}'))?.signatures ?? [];
}

const timed = (version = 'v0') => [
	'{timestamp}.{body}',
	'{timestamp}{body}',
	'{timestamp}:{body}',
	`${version}:{timestamp}:{body}`,
];
const ofA = { algorithm: 'sha256', signatures: [A] };

it('a digest alone claims the body, and a time beside it comes first', () => {
	const alone = { contents: ['{body}'], values: [], ...ofA };
	expect(claimed({ 'x-signature': A })).toEqual([alone]);
	expect(claimed({ 'x-signature': A, 'x-timestamp': NOW })).toEqual([
		{ contents: timed(), values: [NOW], ...ofA },
		alone,
	]);
	// Hex is also base64, but hardly ever meant as such.
	const keys = map(findClaims({ 'x-signature': A }), 'secretEncoding');
	expect(keys).toEqual(['utf8', 'hex', 'base64']);
});

it('the version before a signature is part of the content', () => {
	const headers = { 'x-hash': B, 'x-signature': `v1=${A}`, 'x-timestamp': NOW };
	expect(claimed(headers)[0].contents).toEqual(timed('v1'));
});

it('a time in the same header is the only one that counts', () => {
	expect(claimed({ 'x-signature': `t=${NOW},v1=${A}`, 'x-timestamp': '1' })).toEqual([
		{ contents: timed('v1'), values: [NOW], ...ofA },
	]);
});

it('a number beside the digest is a time if it has nine digits', () => {
	expect(claimed({ 'x-signature': `999999999,${A}` })[0].values).toEqual(['999999999']);
	expect(claimed({ 'x-signature': `99999999,${A}` })).toEqual([]);
});

it('each algorithm has its own claims, SHA-1 none', () => {
	const algorithms = (headers: DeliveryHeaders) =>
		claimed(headers).map(({ algorithm, signatures }) => [algorithm, signatures]);
	const headers = { 'x-signature': A, 'x-signature-512': A512, 'x-signature-1': SHA1 };
	const both = [
		['sha256', [A]],
		['sha512', [A512]],
	];
	expect(algorithms(headers)).toEqual(both);
	// SHA-256 comes first, because a header called hash may be a proxy's checksum.
	expect(algorithms({ 'x-content-hash': A512, 'x-signature': A })).toEqual(both);
	expect(claimed({ 'x-signature': SHA1, 'x-timestamp': NOW })).toEqual([]);
	expect(bodyAlone(`v1=${SHA1},v2=${A}`)).toEqual([A]);
});

describe('a label before a digest', () => {
	it.each([
		...['v', 'v0', 'v1', 'v2b', 's', 's2', 'h', 'h1', 'sig', 'sig1', 'sign', 'signature'],
		...['signature2', 'hmac', 'mac', 'hash', 'digest', 'hs256', 'sha256', 'sha-256', 'SHA_256'],
		...['hmac-sha256', 'hmac_sha256', 'hmacsha256', 'my.key-1/v1', 'Signature'],
	])('may be %s', (label) => expect(bodyAlone(`${label}=${A}`)).toEqual([A]));

	it.each([
		...['nonce', 'id', 'key', 'vx1', 'v-', 'v12b', 'hs2', 'hsabc', 'sha', 'sha25', 'signaturex'],
		...['nonce-v1', 'a:b/v1', 'hmac--sha256', 'sha--256', 'signed', 'x'],
	])('may not be %s', (label) => expect(bodyAlone(`${label}=${A}`)).toEqual([]));

	it('may end with a comma', () => {
		expect(bodyAlone(`v1,${A} v2,${B}`)).toEqual([A, B]);
		expect(bodyAlone(`v1,${A} nonce,${B}`)).toEqual([A]);
	});
});

describe('the header of a time', () => {
	const times = (headers: DeliveryHeaders) =>
		claimed({ 'x-acme-signature': A, ...headers }).flatMap(({ values }) => values);

	it.each(['timestamp', 'x-time', 'x-ts', 'x-sent-at', 'x_timestamp', 'x-acme-request-timestamp'])(
		'may be %s',
		(name) => expect(times({ [name]: NOW })).toEqual([NOW]),
	);

	it.each(['uptime', 'x-uptime', 'x-countdown', 'x-code', 'x-no', 'x-retries', 'timestamps', 'x'])(
		'may not be %s',
		(name) => expect(times({ [name]: NOW })).toEqual([]),
	);

	it('has a time in it', () => {
		for (const value of ['soon', '', '12 May', '-1']) {
			expect(times({ 'x-timestamp': value })).toEqual([]);
		}
	});

	it('has the name most like a signature’s, then the most common, then the shortest', () => {
		const nearest = [
			['x-acme-signature-timestamp', 'x-acme-time'],
			['x-acme-time', 'x-timestamp'],
			['x-timestamp', 'x-ts'],
			['x-timestamp', 'x-request-timestamp'],
			['x-ts', 'y-timestamp'],
		];
		for (const [one, other] of nearest) {
			expect(times({ [other]: '1700000009', [one]: NOW })).toEqual([NOW]);
			expect(times({ [one]: NOW, [other]: '1700000009' })).toEqual([NOW]);
		}
	});
});

it.each(Object.keys(TIME_FORMATS) as Array<keyof typeof TIME_FORMATS>)(
	'a time in %s is current within the tolerance and stale beyond it',
	(timeFormat) => {
		const scheme = {
			header: 'x-signature',
			timestampHeader: 'x-timestamp',
			content: '{timestamp}.{body}',
			timeFormat,
		};
		const signed = (timestamp: number) => signDelivery(scheme, { secret, body, id: '', timestamp });
		expect(verify(signed(now - 300))).toMatchObject({
			accepted: true,
			claim: { time: { header: 'x-timestamp' } },
		});
		expect(verify(signed(now + 301))).toMatchObject({ reason: 'stale', age: -301 });
	},
);

describe('three headers of one family', () => {
	const signature = `v1,${sign(`id_1.${now}.${body}`, key).toString('base64')}`;
	const named = (family: string, value = signature, id = 'id_1') => ({
		[`${family}id`]: id,
		[`${family}timestamp`]: NOW,
		[`${family}signature`]: value,
	});
	const proven = (idNamesDelivery: boolean) => ({
		accepted: true,
		claim: { time: { text: NOW }, id: { text: 'id_1' }, idNamesDelivery },
	});

	it.each([
		...[['acme-'], ['signature-of-acme-'], ['webhook-of-acme-'], ['']].map(([one]) => [one, false]),
		...[['webhook-'], ['svix-'], ['acme-message-']].map(([one]) => [one, true]),
	] as Array<[string, boolean]>)('%ssignature names each delivery: %s', (family, isNamed) => {
		expect(verify(named(family))).toMatchObject(proven(isNamed));
		expect(verify(named(family, signature, ' id_1 '))).toMatchObject(proven(isNamed));
	});

	it('need a time, a plain id and a name that ends with signature', () => {
		const contents = (headers: DeliveryHeaders) => claimed(headers).flatMap((one) => one.contents);
		const withId = '{id}.{timestamp}.{body}';
		expect(contents(named('a-'))).toContain(withId);
		for (const headers of [
			{ 'a-id': 'msg_1', 'a-signature': A },
			{ 'a-timestamp': NOW, 'a-signature': A },
			named('a-', A, '{"event":'),
			{ 'a-id': 'msg_1', 'a-timestamp': NOW, 'a-hmac-hash': A },
		]) {
			expect(contents(headers)).not.toContain(withId);
		}
	});

	it.each([
		['several', `v1,${sign('old key').toString('base64')} ${signature}`, true],
		['a later version', `v1a,${'A'.repeat(86)} v2,${wrong} ${signature}`, true],
		['v2,', signature.replace('v1,', 'v2,'), true],
		['no version', signature.replace('v1,', ''), true],
		['a version that it runs into', signature.replace('v1,', 'v1'), false],
	])('find the right one with %s', (_case, value, accepted) => {
		expect(verify(named('webhook-', value))).toMatchObject({ accepted });
	});

	it('accept a signature over the body alone', () => {
		const value = `sha256=${sign(body).toString('hex')}`;
		expect(verify(named('webhook-', value))).toMatchObject({ accepted: true });
	});
});

it.each([
	['in quotation marks', `t="${now}",v1="${sign(`${now}.${body}`).toString('hex')}"`, true],
	[
		'after a signature of a test mode',
		`v0=${wrong},t=${now},v1=${sign(`${now}.${body}`).toString('hex')}`,
		true,
	],
	['without its time', `t=,v1=${sign(`.${body}`).toString('hex')}`, false],
	...['-1', 'today', '17e8', 'Infinity'].map((time): [string, string, boolean] => [
		`with the time ${time}`,
		`t=${time},v1=${sign(`${time}.${body}`).toString('hex')}`,
		false,
	]),
])('a list with a time is read %s: %s', (_case, value, accepted) => {
	expect(verify({ 'acme-signature': value })).toMatchObject({ accepted });
});

it('a signature may be in a header given as a list', () => {
	const headers = { 'x-signature': [wrong, sign(body).toString('hex')] };
	expect(verify(headers)).toMatchObject({ accepted: true });
});
