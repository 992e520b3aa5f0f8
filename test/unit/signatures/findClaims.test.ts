// Exactly what some headers claim: contents, times, keys and how many signatures.
import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { findClaims } from '../../../nodes/CompanyRegistry/trigger/signatures/recognisedSchemes';

const NOW = '1700000000';
const hex = (n: number) => n.toString(16).padStart(2, '0').repeat(32);
const [A, B] = [hex(1), hex(2)];
const A512 = hex(3) + hex(4);
const SHA1 = 'ab'.repeat(20);

interface Claimed {
	contents: string[];
	/** Time and id, where they are signed. */
	values: string[];
	algorithm: string;
	signatures: string[];
}

function claimed(headers: DeliveryHeaders): Claimed[] {
	const claims = findClaims(headers);
	if (claims === 'contradiction') throw new Error(claims);
	return claims.map(({ contents, values, algorithm, signatures }) => ({
		contents: contents.map((content) => content.join('')),
		values: Object.values(values),
		algorithm,
		signatures: signatures.map((signature) => signature.toString('hex')),
	}));
}

/** The signatures of the claim that covers the body alone. */
function bodyAlone(value: string): string[] {
	const claims = claimed({ 'x-signature': value });
	return claims.find(({ contents }) => contents.includes('{body}'))?.signatures ?? [];
}

const OWN_HEADER = [
	'{timestamp}.{body}',
	'{timestamp}{body}',
	'{timestamp}:{body}',
	'v0:{timestamp}:{body}',
	'{body}{timestamp}',
	'[{timestamp};{body}]',
];
const SAME_HEADER = ['{timestamp}.{body}', '{timestamp}:{body}', '{timestamp}{body}'];
const WITH_ID = ['{id}.{timestamp}.{body}', '{id}{timestamp}{body}'];

it('a digest alone claims the body', () => {
	expect(claimed({ 'x-signature': A })).toEqual([
		{ contents: ['{body}'], values: [], algorithm: 'sha256', signatures: [A] },
	]);
});

it('a digest with a time beside it claims the time first, in every form, and then the body', () => {
	expect(claimed({ 'x-signature': A, 'x-timestamp': NOW })).toEqual([
		{ contents: OWN_HEADER, values: [NOW], algorithm: 'sha256', signatures: [A] },
		{ contents: ['{body}'], values: [], algorithm: 'sha256', signatures: [A] },
	]);
});

it('the version in front of a signature is the one that is signed', () => {
	const [{ contents }] = claimed({ 'x-signature': `v1=${A}`, 'x-timestamp': NOW });
	expect(contents).toEqual(OWN_HEADER.map((content) => content.replace('v0:', 'v1:')));
});

it('version 0 counts if it stands in front of any, because `v1=` stands in front of anything', () => {
	for (const values of [
		[`v0=${A}`, `v1=${B}`],
		[`v1=${A}`, `v0=${B}`],
	]) {
		const headers = { 'x-signature': values[0], 'x-proxy-signature': values[1] };
		expect(claimed({ ...headers, 'x-timestamp': NOW })[0].contents).toEqual(OWN_HEADER);
	}
});

it('the version is looked for in every header', () => {
	const [{ contents }] = claimed({ 'x-hash': B, 'x-signature': `v1=${A}`, 'x-timestamp': NOW });
	expect(contents).toContain('v1:{timestamp}:{body}');
});

it('a time in the same header is signed with the body, and nothing else is claimed', () => {
	expect(claimed({ 'x-signature': `t=${NOW},v1=${A}`, 'x-timestamp': '1' })).toEqual([
		{ contents: SAME_HEADER, values: [NOW], algorithm: 'sha256', signatures: [A] },
	]);
});

it('a number beside the digest is a time if it has nine digits', () => {
	expect(claimed({ 'x-signature': `999999999,${A}` })[0].values).toEqual(['999999999']);
	expect(claimed({ 'x-signature': `99999999,${A}` })).toEqual([]);
});

it('three headers of one family claim an id and a time first', () => {
	const [first] = claimed({ 'a-id': 'msg_1', 'a-timestamp': NOW, 'a-signature': `v1,${A}` });
	expect(first).toEqual({
		contents: WITH_ID,
		values: [NOW, 'msg_1'],
		algorithm: 'sha256',
		signatures: [A],
	});
	const other = { 'a-id': 'msg_1', 'a-timestamp': NOW, 'a-hmac-hash': A };
	expect(claimed(other).flatMap(({ contents }) => contents)).not.toContain(WITH_ID[0]);
	const incomplete = [
		{ 'a-id': 'msg_1', 'a-signature': A },
		{ 'a-timestamp': NOW, 'a-signature': A },
		{ 'a-id': '{"event":', 'a-timestamp': NOW, 'a-signature': A },
	];
	for (const headers of incomplete) {
		expect(claimed(headers).flatMap(({ contents }) => contents)).not.toContain(WITH_ID[0]);
	}
});

it('digests of two algorithms are claimed each for itself, SHA-1 never', () => {
	const claims = claimed({ 'x-signature': A, 'x-signature-512': A512, 'x-signature-1': SHA1 });
	expect(claims.map(({ algorithm, signatures }) => [algorithm, signatures])).toEqual([
		['sha256', [A]],
		['sha512', [A512]],
	]);
	expect(claimed({ 'x-signature': SHA1, 'x-timestamp': NOW })).toEqual([]);
	expect(bodyAlone(`v1=${SHA1},v2=${A}`)).toEqual([A]);
});

it('a key is the text of the secret, and then what that stands for', () => {
	const claims = findClaims({ 'x-signature': A });
	const [{ keys }] = claims === 'contradiction' ? [] : claims;
	expect(keys.map((keyIn) => keyIn('c0ffee'))).toEqual([
		{ text: 'c0ffee', encoding: 'utf8' },
		{ text: 'c0ffee', encoding: 'hex' },
	]);
});

describe('a label in front of a digest', () => {
	it.each([
		...['v', 'v0', 'v1', 'v2b', 's', 's2', 'h', 'h1', 'sig', 'sig1', 'sign', 'signature'],
		...['signature2', 'hmac', 'mac', 'hash', 'digest', 'hs256', 'sha256', 'sha-256', 'SHA_256'],
		...['hmac-sha256', 'hmac_sha256', 'hmacsha256', 'my.key-1/v1', 'Signature'],
	])('may be %s', (label) => {
		expect(bodyAlone(`${label}=${A}`)).toEqual([A]);
	});

	it.each([
		...['nonce', 'id', 'key', 'vx1', 'v-', 'v12b', 'hs2', 'hsabc', 'sha', 'sha25', 'signaturex'],
		...['nonce-v1', 'a:b/v1', 'hmac--sha256', 'sha--256', 'signed', 'x'],
	])('may not be %s', (label) => {
		expect(bodyAlone(`${label}=${A}`)).toEqual([]);
	});

	it('counts also where it stands before a comma', () => {
		expect(bodyAlone(`v1,${A} v2,${B}`)).toEqual([A]);
		expect(bodyAlone(`nonce,${A}`)).toEqual([]);
	});
});

describe('of several digests in one header', () => {
	it.each([
		['v1 counts and no other version', `v1=${A},v2=${B}`, [A]],
		['v1 counts and no version with a letter', `v2b=${B},v1=${A}`, [A]],
		['all count beside v1 that name no version', `v1=${A},sig=${B}`, [A, B]],
		['all count that only end like a version', `v1=${A},key/v2=${B}`, [A, B]],
		['all versions count where none is v1', `v2=${A},sig=${B}`, [A, B]],
		['both count of a secret that is being changed', `v1=${A},v1=${B}`, [A, B]],
	])('%s', (_what, value, expected) => {
		expect(bodyAlone(value)).toEqual(expected);
	});

	it('sixteen count at most', () => {
		const many = Array.from({ length: 20 }, (_, n) => `v1=${hex(n)}`).join(',');
		expect(bodyAlone(many)).toHaveLength(16);
	});
});

describe('a header is that of a time', () => {
	const times = (headers: DeliveryHeaders) =>
		claimed({ 'x-acme-signature': A, ...headers }).flatMap(({ values }) => values);

	it.each(['timestamp', 'x-time', 'x-ts', 'x-sent-at', 'x_timestamp', 'x-acme-request-timestamp'])(
		'%s',
		(name) => expect(times({ [name]: NOW })).toEqual([NOW]),
	);

	it.each(['uptime', 'x-uptime', 'x-countdown', 'x-code', 'x-no', 'x-retries', 'timestamps', 'x'])(
		'%s is not',
		(name) => expect(times({ [name]: NOW })).toEqual([]),
	);

	it('only if it holds one', () => {
		for (const value of ['soon', '', '12 May', '-1']) {
			expect(times({ 'x-timestamp': value })).toEqual([]);
		}
	});

	it('that whose name is most like a signature’s comes first, then the usual and the short, and no fourth is tried', () => {
		const others = {
			'a-signature': B,
			'y-timestamp': '1700000009',
			'x-ts': '1700000004',
			'x-request-timestamp': '1700000003',
			'x-timestamp': '1700000002',
			'x-acme-time': '1700000001',
		};
		expect(times(others)).toEqual(['1700000001', '1700000002', '1700000003']);
		expect(times({ ...others, 'x-timestamp': '' })).toEqual([
			'1700000001',
			'1700000003',
			'1700000004',
		]);
		const nearest = { 'x-acme-signature-timestamp': NOW };
		expect(times({ ...others, ...nearest })).toEqual([NOW, '1700000001', '1700000002']);
	});

	it('and the same time in two of them counts once', () => {
		expect(times({ 'x-timestamp': NOW, 'x-time': NOW })).toEqual([NOW]);
	});
});

describe('a claim is likely', () => {
	const likely = (headers: DeliveryHeaders) => {
		const claims = findClaims(headers);
		if (claims === 'contradiction') throw new Error(claims);
		return claims.map(({ algorithm, values, isLikely }) => [
			algorithm,
			values['{timestamp}'],
			isLikely,
		]);
	};

	it('with the first of several times', () => {
		const times = { 'x-timestamp': NOW, 'x-request-time': '1700000001' };
		expect(likely({ 'x-signature': A, ...times })).toEqual([
			['sha256', NOW, true],
			['sha256', '1700000001', false],
			['sha256', undefined, true],
		]);
	});

	it.each(['x-hash', 'hash', 'x-content-hash', 'x-payload-digest'])(
		'but for an algorithm that only %s has, which may hold a checksum',
		(name) => {
			expect(likely({ 'x-signature': A, [name]: A512 })).toEqual([
				['sha256', undefined, true],
				['sha512', undefined, false],
			]);
			expect(likely({ 'x-signature': A512, [name]: A })).toEqual([
				['sha256', undefined, false],
				['sha512', undefined, true],
			]);
			expect(likely({ 'x-signature': A512, 'x-hmac': B, [name]: A })).toEqual([
				['sha256', undefined, true],
				['sha512', undefined, true],
			]);
			expect(likely({ [name]: A })).toEqual([['sha256', undefined, true]]);
		},
	);

	it('with an id, and with a time in the same header', () => {
		const family = { 'webhook-id': 'a', 'webhook-timestamp': NOW, 'webhook-signature': A };
		expect(likely(family)[0]).toEqual(['sha256', NOW, true]);
		expect(likely({ 'x-signature': `t=${NOW},v1=${A}`, 'x-hash': A512 })[0]).toEqual([
			'sha256',
			NOW,
			true,
		]);
	});
});

it.each(['digest', 'content-digest', 'repr-digest'])(
	'%s is a checksum and claims nothing',
	(name) => {
		expect(claimed({ [name]: `SHA-256=${A}`, 'x-signature': B })).toHaveLength(1);
		expect(claimed({ [name]: `SHA-256=${A}` })).toEqual([]);
	},
);

it('two times in a header with a signature contradict each other; without one they say nothing', () => {
	expect(findClaims({ 'x-signature': `t=${NOW},t=1,v1=${A}` })).toBe('contradiction');
	const beside = { 'x-signature': A, 'x-signature-input': `t=${NOW},t=1` };
	expect(claimed(beside)).toHaveLength(1);
});
