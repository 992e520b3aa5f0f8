// Properties of the verifier over generated deliveries, forgeries and schemes.
import crypto from 'node:crypto';

import fc from 'fast-check';

import { readDelivery } from '../../../nodes/CompanyRegistry/trigger/deliveries/readDelivery';
import {
	customSchemeProblem,
	type CustomScheme,
} from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery, type CustomScheme as SignedScheme } from '../../simulator/signing';
import { recognised } from '../../support/senders';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(300_000);

const now = 1_700_000_000;
const tolerance = 300;
const signsTime = ({ content }: SignedScheme) => content?.includes('{timestamp}') === true;
const senders = fc.constantFrom(...recognised);
const timedSenders = fc.constantFrom(...recognised.filter(({ signs }) => signsTime(signs)));

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
/** What the service could send: a JSON object or array. */
const jsonBody = fc
	.oneof(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), fc.array(fc.jsonValue()))
	.map((value) => Buffer.from(JSON.stringify(value)));
const id = fc.stringMatching(/^[\w.-]{1,40}$/);
const time = fc.oneof(fc.integer({ min: now - 900, max: now + 900 }).map(String), fc.string());

/** A custom scheme that protects something, in the words of both the node and the stand-in. */
const soundScheme: fc.Arbitrary<CustomScheme & SignedScheme> = fc
	.record({
		algorithm: fc.constantFrom('sha256' as const, 'sha512' as const, 'sha1' as const),
		encoding: fc.constantFrom('hex' as const, 'base64' as const),
		prefix: fc.constantFrom('', 'sha256=', 'v1,', 'v1=', 'HMAC-SHA256 ', 'a b, c='),
		parts: fc.shuffledSubarray(['{timestamp}', '{id}']),
		bodyAt: fc.nat({ max: 2 }),
		separator: fc.constantFrom('.', ':', '\n', '', ' | '),
		timeFormat: fc.constantFrom('iso' as const, 'nanoseconds' as const, 'http' as const),
		secretEncoding: fc.constantFrom('utf8' as const, 'base64' as const),
	})
	.map(({ parts, bodyAt, separator, ...rest }) => ({
		...rest,
		header: 'X-Acme-Mac',
		content: [...parts.slice(0, bodyAt), '{body}', ...parts.slice(bodyAt)].join(separator),
		timestampHeader: parts.includes('{timestamp}') ? 'X-Acme-Time' : '',
		idHeader: parts.includes('{id}') ? 'X-Acme-Id' : '',
	}))
	.filter((scheme) => customSchemeProblem(scheme) === undefined);
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
	fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature'),
	fc.constantFrom(
		...['x-acme-signature', 'x-acme-signature-256', 'x-acme-hmac-sha256', 'x-acme-id'],
		...['x-acme-timestamp', 'x-timestamp', 'x-payload-digest', 'signature'],
	),
	fc.string(),
);
const digestText = fc
	.tuple(fc.constantFrom(32, 64, 20), fc.nat({ max: 255 }), fc.constantFrom('hex', 'base64'))
	.map(([length, byte, encoding]) => Buffer.alloc(length, byte).toString(encoding));
const headerText = fc
	.array(
		fc.oneof(
			fc.constantFrom('v1,', 'v1=', 'sha256=', 't=1700000000', 'ts=', ',', ';', ' ', '{', '.', '='),
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
		{ numRuns: 1000, seed: 37 },
	);
});

it('accepts what was signed in a custom scheme, and refuses it under another secret or with one bit of its body changed', () => {
	fc.assert(
		fc.property(
			...([jsonBody, secret, secret, id, soundScheme, fc.nat(), fc.nat({ max: 7 })] as const),
			(bytes, key, other, anId, signs, at, bit) => {
				fc.pre(key !== other);
				const signed = signDelivery(signs, { secret: key, body: bytes, id: anId, timestamp: now });
				const scheme = { ...signs, prefix: signs.prefix.trim() };
				const isAccepted = (sent: Buffer, withSecret: string) =>
					verifyDelivery(sent, signed, withSecret, now, { tolerance, scheme }).accepted;
				expect(isAccepted(bytes, key)).toBe(true);
				expect(isAccepted(bytes, other)).toBe(false);
				expect(isAccepted(withBitChanged(bytes, at, bit), key)).toBe(false);
			},
		),
		{ numRuns: 1000, seed: 37 },
	);
});

/** What somebody without the secret could change about a signed delivery. */
const changes = fc.record({
	at: fc.nat(),
	bit: fc.nat({ max: 7 }),
	text: fc.string({ minLength: 1 }),
	seconds: fc.integer({ min: 1, max: 250 }),
	letters: fc.integer({ min: 1, max: 12 }),
});

it('starts with a delivery in each way that is recognised, and with no forgery of it', () => {
	fc.assert(
		fc.property(jsonBody, id, senders, changes, (bytes, anId, sender, change) => {
			const { signs, secret: key, beside } = sender;
			const signable = { secret: key, body: bytes, id: anId, timestamp: now };
			const signed = { ...beside, ...signDelivery(signs, signable) };
			const time = timeIn(signed, signs);
			const later = signDelivery(signs, { ...signable, timestamp: now + change.seconds });
			const withOtherTime = replaceIn(signed, time, timeIn(later, signs));
			const withShorterTime = replaceIn(signed, time, time.slice(0, -change.letters));
			const text = Buffer.from(change.text);
			// What is no JSON is answered 400.
			const isAccepted = (sent: Buffer, sentHeaders = signed, withSecret = key) =>
				verifyDelivery(sent, sentHeaders, withSecret, now, { tolerance }).accepted &&
				readDelivery({ rawBody: sent, headers: sentHeaders }, {}, { id: '', company: '' }, []) !==
					undefined;

			expect(isAccepted(bytes)).toBe(true);
			expect(isAccepted(bytes, withOtherTime)).toBe(!signsTime(signs));
			const forgeries = [
				isAccepted(withBitChanged(bytes, change.at, change.bit)),
				isAccepted(Buffer.concat([text, bytes])),
				isAccepted(Buffer.concat([bytes, text])),
				isAccepted(bytes, signed, change.text),
				// The last letters of the time become the first of the body.
				isAccepted(
					Buffer.concat([Buffer.from(time.slice(-change.letters)), bytes]),
					withShorterTime,
				),
			];
			expect(forgeries).toEqual([false, false, false, false, false]);
		}),
		{ numRuns: process.env.STRYKER_MUTATOR_WORKER ? 500 : 2000, seed: 37 },
	);
});

function withBitChanged(bytes: Buffer, at: number, bit: number): Buffer {
	const changed = Buffer.from(bytes);
	changed[at % changed.length] ^= 1 << bit;
	return changed;
}

/** The time as it was sent; a letter that stands nowhere when none was. */
function timeIn(sent: Record<string, string>, scheme: SignedScheme): string {
	if (scheme.timestampHeader) return sent[scheme.timestampHeader];
	const header = scheme.headerFormat ? sent[scheme.header] : '';
	return /(?<=^|=)(?:\d{4}-\d\d-\d\dT[\d:.]+Z|\d{10,13})(?=[,;])/.exec(header)?.[0] ?? '\u0000';
}

function replaceIn(sent: Record<string, string>, text: string, by: string): Record<string, string> {
	return Object.fromEntries(
		Object.entries(sent).map(([name, value]) => [name, value.replace(text, by)]),
	);
}

it('refuses a signed delivery outside the tolerance as stale, and any other id than the signed one', () => {
	fc.assert(
		fc.property(
			jsonBody,
			timedSenders,
			fc.oneof(fc.constantFrom(-301, -300, 300, 301), fc.integer({ min: -1e9, max: 1e9 })),
			(bytes, { signs, secret: key }, off) => {
				const signable = { secret: key, body: bytes, id: 'msg_1', timestamp: now + off };
				const signed = signDelivery(signs, signable);
				const verdict = verifyDelivery(bytes, signed, key, now, { tolerance });
				expect(verdict).toMatchObject(
					Math.abs(off) <= tolerance
						? { accepted: true, isTimed: true }
						: { accepted: false, reason: 'stale', age: -off },
				);
				const ofToday = signDelivery(signs, { ...signable, timestamp: now });
				fc.pre(Object.values(ofToday).includes('msg_1'));
				const renamed = replaceIn(ofToday, 'msg_1', 'msg_2');
				expect(verifyDelivery(bytes, renamed, key, now, { tolerance }).accepted).toBe(false);
			},
		),
		{ numRuns: 1000, seed: 37 },
	);
});

it('hashes the body a few times at most, whatever the headers', () => {
	const hashes = jest.spyOn(crypto, 'createHmac');
	let most = 0;
	const crowd = fc
		.array(fc.tuple(fc.nat({ max: 99 }), headerText), { minLength: 50 })
		.map((entries) =>
			Object.fromEntries(
				entries.flatMap(([n, text]) => [
					[`x-${n}-signature`, `v1,${'ab'.repeat(32)} ${text}`],
					[`x-${n}-id`, 'msg_1'],
					[`x-${n}-timestamp`, String(now + n)],
				]),
			),
		);
	fc.assert(
		fc.property(crowd, secret, (sent, key) => {
			hashes.mockClear();
			verifyDelivery(Buffer.from('{}'), sent, key, now, { tolerance });
			most = Math.max(most, hashes.mock.calls.length);
			expect(hashes.mock.calls.length).toBeLessThanOrEqual(16);
		}),
	);
	// The bound is what stopped some of them.
	expect(most).toBe(16);
});

/** What stands for the placeholders in this order, in each way in which a text could be cut into them. */
function readings(text: string, placeholders: string[], separator: string): string[][] {
	if (placeholders.length === 1) return [[text]];
	return [...text].flatMap((_letter, at) =>
		text.startsWith(separator, at)
			? readings(text.slice(at + separator.length), placeholders.slice(1), separator).map(
					(rest) => [text.slice(0, at), ...rest],
				)
			: [],
	);
}

it('what is signed starts as one delivery only, however somebody cuts it into time, id and body', () => {
	const parts = fc
		.shuffledSubarray(['{timestamp}', '{id}', '{body}'], { minLength: 2 })
		.filter((chosen) => chosen.includes('{body}'));
	const timestamp = fc
		.integer({ min: now - 200, max: now + 200 })
		.chain((seconds) =>
			fc.constantFrom(
				...[`${seconds}`, `${seconds}.5`, `${seconds}000`, new Date(seconds * 1000).toISOString()],
			),
		);
	const anId = fc.oneof(id, fc.stringMatching(/^[\d.:]{1,24}$/), timestamp);
	const event = fc.dictionary(fc.constantFrom('a', 'b', '1.'), fc.oneof(fc.nat(), anId), {
		maxKeys: 2,
	});
	const json = fc.oneof(event, fc.array(event, { maxLength: 2 })).map((one) => JSON.stringify(one));
	const separator = fc.constantFrom('.', ':', '', '1', '-', ' ', '\n', '},', '[');
	let started = 0;
	fc.assert(
		fc.property(parts, separator, timestamp, anId, json, (order, between, time, ofId, text) => {
			const values: Record<string, string> = { '{timestamp}': time, '{id}': ofId, '{body}': text };
			const content = order.join(between);
			const scheme: CustomScheme = {
				header: 'x-seal',
				prefix: '',
				algorithm: 'sha256',
				encoding: 'hex',
				content,
				timestampHeader: order.includes('{timestamp}') ? 'x-time' : '',
				idHeader: 'x-id',
				secretEncoding: 'utf8',
			};
			const signed = order.map((part) => values[part]).join(between);
			const seal = crypto.createHmac('sha256', 'a secret').update(signed).digest('hex');
			const found = new Set<string>();
			for (const reading of readings(signed, order, between)) {
				const read = Object.fromEntries(order.map((part, index) => [part, reading[index]]));
				const sent = Buffer.from(read['{body}']);
				const headers = { 'x-seal': seal, 'x-time': read['{timestamp}'], 'x-id': read['{id}'] };
				const verdict = verifyDelivery(sent, headers, 'a secret', now, { tolerance, scheme });
				const delivery = readDelivery({ rawBody: sent, headers }, {}, { id: '', company: '' }, []);
				if (!verdict.accepted || delivery === undefined) continue;
				const payloads = delivery.events.map(({ payload }) => payload);
				found.add(JSON.stringify([read['{timestamp}'], read['{id}'], payloads]));
			}
			expect(found.size).toBeLessThanOrEqual(1);
			started += found.size;
		}),
		{ numRuns: 400, seed: 37 },
	);
	expect(started).toBeGreaterThan(100);
});
