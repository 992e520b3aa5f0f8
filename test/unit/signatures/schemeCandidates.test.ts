// What in the headers of a refused delivery could be a signature, a time or an id, and how the scheme
// that proved it is described.
import { createHmac } from 'node:crypto';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import {
	describeScheme,
	findCandidates,
	type Candidate,
} from '../../../nodes/CompanyRegistry/trigger/signatures/schemeCandidates';

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

	it('come by how much their header is named like that of the signature, and are four at most', () => {
		const { times } = find({
			'b-at': '1700000001',
			'x-bar-at': '1700000002',
			'x-foo-at': '1700000003',
			'x-f': '1700000004',
			'x-foo-seal-at': '1700000005',
			'x-foo-seal': DIGEST,
		});
		expect(headersOf(times)).toEqual(['x-foo-seal-at', 'x-foo-at', 'x-f', 'x-bar-at']);
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
	it('are plain texts beside the signature, then in headers of their own', () => {
		const { ids } = find({
			'x-foo': `id=e76c,"quoted",k:5,s=${DIGEST}`,
			'x-bar': 'abc',
			'x-words': 'two words',
			'x-none': '',
			'x-other-digest': digestOf('other'),
		});
		expect(ids).toEqual([
			{ header: 'x-foo', text: 'id=e76c', place: 0 },
			{ header: 'x-foo', text: 'e76c', place: 0 },
			{ header: 'x-foo', text: 'k:5', place: 2 },
			{ header: 'x-foo', text: '5', place: 2 },
			{ header: 'x-foo', text: 's', place: 3 },
			{ header: 'x-bar', text: 'abc' },
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
		const others = { 'x-foo-bar': 'abc', 'idle-grid': 'abc', 'x-keys': 'abc', 'x-id-a': 'abc' };
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
});

describe('the description of a scheme', () => {
	const KEY = { text: 'secret', encoding: 'utf8' } as const;

	/** With the time and the id whose texts these are. */
	function describeIn(headers: DeliveryHeaders, { time, id }: { time?: string; id?: string } = {}) {
		const { signatures, times, ids } = find(headers);
		const withText = (list: Candidate[], text?: string) => list.find((one) => one.text === text);
		return describeScheme(headers, signatures[0], KEY, '{body}', {
			time: withText(times, time),
			id: withText(ids, id),
		});
	}

	const plain = {
		header: 'X-Foo',
		prefix: '',
		algorithm: 'sha256',
		encoding: 'hex',
		content: '{body}',
		timestampHeader: '',
		idHeader: '',
		secretEncoding: 'utf8',
	};
	const time = String(now);
	const id = 'e76c';

	it('is a prefix where the header holds nothing else that counts', () => {
		expect(describeIn({ 'x-foo': DIGEST })).toEqual(plain);
		expect(describeIn({ 'x-foo': `a=1,v3=${DIGEST}` })).toEqual({ ...plain, prefix: 'v3=' });
	});

	it('names headers of their own', () => {
		const headers = { 'x-foo': DIGEST, 'x-sent-at': time, 'x-call-id': id };
		expect(describeIn(headers, { time, id })).toEqual({
			...plain,
			timestampHeader: 'X-Sent-At',
			idHeader: 'X-Call-Id',
		});
	});

	it.each([
		['a time', `t=${time},s=${DIGEST}`, 't={timestamp},s={signature}'],
		['both, of three', `t=${time},a=1,i=${id},s=${DIGEST}`, 't={timestamp},i={id},s={signature}'],
		['a digest that comes first', `s=${DIGEST};t=${time}`, 's={signature},t={timestamp}'],
		['parts without a label, by their place', `${time} x ${DIGEST}`, '{timestamp},-,{signature}'],
		[
			'parts of which one has a label, by their place',
			`t=${time},x,${DIGEST}`,
			't={timestamp},-,{signature}',
		],
		['two in one part', `${time}:${DIGEST}`, '{timestamp}:{signature}'],
		['a quoted digest', `sig="${DIGEST}"`, 'sig="{signature}"'],
	])('has a format for %s', (_case, value, headerFormat) => {
		expect(describeIn({ 'x-foo': value }, { time, id })).toEqual({ ...plain, headerFormat });
	});
});
