// Where a delivery carries several signatures or times, the strongest decides.
import crypto, { createHmac } from 'node:crypto';

import {
	customSchemeProblem,
	type CustomScheme,
} from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { PLAIN_SCHEME } from '../../support/plainScheme';

const secret = 'a secret, as text';
const now = 1_700_000_000;
const old = now - 86_400;
const body = '{"event":"filing.new"}';
const accepted = { accepted: true };
const wrong = { accepted: false, reason: 'wrong' };
const stale = { accepted: false, reason: 'stale', age: 86_400 };

function sign(content: string, withSecret = secret): string {
	return createHmac('sha256', withSecret).update(content).digest('hex');
}

function verify(headers: DeliveryHeaders, sent = body, scheme?: CustomScheme) {
	return verifyDelivery(Buffer.from(sent), headers, secret, now, { tolerance: 300, scheme });
}

afterEach(() => jest.restoreAllMocks());

describe('the strongest claim decides', () => {
	const bodyAlone = { 'x-hub-signature-256': `sha256=${sign(body)}` };

	it.each<[string, (time: number) => Record<string, string>]>([
		['a list', (time) => ({ 'acme-signature': `t=${time},v1=${sign(`${time}.${body}`)}` })],
		[
			'a header of its own',
			(time) => ({ 'x-signature': sign(`${time}:${body}`), 'x-timestamp': String(time) }),
		],
		[
			'a family',
			(time) => ({
				'webhook-id': 'a',
				'webhook-timestamp': String(time),
				'webhook-signature': sign(`a.${time}.${body}`),
			}),
		],
	])(
		'a stale time in %s refuses the delivery, though a signature over the body is right',
		(_case, timed) => {
			expect(verify({ ...bodyAlone, ...timed(now) })).toMatchObject(accepted);
			expect(verify({ ...bodyAlone, ...timed(old) })).toEqual(stale);
			expect(verify({ ...timed(old), ...bodyAlone })).toEqual(stale);
		},
	);

	it('a stale time refuses the delivery even beside a current one', () => {
		const list = (time: number) => `t=${time},v1=${sign(`${time}.${body}`)}`;
		expect(verify({ 'a-signature': list(now), 'b-signature': list(now - 1) })).toEqual(accepted);
		expect(verify({ 'a-signature': list(now), 'b-signature': list(old) })).toEqual(stale);
	});

	it('a time that nobody signed says nothing, old or not', () => {
		for (const time of [now, old, old * 1000, 'Tue, 14 Nov 2023 10:00:00 GMT']) {
			expect(verify({ ...bodyAlone, 'x-hub-timestamp': String(time) })).toEqual(accepted);
			expect(verify({ ...bodyAlone, 'a-signature': `t=${time},v1=${sign('')}` })).toEqual(accepted);
		}
	});

	it('a claim for which there is no room could be stale, so that nothing else is enough', () => {
		const list = (time: number) => `t=${time},v1=${sign(`${time}.${body}`)}`;
		const forged = (n: number) => `t=${old - n},v1=${sign('')},sig=${'ab'.repeat(64)}`;
		const headers = (count: number, rest: DeliveryHeaders) => ({
			...Object.fromEntries(
				Array.from({ length: count }, (_, n) => [`x-${n}-signature`, forged(n)]),
			),
			...rest,
		});
		const current = { 'y-signature': list(now) };
		expect(verify(headers(5, current))).toEqual(accepted);
		expect(verify(headers(5, { ...current, 'z-signature': list(old) }))).toEqual(stale);

		const many = headers(7, { 'z-signature': `${list(now)},sig=${'ab'.repeat(64)}` });
		const hashes = jest.spyOn(crypto, 'createHmac');
		expect(verify(many)).toEqual(wrong);
		expect(hashes).toHaveBeenCalledTimes(16);
	});
});

describe('what no sender signs does not crowd out what it does', () => {
	const text = 'a secret of tests, as text';
	const inHex = Buffer.from(secret).toString('hex');
	const digest512 = { digest: `SHA-512=${'A'.repeat(86)}==` };
	const date = new Date(now * 1000).toISOString();

	it.each<[string, string, DeliveryHeaders]>([
		['v0 with a digest', `v0:${now}:${body}`, { 'x-timestamp': String(now), ...digest512 }],
		[
			'v0 with a hash',
			`v0:${now}:${body}`,
			{ 'x-timestamp': String(now), 'x-content-hash': 'ab'.repeat(64) },
		],
		[
			'v0 with the time of a proxy',
			`v0:${now}:${body}`,
			{ 'x-request-time': String(now - 1), 'x-request-timestamp': String(now) },
		],
		[
			'an id without a separator, with a digest',
			`abc${date}${body}`,
			{ 'x-id': 'abc', 'x-timestamp': date, ...digest512 },
		],
		[
			'a colon, with an unsigned id and the time of a proxy',
			`${now}:${body}`,
			{ 'x-id': 'abc', 'x-timestamp': String(now), 'x-request-time': String(now - 1) },
		],
	])('%s', (_what, content, headers) => {
		// A secret that is text and nothing else, and one that may also be read as hex.
		for (const withSecret of [text, inHex]) {
			const sent = { 'x-signature': sign(content, withSecret), ...headers };
			const verdict = verifyDelivery(Buffer.from(body), sent, withSecret, now, { tolerance: 300 });
			expect(verdict).toMatchObject({ accepted: true });
		}
	});
});

describe('a genuine signature over the body alone is not crowded out', () => {
	// Both its text and the bytes that it stands for have to be tried.
	const inHex = Buffer.from(secret).toString('hex');
	const genuine = { 'x-acme-signature': sign(body, inHex) };
	const times = { 'x-acme-timestamp': String(now), 'x-request-time': String(now + 1) };
	const sha512 = { 'x-acme-signature-sha512': 'ab'.repeat(64) };
	const sameFamily = { 'x-acme-id': 'msg_1' };

	it.each<[string, DeliveryHeaders]>([
		['by two times', times],
		['by a digest of another algorithm', { 'x-acme-timestamp': String(now), ...sha512 }],
		['by an id and two times', { ...times, ...sameFamily }],
		['by all of these', { ...times, ...sameFamily, ...sha512 }],
	])('%s', (_by, headers) => {
		const hashes = jest.spyOn(crypto, 'createHmac');
		const verdict = verifyDelivery(Buffer.from(body), { ...genuine, ...headers }, inHex, now, {
			tolerance: 300,
		});
		expect(verdict).toMatchObject({ accepted: true });
		expect(hashes.mock.calls.length).toBeLessThanOrEqual(16);
	});
});

describe('two times', () => {
	it('in one header refuse the delivery, whatever else it carries', () => {
		const right = `t=${now},v1=${sign(`${now}.${body}`)}`;
		expect(verify({ 'a-signature': right })).toEqual(accepted);
		expect(verify({ 'a-signature': `${right},t=${now + 1}` })).toEqual(wrong);
		expect(verify({ 'a-signature': `t=${old},${right}` })).toEqual(wrong);
		expect(verify({ 'a-signature': `${right},t=${old}`, 'b-signature': sign(body) })).toEqual(
			wrong,
		);
	});

	it('that are the same are two sets, as a sender makes them while a secret is changed', () => {
		const set = (withSecret: string) => `t=${now},v1=${sign(`${now}.${body}`, withSecret)}`;
		for (const value of [`${set('new')} ${set(secret)}`, `${set(secret)}, ${set('new')}`]) {
			expect(verify({ 'a-signature': value })).toEqual(accepted);
		}
	});

	it('in headers of their own are both tried, that of the most similar name first', () => {
		const headers = {
			'x-acme-signature': sign(`${now}.${body}`),
			'x-request-timestamp': String(now - 5),
			'x-acme-timestamp': String(now),
		};
		const hashes = jest.spyOn(crypto, 'createHmac');
		expect(verify(headers)).toEqual(accepted);
		expect(hashes).toHaveBeenCalledTimes(1);
		const other = { ...headers, 'x-acme-signature': sign(`${now - 5}.${body}`) };
		expect(verify(other)).toEqual(accepted);
	});
});

describe('the content of a signature is read one way only', () => {
	it('what was signed with a time in front is no body by itself', () => {
		const content = `${now}.${body}`;
		expect(verify({ 'a-signature': sign(content) }, content)).toEqual(wrong);
		expect(verify({ 'a-signature': sign(`v0:${content}`) }, `v0:${content}`)).toEqual(wrong);
		expect(verify({ 'a-signature': sign(` ${content}`) }, ` ${content}`)).toEqual(wrong);
		const list = `\n[${body}]`;
		expect(verify({ 'a-signature': sign(list) }, list)).toEqual(accepted);
		expect(verify({ 'a-signature': sign('Hello, World!') }, 'Hello, World!')).toEqual(accepted);
	});

	it.each([
		['{timestamp}.{body}', `${now}.`, '5'],
		['{timestamp}{body}', String(now), '5'],
		['{timestamp}{body}', String(now), '.5'],
		['{timestamp}{body}', String(now), ' '],
	])('%s: a body does not begin with what could be of the time', (_content, before, beginning) => {
		const changed = `${beginning}${body}`;
		const headers = { 'x-timestamp': String(now) };
		expect(verify({ ...headers, 'x-signature': sign(before + body) })).toEqual(accepted);
		const isBlank = beginning.trim() === '';
		expect(verify({ ...headers, 'x-signature': sign(before + changed) }, changed)).toEqual(
			isBlank ? accepted : wrong,
		);
	});

	const scheme: CustomScheme = {
		...PLAIN_SCHEME,
		header: 'x-seal',
		content: '{id}{timestamp}{body}',
		timestampHeader: 'x-time',
		idHeader: 'x-id',
	};
	const custom = (content: string, values: Record<string, string>, sent = body) => {
		const text = content.replace(/\{(\w+)\}/g, (_all, name: string) =>
			name === 'body' ? sent : values[name],
		);
		const headers = { 'x-seal': sign(text), 'x-time': values.timestamp, 'x-id': values.id };
		return verify(headers, sent, { ...scheme, content });
	};
	const UUID = '0d1f8f56-9c2b-4b8e-8c3e-1f2a3b4c5d61';
	const ISO = '2023-11-14T22:13:20.123456789Z';
	const HTTP = 'Tue, 14 Nov 2023 22:13:20 GMT';

	it.each([
		['{id}{timestamp}{body}', 'evt171', String(now), wrong],
		['{id}{timestamp}{body}', 'evt171', ISO, accepted],
		['{id}{timestamp}{body}', 'evt171', HTTP, accepted],
		['{id}{timestamp}{body}', UUID, String(now), accepted],
		['{id}1{timestamp}{body}', 'evt171', String(now), wrong],
		['{timestamp}{id}.{body}', '5-evt', String(now), wrong],
		['{timestamp}{id}.{body}', UUID, `${now}.5`, wrong],
		['{timestamp}.{id}.{body}', '5.evt', String(now), accepted],
		['{timestamp}.{id}.{body}', 'evt', `${now}.5`, wrong],
		['{id}.{body}', 'evt', String(now), accepted],
		['{body}{id}', 'evt', String(now), accepted],
	])('%s with id %s and time %s', (content, id, timestamp, verdict) => {
		const timed = content.includes('{timestamp}') ? {} : { timestampHeader: '' };
		const text = content.replace(/\{(\w+)\}/g, (_all, name: string) =>
			name === 'body' ? body : ({ id, timestamp }[name] ?? ''),
		);
		const headers = { 'x-seal': sign(text), 'x-time': timestamp, 'x-id': id };
		expect(verify(headers, body, { ...scheme, ...timed, content })).toMatchObject(verdict);
	});

	it.each(['{body}{timestamp}', '{body}.{id}.{timestamp}'])(
		'%s: a body ends with what ends JSON',
		(content) => {
			const values = { id: 'evt', timestamp: String(now) };
			const set = content.includes('{id}') ? scheme : { ...scheme, idHeader: '' };
			expect(set.header).toBe('x-seal');
			expect(custom(content, values)).toMatchObject(accepted);
			expect(custom(content, values, `${body}\n`)).toMatchObject(accepted);
			expect(custom(content, values, `${body}1`)).toEqual(wrong);
		},
	);

	it('an id in front of a body ends where JSON begins', () => {
		const values = { id: 'evt', timestamp: String(now) };
		const set = { ...scheme, timestampHeader: '', content: '{id}.{body}' };
		const signed = (sent: string) => ({ 'x-seal': sign(`evt.${sent}`), 'x-id': values.id });
		expect(verify(signed(body), body, set)).toMatchObject(accepted);
		expect(verify(signed(`a.${body}`), `a.${body}`, set)).toEqual(wrong);
	});

	it('a placeholder in the format of a header ends where text begins', () => {
		const touching = { ...scheme, headerFormat: '{timestamp}{signature}', timestampHeader: '' };
		expect(customSchemeProblem(touching)).toBe(
			"'Header Format' has nothing between two of its parts, so nobody can tell where one ends",
		);
	});
});

it('a key of no bytes is no key', () => {
	for (const empty of ['', 'whsec_', 'kwhsec_', '=']) {
		const signed = (content: string) => createHmac('sha256', '').update(content).digest('hex');
		const headers = {
			'webhook-id': 'a',
			'webhook-timestamp': String(now),
			'webhook-signature': signed(`a.${now}.${body}`),
			'x-signature': signed(body),
		};
		expect(verifyDelivery(Buffer.from(body), headers, empty, now, { tolerance: 300 })).toEqual(
			wrong,
		);
	}
});
