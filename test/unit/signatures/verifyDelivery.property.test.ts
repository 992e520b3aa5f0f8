// Properties of the verifier over generated deliveries, forgeries and schemes.
import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import {
	signDelivery,
	TIME_FORMATS,
	type CustomScheme as SignedScheme,
} from '../../simulator/signing';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { readBody } from '../../support/readBody';
import { recognised } from '../../support/senders';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(300_000);

const now = 1_700_000_000;
const tolerance = 300;
const signsTime = ({ content }: SignedScheme) => content?.includes('{timestamp}') === true;
const senders = fc.constantFrom(...recognised);

/** A JSON object or array, as the service could send it. */
const jsonBody = fc
	.oneof(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), fc.array(fc.jsonValue()))
	.map((value) => Buffer.from(JSON.stringify(value)));
const id = fc.stringMatching(/^[\w.-]{1,40}$/);

/** Changes to a signed delivery that need no secret. */
const changes = fc.record({
	at: fc.nat(),
	bit: fc.nat({ max: 7 }),
	text: fc.string({ minLength: 1 }),
	seconds: fc.integer({ min: 1, max: 250 }),
	letters: fc.integer({ min: 1, max: 12 }),
});

it('accepts a delivery in each recognised format, and no forgery of it', () => {
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
			const isAccepted = (sent: Buffer, sentHeaders = signed, withSecret = key) =>
				verifyDelivery({
					rawBody: sent,
					headers: sentHeaders,
					secret: withSecret,
					now,
					tolerance,
				}).accepted && readBody(sent, sentHeaders) !== undefined;

			expect(isAccepted(bytes)).toBe(true);
			expect(isAccepted(bytes, withOtherTime)).toBe(!signsTime(signs));
			const forgeries = [
				isAccepted(withBitChanged(bytes, change.at, change.bit)),
				isAccepted(Buffer.concat([text, bytes])),
				isAccepted(Buffer.concat([bytes, text])),
				isAccepted(bytes, signed, change.text),
				signs.idHeader ? isAccepted(bytes, { ...signed, [signs.idHeader]: `${anId}x` }) : false,
				// The last letters of the time become the first of the body.
				isAccepted(
					Buffer.concat([Buffer.from(time.slice(-change.letters)), bytes]),
					withShorterTime,
				),
			];
			expect(forgeries).toEqual(Array(6).fill(false));
		}),
		{ numRuns: 2000, seed: 37 },
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

/** Every way to cut a text into these placeholders. */
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

it('a signed text is one delivery only, in every cut into time, id and body', () => {
	const parts = fc
		.shuffledSubarray(['{timestamp}', '{id}', '{body}'], { minLength: 2 })
		.filter((chosen) => chosen.includes('{body}'));
	const forms = [
		...Object.values(TIME_FORMATS),
		(seconds: number) => `${seconds}.5`,
		(seconds: number) => TIME_FORMATS.iso(seconds).replace('T', ' '),
	];
	const timestamp = fc
		.tuple(fc.integer({ min: now - 200, max: now + 200 }), fc.constantFrom(...forms))
		.map(([seconds, form]) => form(seconds));
	const anId = fc.oneof(id, fc.stringMatching(/^[\d.:]{1,24}$/), timestamp);
	const event = fc.dictionary(fc.constantFrom('a', 'b', '1.'), fc.oneof(fc.nat(), anId), {
		maxKeys: 2,
	});
	const json = fc.oneof(event, fc.array(event, { maxLength: 2 })).map((one) => JSON.stringify(one));
	const separator = fc.constantFrom('.', ':', '', '1', '-', '+', 'Z', ' ', '\n', '},', '[');
	let started = 0;
	fc.assert(
		fc.property(parts, separator, timestamp, anId, json, (order, between, time, ofId, text) => {
			const values: Record<string, string> = { '{timestamp}': time, '{id}': ofId, '{body}': text };
			const content = order.join(between);
			const scheme: CustomScheme = {
				...PLAIN_SCHEME,
				header: 'x-seal',
				content,
				timestampHeader: order.includes('{timestamp}') ? 'x-time' : '',
				idHeader: 'x-id',
			};
			const signed = order.map((part) => values[part]).join(between);
			const seal = createHmac('sha256', 'a secret').update(signed).digest('hex');
			const found = new Set<string>();
			for (const reading of readings(signed, order, between)) {
				const read = Object.fromEntries(order.map((part, index) => [part, reading[index]]));
				const sent = Buffer.from(read['{body}']);
				const headers = { 'x-seal': seal, 'x-time': read['{timestamp}'], 'x-id': read['{id}'] };
				const signable = { rawBody: sent, headers, secret: 'a secret', now, tolerance, scheme };
				const verdict = verifyDelivery(signable);
				const delivery = readBody(sent, headers);
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
