import crypto from 'node:crypto';

import fc from 'fast-check';

import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery, type SchemeName } from '../../simulator/signing';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(30_000);

const now = 1_700_000_000;
const tolerance = 300;
const timedSchemes: SchemeName[] = ['standardWebhooks', 'svix', 'stripe'];
const schemeNames: SchemeName[] = [...timedSchemes, 'github', 'shopify', 'linear', 'bodyHmac'];

/** Forms that a service's secret may have; each long enough that nobody guesses it. */
const secret = fc
	.uint8Array({ minLength: 24, maxLength: 64 })
	.map((bytes) => Buffer.from(bytes))
	.chain((bytes) => {
		const base64 = bytes.toString('base64');
		return fc.constantFrom(`whsec_${base64}`, base64, bytes.toString('hex'));
	});
const body = fc.oneof(
	fc.json().map((text) => Buffer.from(text)),
	fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
	fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);
const id = fc.stringMatching(/^[\w.-]{1,40}$/);
const time = fc.oneof(fc.integer({ min: now - 900, max: now + 900 }).map(String), fc.string());

/** A custom scheme that protects something, in the words of both the node and the stand-in. */
const soundScheme: fc.Arbitrary<CustomScheme> = fc
	.record({
		algorithm: fc.constantFrom('sha256' as const, 'sha512' as const),
		encoding: fc.constantFrom('hex' as const, 'base64' as const),
		prefix: fc.constantFrom('', 'sha256=', 'v1,', 'v1=', 'HMAC-SHA256 ', 'a b, c='),
		parts: fc.shuffledSubarray(['{timestamp}', '{id}']),
		bodyAt: fc.nat({ max: 2 }),
		separator: fc.constantFrom('.', ':', '\n', '', ' | '),
		secretEncoding: fc.constantFrom('utf8' as const, 'base64' as const),
	})
	.map(({ parts, bodyAt, separator, ...rest }) => ({
		...rest,
		header: 'X-Acme-Mac',
		content: [...parts.slice(0, bodyAt), '{body}', ...parts.slice(bodyAt)].join(separator),
		timestampHeader: parts.includes('{timestamp}') ? 'X-Acme-Time' : '',
		idHeader: parts.includes('{id}') ? 'X-Acme-Id' : '',
	}));
const anyScheme: fc.Arbitrary<CustomScheme> = fc.record({
	header: fc.constantFrom('X-Acme-Signature', 'webhook-signature', '', '__proto__'),
	algorithm: fc.constantFrom('sha256' as const, 'sha512' as const),
	encoding: fc.constantFrom('hex' as const, 'base64' as const),
	prefix: fc.string(),
	content: fc.oneof(
		fc.string(),
		fc.constantFrom('', '{body}', '{id}', '{timestamp}', '{id}.{timestamp}.{body}'),
	),
	timestampHeader: fc.constantFrom('', 'webhook-timestamp', 'constructor'),
	idHeader: fc.constantFrom('', 'webhook-id', '__proto__'),
	secretEncoding: fc.constantFrom('utf8' as const, 'base64' as const),
});

const headerName = fc.oneof(
	fc.constantFrom(
		'webhook-id',
		'webhook-timestamp',
		'webhook-signature',
		'svix-id',
		'svix-timestamp',
		'svix-signature',
	),
	fc.constantFrom(
		'x-acme-signature',
		'x-acme-signature-256',
		'x-acme-hmac-sha256',
		'x-acme-id',
		'x-acme-timestamp',
		'signature',
	),
	fc.string(),
);
const digestText = fc
	.uint8Array({ minLength: 32, maxLength: 32 })
	.chain((bytes) =>
		fc
			.constantFrom('hex' as const, 'base64' as const)
			.map((encoding) => Buffer.from(bytes).toString(encoding)),
	);
const headerText = fc
	.array(
		fc.oneof(
			fc.constantFrom('v1,', 'v1=', 'sha256=', 't=1700000000', ',', ' ', '{', '.'),
			digestText,
			time,
			fc.string(),
		),
	)
	.map((parts) => parts.join(''));
const headers = fc.dictionary(headerName, fc.oneof(headerText, fc.array(headerText)), {
	noNullPrototype: false,
});

const settings = fc.oneof(
	fc.constant({ tolerance }),
	fc.record({
		tolerance: fc.constantFrom(1, tolerance, Number.MAX_VALUE),
		scheme: fc.oneof(anyScheme, soundScheme),
	}),
);

afterEach(() => jest.restoreAllMocks());

it('accepts nothing that was made without the secret, and never throws', () => {
	fc.assert(
		fc.property(body, headers, secret, settings, (bytes, sent, key, set) => {
			expect(verifyDelivery(bytes, sent, key, now, set).accepted).toBe(false);
		}),
		{ numRuns: 3000 },
	);
});

it('accepts no signature made with another secret', () => {
	fc.assert(
		fc.property(
			body,
			secret,
			secret,
			id,
			fc.oneof(fc.constantFrom(...schemeNames), soundScheme),
			(bytes, mine, other, anId, scheme) => {
				fc.pre(mine !== other);
				const signed = signDelivery(scheme, {
					secret: other,
					body: bytes,
					id: anId,
					timestamp: now,
				});
				const custom = typeof scheme === 'string' ? {} : { scheme };
				expect(verifyDelivery(bytes, signed, mine, now, { tolerance, ...custom }).accepted).toBe(
					false,
				);
			},
		),
		{ numRuns: 1000 },
	);
});

it('accepts what was signed with the secret, in every scheme', () => {
	fc.assert(
		fc.property(
			body,
			secret,
			id,
			fc.oneof(fc.constantFrom(...schemeNames), soundScheme),
			(bytes, key, anId, scheme) => {
				const signed = signDelivery(scheme, { secret: key, body: bytes, id: anId, timestamp: now });
				const custom =
					typeof scheme === 'string' ? {} : { scheme: { ...scheme, prefix: scheme.prefix.trim() } };
				expect(verifyDelivery(bytes, signed, key, now, { tolerance, ...custom })).toMatchObject({
					accepted: true,
				});
			},
		),
		{ numRuns: 1000 },
	);
});

it('refuses a signed delivery with one bit of its body changed', () => {
	fc.assert(
		fc.property(
			body,
			secret,
			fc.constantFrom(...schemeNames),
			fc.nat(),
			fc.nat({ max: 7 }),
			(bytes, key, scheme, at, bit) => {
				fc.pre(bytes.length > 0);
				const signed = signDelivery(scheme, {
					secret: key,
					body: bytes,
					id: 'msg_1',
					timestamp: now,
				});
				const changed = Buffer.from(bytes);
				changed[at % changed.length] ^= 1 << bit;
				expect(verifyDelivery(changed, signed, key, now, { tolerance }).accepted).toBe(false);
			},
		),
		{ numRuns: 1000 },
	);
});

it('refuses a signed delivery outside the tolerance, and any other time or id than the signed one', () => {
	fc.assert(
		fc.property(
			body,
			secret,
			fc.constantFrom(...timedSchemes),
			fc.integer({ min: -1e9, max: 1e9 }),
			(bytes, key, scheme, off) => {
				fc.pre(off !== 0);
				const signable = { secret: key, body: bytes, id: 'msg_1', timestamp: now + off };
				const signed = signDelivery(scheme, signable);
				const { accepted } = verifyDelivery(bytes, signed, key, now, { tolerance });
				expect(accepted).toBe(Math.abs(off) <= tolerance);
				const text = JSON.stringify(signed).replace(String(now + off), String(now));
				expect(verifyDelivery(bytes, JSON.parse(text), key, now, { tolerance }).accepted).toBe(
					false,
				);
				const renamed = JSON.stringify(
					signDelivery(scheme, { ...signable, timestamp: now }),
				).replace('msg_1', 'msg_2');
				fc.pre(renamed.includes('msg_2'));
				expect(verifyDelivery(bytes, JSON.parse(renamed), key, now, { tolerance }).accepted).toBe(
					false,
				);
			},
		),
		{ numRuns: 1000 },
	);
});

it('hashes the body a few times at most, whatever the headers', () => {
	const hashes = jest.spyOn(crypto, 'createHmac');
	const crowd = fc
		.array(fc.tuple(fc.nat({ max: 99 }), headerText), { minLength: 50 })
		.map((entries) =>
			Object.fromEntries(
				entries.flatMap(([n, text]) => [
					[`x-${n}-signature`, `v1,${'ab'.repeat(32)} ${text}`],
					[`x-${n}-id`, 'msg_1'],
					[`x-${n}-timestamp`, String(now)],
				]),
			),
		);
	fc.assert(
		fc.property(crowd, secret, (sent, key) => {
			hashes.mockClear();
			verifyDelivery(Buffer.from('{}'), sent, key, now, { tolerance });
			expect(hashes.mock.calls.length).toBeGreaterThan(0);
			expect(hashes.mock.calls.length).toBeLessThanOrEqual(16);
		}),
	);
});
