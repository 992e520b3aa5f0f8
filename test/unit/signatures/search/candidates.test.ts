// What in the headers of a refused delivery could be a signature, a time or an id.
import { createHmac } from 'node:crypto';

import type { DeliveryHeaders } from '../../../../nodes/CompanyRegistry/trigger/signatures/headers';
import {
	findCandidates,
	type Candidate,
} from '../../../../nodes/CompanyRegistry/trigger/signatures/search/candidates';

const now = 1_700_000_000;
const TWENTY_YEARS = 20 * 365 * 86_400;
const digestOf = (text: string | number) =>
	createHmac('sha256', 'x').update(`${text}`).digest('hex');
const DIGEST = digestOf('');

/** For the first header with a signature. */
function find(headers: DeliveryHeaders) {
	const [first] = findCandidates(headers, now);
	return first ?? { signatures: [], times: [], ids: [] };
}
const textsOf = (candidates: Candidate[]) => candidates.map(({ text }) => text);
const headersOf = (candidates: Candidate[]) => candidates.map(({ header }) => header);
const named = (count: number, name: (n: number) => string, value: (n: number) => string) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), value(n)]));

describe('signatures', () => {
	it('are digests in any header, behind a label or alone', () => {
		const found = findCandidates(
			{ authorization: `Seal ${DIGEST}`, 'x-foo': `a=1, v3="${DIGEST}",${DIGEST}` },
			now,
		);
		expect(found.map(({ signatures }) => signatures)).toMatchObject([
			[
				{ header: 'x-foo', text: DIGEST, part: { place: 1, before: 'v3="', after: '"' } },
				{ header: 'x-foo', text: DIGEST, part: { place: 2, before: '', after: '' } },
			],
			// What belongs to the connection comes last.
			[{ header: 'authorization', text: DIGEST, part: { place: 1, before: '', after: '' } }],
		]);
	});

	it('are not looked for in cookies, nor behind the first sixty headers', () => {
		expect(find({ cookie: DIGEST, 'x-foo': '1' }).signatures).toEqual([]);
		const others = (count: number) => named(count, (n) => `x-${n}`, String);
		expect(find({ ...others(59), 'x-foo': DIGEST }).signatures).toHaveLength(1);
		expect(find({ ...others(60), 'x-foo': DIGEST }).signatures).toHaveLength(0);
	});

	it.each([
		'v1',
		'SHA256',
		'hmac-sha256',
		'HMAC_SHA256',
		'mac',
		'd',
		'signature_v1',
		'hex',
		'sha1hash',
	])('stand behind %s', (label) => {
		const { signatures } = find({ 'x-foo': `${label}:${DIGEST}` });
		expect(signatures).toMatchObject([{ part: { before: `${label}:` } }]);
	});

	it.each(['9f8e7dab', 'AKIAKEYID', 'hmac-9f8e', 'sha2567', 'abc/d+e==', 't=t', '{id}'])(
		'do not stand behind what may be a value: %s',
		(label) => {
			expect(find({ 'x-foo': `${label}:${DIGEST}` }).signatures).toEqual([]);
		},
	);
});

describe('times', () => {
	it('stand beside the signature, or in a header of their own, each told once', () => {
		const { times } = find({
			'b-at': String(now - 1),
			'x-at': String(now),
			'x-foo': `${now},t=${now + 1},ts="${now + 2}",s=${DIGEST}`,
		});
		expect(times).toEqual([
			{ header: 'x-foo', text: String(now), part: { place: 0, before: '', after: '' } },
			{ header: 'x-foo', text: String(now + 1), part: { place: 1, before: 't=', after: '' } },
			{ header: 'x-foo', text: String(now + 2), part: { place: 2, before: 'ts="', after: '"' } },
			{ header: 'b-at', text: String(now - 1) },
		]);
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
	it('are plain texts beside the signature without their labels, and in headers of their own', () => {
		const { ids } = find({
			'x-foo': `id=e76c,"quoted",evt:5,id="a:b|c",e76c,s=${DIGEST}`,
			'x-bar': 'abc',
			'x-words': 'two words',
			'x-none': '',
			'x-other-digest': digestOf('other'),
		});
		expect(textsOf(ids)).toEqual(['e76c', 'quoted', 'evt:5', 'a:b|c', 'abc']);
		expect(ids[0]).toEqual({
			header: 'x-foo',
			text: 'e76c',
			part: { place: 0, before: 'id=', after: '' },
		});
		expect(ids[4]).toEqual({ header: 'x-bar', text: 'abc' });
	});

	it.each([
		...['accept', 'accept-encoding', 'authorization', 'connection', 'content-type', 'cookie'],
		...['cache-control', 'date', 'forwarded', 'host', 'proxy-foo', 'sec-fetch-mode', 'te', 'via'],
		...['transfer-encoding', 'upgrade', 'user-agent', 'x-forwarded-host', 'x-real-ip'],
	])('are not in %s', (header) => {
		expect(find({ [header]: 'abc', 'x-foo': DIGEST }).ids).toEqual([]);
	});

	it.each(['x-accept', 'dates', 'date-id', 'tenant', 'x-host', 'my-content'])(
		'may be in %s',
		(header) => {
			expect(find({ [header]: 'abc', 'x-foo': DIGEST }).ids).toEqual([{ header, text: 'abc' }]);
		},
	);

	it('come by the name of their header, and are six at most', () => {
		const headers = { 'b-id': '1', 'x-foo-id': '2', 'x-foo-a': '4', 'x-a': '5', 'x-foo': DIGEST };
		expect(headersOf(find(headers).ids)).toEqual(['x-foo-id', 'b-id', 'x-foo-a', 'x-a']);
		for (const name of ['id', 'x-uuid', 'nonce', 'my_delivery', 'x-event', 'message', 'key']) {
			expect(find({ 'x-foo-bar': 'a', [name]: 'b', 'x-foo': DIGEST }).ids[0].header).toBe(name);
		}
		expect(
			find({
				...headers,
				...named(
					10,
					(n) => `c-${n}`,
					(n) => `c${n}`,
				),
			}).ids,
		).toHaveLength(6);
	});

	it.each([
		...[String(now - 7200), String(now * 1000), `${now}123456`, `${now}123456789`],
		...['2023-11-14T22:13:20Z', '2023-11-14T22:13:20', '20231114T221320Z', '20231114221320'],
		...['20231114221320123', '2023-11-14', '20231114', '20230105', `sent=${now}`, `abc:${now}`],
		'abc:2023-11-14T22:13:20Z',
	])('are no times: %s', (text) => {
		expect(find({ 'x-call-id': text, 'x-foo': DIGEST }).ids).toEqual([]);
		expect(textsOf(find({ 'x-foo': `${text},${DIGEST}` }).ids)).not.toContain(text);
	});

	it.each([
		...['20231314', '20001232', '19991231', '202311141234567', `${now}1234567`, '88001'],
		...[`${now}1234567890`, `${now + TWENTY_YEARS}`, 'ref2023-11-14', 'ref20231114'],
		...[`${now + 86_400}123456`, `${now - 86_400}123456789`],
	])('may look a little like a time: %s', (text) => {
		expect(textsOf(find({ 'x-call-id': text, 'x-foo': DIGEST }).ids)).toEqual([text]);
	});
});
