// What in the headers of a refused delivery could be a signature, a time or an id.
import { createHmac } from 'node:crypto';

import type { DeliveryHeaders } from '../../../../nodes/CompanyRegistry/trigger/signatures/headers';
import {
	findCandidates,
	type Candidate,
} from '../../../../nodes/CompanyRegistry/trigger/signatures/search/schemeCandidates';

const now = 1_700_000_000;
const TWENTY_YEARS = 20 * 365 * 86_400;
const digestOf = (text: string | number) =>
	createHmac('sha256', 'x').update(`${text}`).digest('hex');
const DIGEST = digestOf('');

const find = (headers: DeliveryHeaders) => findCandidates(headers, now);
const textsOf = (candidates: Candidate[]) => candidates.map(({ text }) => text);
const headersOf = (candidates: Candidate[]) => candidates.map(({ header }) => header);
const named = <T>(count: number, name: (n: number) => string, value: (n: number) => T) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), value(n)]));

describe('signatures', () => {
	it('are digests in any header, each with its place among the parts', () => {
		const { signatures } = find({ 'x-foo': `a=1, v3=${DIGEST}`, authorization: `Seal ${DIGEST}` });
		expect(signatures).toMatchObject([
			{ header: 'x-foo', place: 1, text: DIGEST },
			{ header: 'authorization', place: 1, text: DIGEST },
		]);
	});

	it('are not looked for in cookies', () => {
		expect(find({ cookie: DIGEST, 'x-foo': '1' }).signatures).toEqual([]);
	});

	it('are sixteen at most, in the first sixty headers', () => {
		const many = Array.from({ length: 17 }, (_, n) => digestOf(n));
		expect(textsOf(find({ 'x-foo': many.join() }).signatures)).toEqual(many.slice(0, 16));
		const others = (count: number) => named(count, (n) => `x-${n}`, String);
		expect(find({ ...others(59), 'x-foo': DIGEST }).signatures).toHaveLength(1);
		expect(find({ ...others(60), 'x-foo': DIGEST }).signatures).toHaveLength(0);
	});
});

describe('times', () => {
	it('stand beside the signature, or in a header of their own', () => {
		const { times } = find({
			'x-at': String(now - 1),
			'x-foo': `${now},t=${now + 1},ts="${now + 2}",a:b:${now + 3},s=${DIGEST}`,
		});
		expect(times).toEqual([
			{ header: 'x-foo', text: String(now), place: 0 },
			{ header: 'x-foo', text: String(now + 1), place: 1 },
			{ header: 'x-foo', text: String(now + 2), place: 2 },
			{ header: 'x-foo', text: String(now + 3), place: 3 },
			{ header: 'x-at', text: String(now - 1) },
		]);
	});

	it.each([`sent:${now}`, `t=${now}`, `sent_at="${now}"`])('stand behind a label: %s', (part) => {
		const { times } = find({ 'x-foo': `${part},${DIGEST}` });
		expect(times).toEqual([{ header: 'x-foo', text: String(now), place: 0 }]);
	});

	it('stand before a digest as its label', () => {
		const { times } = find({ 'x-foo': `${now}:${DIGEST}` });
		expect(times).toEqual([{ header: 'x-foo', text: String(now), place: 0 }]);
	});

	it('stand among labels and other values', () => {
		const date = new Date(now * 1000).toISOString();
		for (const part of [`at=${date}|mac=${DIGEST}`, `abc:${date}:${DIGEST}`]) {
			expect(textsOf(find({ 'x-foo': part }).times)).toEqual([date]);
		}
	});

	it('are told once, by the first header that has them', () => {
		const { times } = find({ 'x-at': String(now), 'x-foo-at': String(now), 'x-foo': DIGEST });
		expect(times).toEqual([{ header: 'x-foo-at', text: String(now) }]);
	});

	it('are eight at most', () => {
		const many = named(
			9,
			(n) => `x-${n}`,
			(n) => String(now + n),
		);
		expect(headersOf(find({ ...many, 'x-foo': DIGEST }).times)).toEqual(
			Object.keys(many).slice(0, 8),
		);
	});

	it('come by how much their header is named like that of the signature', () => {
		const { times } = find({
			'b-at': '1700000001',
			'x-bar-at': '1700000002',
			'x-foo-at': '1700000003',
			'x-f': '1700000004',
			'x-foo-seal-at': '1700000005',
			'x-foo-seal': DIGEST,
		});
		expect(headersOf(times)).toEqual(['x-foo-seal-at', 'x-foo-at', 'x-f', 'x-bar-at', 'b-at']);
	});

	it('lie within twenty years', () => {
		const at = (time: number) => find({ 'x-at': String(time), 'x-foo': DIGEST }).times;
		for (const sign of [1, -1]) {
			expect(at(now + sign * (TWENTY_YEARS - 1))).toHaveLength(1);
			expect(at(now + sign * TWENTY_YEARS)).toEqual([]);
		}
	});
});

describe('ids', () => {
	it('are plain texts beside the signature without their labels, in turn with headers of their own', () => {
		const { ids } = find({
			'x-foo': `id=e76c,"quoted",evt:5,s=${DIGEST}`,
			'x-bar': 'abc',
			'x-words': 'two words',
			'x-none': '',
			'x-other-digest': digestOf('other'),
		});
		expect(ids).toEqual([
			{ header: 'x-foo', text: 'e76c', place: 0 },
			{ header: 'x-bar', text: 'abc' },
			{ header: 'x-foo', text: 'quoted', place: 1 },
			{ header: 'x-foo', text: 'evt:5', place: 2 },
			{ header: 'x-foo', text: '5', place: 2 },
			{ header: 'x-foo', text: 'evt', place: 2 },
		]);
	});

	it.each([
		'accept',
		'accept-encoding',
		'authorization',
		'connection',
		'content-type',
		'cache-control',
		'cookie',
		'date',
		'forwarded',
		'host',
		'proxy-foo',
		'sec-fetch-mode',
		'te',
		'transfer-encoding',
		'upgrade',
		'user-agent',
		'via',
		'x-forwarded-host',
		'x-real-ip',
	])('are not in %s', (header) => {
		expect(find({ [header]: 'abc', 'x-foo': DIGEST }).ids).toEqual([]);
	});

	it.each(['x-accept', 'dates', 'date-id', 'tenant', 'x-host', 'my-content'])(
		'may be in %s',
		(header) => {
			expect(find({ [header]: 'abc', 'x-foo': DIGEST }).ids).toEqual([{ header, text: 'abc' }]);
		},
	);

	it.each(['id=a:b|c', 'id="a:b|c"', 'id:a:b|c', 'ID=a:b|c'])(
		'may hold signs behind a label: %s',
		(part) => {
			const texts = textsOf(find({ 'x-foo': `${part},SIG=${DIGEST}` }).ids);
			expect(texts).toContain('a:b|c');
			// Labels are in every delivery, so they name none.
			expect(texts).not.toContain(part);
			expect(texts.join()).not.toMatch(/ID|SIG/);
		},
	);

	it('may stand beside a signature in any header', () => {
		const { ids } = find({ authorization: `e76c,${DIGEST}` });
		expect(ids).toEqual([{ header: 'authorization', text: 'e76c', place: 0 }]);
	});

	it.each([
		'id',
		'x-uuid',
		'nonce',
		'my_delivery',
		'x-event',
		'x-request',
		'message',
		'call',
		'key',
	])('are looked for in %s first', (header) => {
		const others = { 'x-foo-bar': 'a', 'idle-grid': 'b', 'x-keys': 'c', 'x-id-a': 'd' };
		const { ids } = find({ ...others, [header]: 'abc', 'x-foo': DIGEST });
		expect(ids[0]).toEqual({ header, text: 'abc' });
		expect(headersOf(ids.slice(1)).sort()).toEqual(Object.keys(others).sort());
	});

	it('come by how much their header is named like that of the signature, and are ten at most', () => {
		const headers = {
			'b-id': '1',
			'x-foo-id': '2',
			'x-bar-id': '3',
			'x-foo-a': '4',
			'x-a': '5',
			...named(10, (n) => `c-${n}`, String),
			'x-foo': DIGEST,
		};
		expect(headersOf(find(headers).ids).slice(0, 5)).toEqual([
			'x-foo-id',
			'x-bar-id',
			'b-id',
			'x-foo-a',
			'x-a',
		]);
		expect(find(headers).ids).toHaveLength(10);
		expect(find({ ...headers, 'y-foo': `e76c,${DIGEST}` }).ids).toHaveLength(10);
	});

	it('are found beside a header of many parts, and beside the signature in a crowd of headers', () => {
		const parts = `By=spiffe://cluster.local/ns/x/sa/y;Hash=${digestOf(1)};Subject="CN=a,O=b,C=GB";URI=spiffe://cluster.local/ns/i`;
		const proxied = { 'x-forwarded-client-cert': parts, 'x-foo': DIGEST, 'x-foo-call': 'call-1' };
		expect(textsOf(find(proxied).ids.slice(0, 2))).toContain('call-1');
		const crowd = named(
			20,
			(n) => `x-${n}-id`,
			(n) => `id-${n}`,
		);
		const { ids } = find({ ...crowd, 'x-foo': `e76c,${DIGEST}` });
		expect(ids[0]).toEqual({ header: 'x-foo', text: 'e76c', place: 0 });
	});

	it('are told once for each header of a signature, and once for all others', () => {
		const { ids } = find({
			'x-call-id': 'e76c',
			'x-call': 'e76c',
			'x-foo': `id=e76c,nonce=e76c,${DIGEST}`,
			'x-bar': `id=e76c,${digestOf(1)}`,
		});
		expect(ids).toEqual([
			{ header: 'x-foo', text: 'e76c', place: 0 },
			{ header: 'x-call-id', text: 'e76c' },
			{ header: 'x-bar', text: 'e76c', place: 0 },
		]);
	});

	it('come last from headers of the connection', () => {
		const { ids, signatures } = find({
			'x-forwarded-foo': `abc,${digestOf(1)}`,
			'x-foo': `e76c,${DIGEST}`,
		});
		expect(textsOf(ids)).toEqual(['e76c', 'abc']);
		expect(headersOf(signatures)).toEqual(['x-foo', 'x-forwarded-foo']);
	});

	it.each([
		['seconds', String(now - 7200)],
		['milliseconds', String(now * 1000)],
		['microseconds', `${now}123456`],
		['nanoseconds', `${now}123456789`],
		['a date and time', '2023-11-14T22:13:20Z'],
		['a date and time without a zone', '2023-11-14T22:13:20'],
		['a date and time without signs', '20231114T221320Z'],
		['a date and time of digits alone', '20231114221320'],
		['the same to the millisecond', '20231114221320123'],
		['a date', '2023-11-14'],
		['a date of digits alone', '20231114'],
		['a date early in a year', '20230105'],
		['a time behind a label', `sent=${now}`],
		['a time behind an id', `abc:${now}`],
	])('are no times: %s', (_form, text) => {
		expect(find({ 'x-call-id': text, 'x-foo': DIGEST }).ids).toEqual([]);
		expect(textsOf(find({ 'x-foo': `${text},${DIGEST}` }).ids)).not.toContain(text);
	});

	it.each([
		'20231314',
		'20001232',
		'19991231',
		'202311141234567',
		`${now}1234567`,
		`${now}1234567890`,
		'88001',
		`${now + TWENTY_YEARS}`,
	])('may be a number: %s', (text) => {
		expect(textsOf(find({ 'x-call-id': text, 'x-foo': DIGEST }).ids)).toEqual([text]);
	});

	it.each(['ref2023-11-14', 'ref20231114'])('may end like a date: %s', (text) => {
		expect(textsOf(find({ 'x-call-id': text, 'x-foo': DIGEST }).ids)).toEqual([text]);
	});

	it.each([1_000_000, 1_000_000_000])('may be a number that is no time of these days', (unit) => {
		const at = (time: number) =>
			find({ 'x-id': String(BigInt(time) * BigInt(unit)), 'x-foo': DIGEST }).ids;
		for (const sign of [1, -1]) {
			expect(at(now + sign * (86_400 - 1))).toEqual([]);
			expect(at(now + sign * 86_400)).toHaveLength(1);
		}
	});
});
