// Properties of the verifier over generated deliveries, forgeries and schemes.
import { createHmac } from 'node:crypto';

import fc from 'fast-check';
import { mapValues } from 'lodash';

import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import {
	verifyDelivery,
	type SentDelivery,
} from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import {
	signDelivery,
	TIME_FORMATS,
	type CustomScheme as SignedScheme,
} from '../../simulator/signing';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { readBody } from '../../support/readBody';
import { searchScheme } from '../../support/searchScheme';
import { recognised } from '../../support/senders';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(300_000);

const now = 1_700_000_000;
const tolerance = 300;
const signsTime = ({ content }: SignedScheme) => content?.includes('{timestamp}') === true;

/** The time as it was sent; a letter that stands nowhere when none was. */
function timeIn(sent: Record<string, string>, scheme: SignedScheme): string {
	if (scheme.timestampHeader) return sent[scheme.timestampHeader];
	const header = scheme.headerFormat ? sent[scheme.header] : '';
	return /(?<=^|=)(?:\d{4}-\d\d-\d\dT[\d:.]+Z|\d{10,13})(?=[,;])/.exec(header)?.[0] ?? '\u0000';
}

it.each(recognised)('$name: a delivery is accepted, and no forgery of it', (sender) => {
	const { signs, secret: key, beside } = sender;
	const rawBody = Buffer.from('{"event":"filing.new","list":[1,"é"]}');
	const signable = { secret: key, body: rawBody, id: 'msg_1', timestamp: now };
	const signed: Record<string, string> = { ...beside, ...signDelivery(signs, signable) };
	const time = timeIn(signed, signs);
	const withTime = (other: string) => mapValues(signed, (value) => value.replace(time, other));
	const isAccepted = (changes: Partial<SentDelivery>) => {
		const sent = { rawBody, headers: signed, secret: key, now, tolerance, ...changes };
		return verifyDelivery(sent).accepted && readBody(sent.rawBody, sent.headers) !== undefined;
	};
	expect(isAccepted({})).toBe(true);

	const later = timeIn(signDelivery(signs, { ...signable, timestamp: now + 100 }), signs);
	expect(isAccepted({ headers: withTime(later) })).toBe(!signsTime(signs));
	const { idHeader = '' } = signs;
	const forgeries: Array<Partial<SentDelivery>> = [
		{ rawBody: Buffer.from(String(rawBody).replace('new', 'old')) },
		{ rawBody: Buffer.concat([Buffer.from('1'), rawBody]) },
		{ rawBody: Buffer.concat([rawBody, Buffer.from(' ')]) },
		{ secret: 'another' },
		...[idHeader].filter(Boolean).map((id) => ({ headers: { ...signed, [id]: 'msg_1x' } })),
		// The last letters of the time become the first of the body.
		...[1, 2, 5, 10].map((letters) => ({
			rawBody: Buffer.concat([Buffer.from(time.slice(-letters)), rawBody]),
			headers: withTime(time.slice(0, -letters)),
		})),
	];
	expect(forgeries.filter(isAccepted)).toEqual([]);
});

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
	const anId = fc.oneof(
		fc.stringMatching(/^[\w.-]{1,40}$/),
		fc.stringMatching(/^[\d.:]{1,24}$/),
		timestamp,
	);
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
				const verification = verifyDelivery(signable);
				const delivery = readBody(sent, headers);
				if (!verification.accepted || delivery === undefined) continue;
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

/** A captured digest: its sender does not know the secret. */
const CAPTURED = 'ab'.repeat(32);

it.each(['t=', 'a="', 'hmac-', 'sha256', '{id}', '1', '=:', `,${CAPTURED}`])(
	'long headers that repeat %j cost little time',
	(part) => {
		// Four headers of this length are all that Node takes.
		const value = `${part.repeat(4000).slice(0, 4000)}=${CAPTURED}`;
		const names = ['a', 'b', 'c', 'd'].map((name) => `${name}-signature`);
		const headers = Object.fromEntries(names.map((name) => [name, value]));
		const custom = { ...PLAIN_SCHEME, header: 'a-signature', headerFormat: 't={id}.{signature}' };
		const sent = { rawBody: Buffer.from('{}'), headers, secret: 'a secret', now, tolerance };
		const before = process.cpuUsage();
		for (const scheme of [undefined, custom]) searchScheme({ ...sent, scheme });
		const { user, system } = process.cpuUsage(before);
		// In microseconds. The search has a limit of its own, in HMACs.
		expect(user + system).toBeLessThan(2_000_000);
	},
);
