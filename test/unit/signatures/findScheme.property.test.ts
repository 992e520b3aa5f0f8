// Properties of what is found about a refused delivery, over generated senders.
import { createHash } from 'node:crypto';

import fc from 'fast-check';

import { signatureSchemeProperties } from '../../../nodes/CompanyRegistry/trigger/parameters/customSchemeFields';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { findingInWords } from '../../../nodes/CompanyRegistry/trigger/deliveries/explain';
import {
	customSchemeProblem,
	type CustomScheme,
} from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { findScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/findScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { signDelivery, type CustomScheme as SignedScheme } from '../../simulator/signing';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(300_000);

const now = 1_700_000_000;
const tolerance = 300;
const DAY = 86_400;
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
/** A key in hex, base64 and as text. */
const secret = Buffer.from('a secret of tests, as bytes!!').toString('hex');
const runs = (count: number) => (process.env.STRYKER_MUTATOR_WORKER ? count / 20 : count);

const hashOf = (n: number) => createHash('sha256').update(`${n}`).digest();
/** Ids of the n-th delivery, all different. */
const ID_FORMS: Record<string, (n: number) => string> = {
	uuid: (n) =>
		hashOf(n)
			.toString('hex')
			.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5'),
	hex: (n) => hashOf(n).toString('hex').slice(0, 8),
	base64: (n) => hashOf(n).toString('base64').slice(0, 16),
	letters: (n) =>
		hashOf(n)
			.toString('base64')
			.replace(/[^a-z]/gi, '')
			.slice(0, 9),
	number: (n) => String(88_000 + n),
	word: (n) => `msg_${88_000 + n}`,
};
/** What the header of the signature looks like. */
const FORMATS = [
	'{signature}',
	'v3={signature}',
	'hex:{signature}',
	'Seal {signature}',
	'v1,{signature}',
	'at={timestamp};mac={signature}',
	'id={id},at={timestamp},mac={signature}',
	'alg=x,nonce={id},mac={signature}',
];

interface Sender extends SignedScheme {
	idForm: string;
}

const senders: fc.Arbitrary<Sender> = fc
	.record({
		parts: fc.shuffledSubarray(['{timestamp}', '{id}', '{url}']).filter(({ length }) => length < 3),
		bodyAt: fc.nat({ max: 2 }),
		separator: fc.constantFrom('.', ':', '', '|', '\n', '-', '_', ',', ' ', '/', '&'),
		headerFormat: fc.constantFrom(...FORMATS),
		algorithm: fc.constantFrom('sha256' as const, 'sha512' as const, 'sha1' as const),
		encoding: fc.constantFrom('hex' as const, 'base64' as const, 'base64url' as const),
		secretEncoding: fc.constantFrom('utf8' as const, 'base64' as const, 'hex' as const),
		timeFormat: fc.constantFrom('seconds', 'milliseconds', 'iso', 'nanoseconds', 'http'),
		idForm: fc.constantFrom(...Object.keys(ID_FORMS)),
		header: fc.constantFrom('x-foo-seal', 'authorization', 'x_foo_sig', 'x-foo-signature'),
	})
	.map(({ parts, bodyAt, separator, ...rest }) => ({
		...rest,
		content: [...parts.slice(0, bodyAt), '{body}', ...parts.slice(bodyAt)].join(separator),
		timestampHeader: rest.headerFormat.includes('{timestamp}') ? '' : 'x-foo-time',
		idHeader: rest.headerFormat.includes('{id}') ? '' : 'x-foo-call',
	}));

interface Sent {
	rawBody: Buffer;
	headers: Record<string, string>;
}

let count = 0;
/** Another delivery of the sender, with another id and body. */
function send(sender: Sender, timestamp: number): Sent {
	const n = ++count;
	const rawBody = Buffer.from(JSON.stringify({ event: 'filing.new', n }));
	const id = ID_FORMS[sender.idForm](n);
	const signed = signDelivery(sender, { secret, body: rawBody, id, timestamp, url });
	const others = { 'content-type': 'application/json', 'x-request-id': ID_FORMS.uuid(-n) };
	return { rawBody, headers: { ...others, ...signed } };
}

const search = (sent: Sent) => findScheme({ ...sent, secret, now, tolerance, url });

function isAccepted({ rawBody, headers }: Sent, at: number, scheme: CustomScheme): boolean {
	return verifyDelivery(rawBody, headers, secret, at, { tolerance, scheme, url }).accepted;
}

/** The settings of somebody who enters what these words say, and no more. */
function enter(words: string): CustomScheme {
	const scheme: Record<string, string> = {};
	for (const [, field, value] of words.matchAll(/([A-Z][A-Za-z ]+) `([^`]*)`/g)) {
		const property = signatureSchemeProperties.find(({ displayName }) => displayName === field);
		const options = (property?.options ?? []) as Array<{ name: string; value: string }>;
		const option = options.find(({ name }) => name === value);
		scheme[property?.name ?? ''] = option?.value ?? value;
	}
	return optionsSchema.parse({ signature: { scheme } }).signature.scheme as CustomScheme;
}

it('what it names proves the next delivery of the sender as well, and neither with another body', () => {
	let found = 0;
	fc.assert(
		fc.property(senders, (sender) => {
			const [one, next] = [send(sender, now), send(sender, now + 60)];
			const finding = search(one);
			if (finding?.kind !== 'custom') return;
			found++;
			const scheme = enter(findingInWords(finding));
			expect(customSchemeProblem(scheme)).toBeUndefined();
			expect(isAccepted(one, now, scheme)).toBe(true);
			expect(isAccepted(next, now + 60, scheme)).toBe(true);
			expect(isAccepted({ ...next, rawBody: one.rawBody }, now + 60, scheme)).toBe(false);
			// Where the time is signed, it counts: an old delivery does not pass.
			const signsTime = sender.content?.includes('{timestamp}') === true;
			expect(isAccepted(one, now + DAY, scheme)).toBe(!signsTime);
		}),
		{ numRuns: runs(600) },
	);
	expect(found).toBeGreaterThan(runs(300));
});

/** What may be shown although it stands in a header: these, and words of the node's own. */
const LABELS = /\b(?:sha256|signature|nonce|key|hex|mac|alg|at|id|ts|v\d|[ak])(?=[=:./|,"])/g;
const SHOWN_LENGTH = 6;
/** Every text of that length in it, but for signs. */
function textsIn(value: string): string[] {
	const shown = value.replace(LABELS, ' ');
	return [...shown]
		.map((_, at) => shown.slice(at, at + SHOWN_LENGTH))
		.filter((text) => text.replace(/\W/g, '').length >= SHOWN_LENGTH - 2);
}

it('shows no text of any header that is as long as a value', () => {
	const words = fc.constantFrom(
		'Seal ',
		'v1=',
		'sha256=',
		'key:',
		'signature=',
		'a',
		':',
		'|',
		'/',
	);
	const values = fc.oneof(
		fc.stringMatching(/^[\w.+/=-]{6,20}$/),
		fc.uuid(),
		fc.constantFrom(...Object.values(ID_FORMS).map((form) => form(1))),
		words,
	);
	const before = fc.array(fc.tuple(values, fc.constantFrom(':', '=', '.', '|', ',', ' ', ';')), {
		maxLength: 3,
	});
	let found = 0;
	fc.assert(
		fc.property(senders, before, values, (sender, texts, other) => {
			const { rawBody, headers } = send(sender, now);
			const signed = headers[sender.header];
			headers[sender.header] = `${texts.map((pair) => pair.join('')).join('')}${signed}`;
			headers['x-other'] = other;
			const finding = search({ rawBody, headers });
			const told = findingInWords(finding);
			if (finding?.kind === 'custom') found++;
			const advice =
				findingInWords(undefined) + findingInWords({ kind: 'custom', scheme: PLAIN_SCHEME });
			for (const value of Object.values(headers)) {
				for (const text of textsIn(value)) {
					if (told.includes(text)) expect(advice).toContain(text);
				}
			}
		}),
		{ numRuns: runs(600) },
	);
	expect(found).toBeGreaterThan(runs(100));
});
