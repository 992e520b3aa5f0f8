// From a body to events, the name of a delivery, and the key of a repeat.
import { createHash } from 'node:crypto';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { readBody, SUBSCRIPTION } from '../../support/readBody';

type SignedId = Parameters<typeof readBody>[2];
const signedBy = (text: string): SignedId => ({ id: { text, header: 'x-id' } });

function read(body: unknown, headers?: DeliveryHeaders, signedId?: SignedId) {
	const bytes = Buffer.isBuffer(body)
		? body
		: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	return readBody(bytes, headers, signedId);
}

describe('the body', () => {
	it.each([
		['an object', '{"a":{"b":[1,null,"é"]}}', [{ a: { b: [1, null, 'é'] } }]],
		['a list', '[{"n":1},{"n":2},3]', [{ n: 1 }, { n: 2 }, 3]],
		['an empty list', '[]', []],
		['an object behind a byte order mark', '\uFEFF{"a":1}', [{ a: 1 }]],
	])('may be %s', (_case, body, payloads) => {
		expect(read(body)?.events.map(({ payload }) => payload)).toEqual(payloads);
	});

	it.each([
		['nothing', ''],
		['a text', '"text"'],
		['null', 'null'],
		['followed by more', '{"a":1}{"b":2}'],
		['an object behind a signed time', '1700000000.{"a":1}'],
		['in Latin-1', Buffer.from('{"name":"caf\xe9"}', 'latin1')],
		['in UTF-16', Buffer.from('{"a":1}', 'utf16le')],
		['cut off within a character', Buffer.from('{"a":"é"}').subarray(0, 7)],
	])('must not be %s', (_case, body) => {
		expect(read(body)).toBeUndefined();
	});

	it('keeps a key that is called __proto__ where it belongs', () => {
		const body = '{"__proto__":{"event":"psc.added","id":"evt_1"},"constructor":{"prototype":1}}';
		const [event] = read(body)?.events ?? [];
		expect(event).toMatchObject({ event: null, deliveryId: null });
		expect(JSON.stringify(event.payload)).toBe(body);
	});
});

describe('the event', () => {
	const NAMED = { 'x-acme-event': 'header' };

	it.each<[string, object, DeliveryHeaders?]>([
		['psc.added', { event: 'psc.added', type: 'filing.new' }, NAMED],
		['filing.new', { event: { a: 1 }, type: '', event_type: 'filing.new' }, NAMED],
		// A name that is known comes first.
		['company.renamed', { event: 'change', type: 'company.renamed' }],
		['event', { type: 'event' }, NAMED],
		['filing.new', { type: 'event' }, { 'x-acme-event': 'filing.new' }],
	])('is %s in %j', (name, body, headers = {}) => {
		expect(read(body, headers)?.events[0].event).toBe(name);
	});

	it.each(['acme-event', 'event'])('is read from the header %s where the body has none', (name) => {
		const list = read([1, { event: 'psc.added' }], { [name]: 'filing.new' });
		expect(list?.events.map(({ event }) => event)).toEqual(['filing.new', 'psc.added']);
	});

	it.each([{ 'x-event-id': 'a' }, { 'x-acme-event': '' }])('is null with %j', (headers) => {
		expect(read({ a: 1 }, headers)?.events[0].event).toBeNull();
	});
});

describe('the name of a delivery', () => {
	const body = { delivery_id: 'b1', event_id: 'b2', id: 'b3' };
	const header = (value: string) => ({ 'x-acme-delivery': value });
	const nameOf = (content: unknown, headers?: DeliveryHeaders, signedId?: SignedId) =>
		read(content, headers, signedId)?.events[0].deliveryId;

	it.each<[string, unknown, DeliveryHeaders, SignedId | undefined, string | null]>([
		['the signed id', body, header('h1'), signedBy('s1'), 's1'],
		['the id in a header', body, header('h1'), undefined, 'h1'],
		['an id in the body', body, {}, undefined, 'b1'],
		['a number in the body', { event_id: 17, id: 'b3' }, {}, undefined, '17'],
		['an id of 256 characters', { id: 'x'.repeat(256) }, {}, undefined, 'x'.repeat(256)],
		['null without an id', { n: 1 }, {}, undefined, null],
		['null with an id of 257 characters', { id: 'x'.repeat(257) }, {}, undefined, null],
	])('is %s with a digest of the body, like the key of a repeat', (...row) => {
		const [, content, headers, signedId, name] = row;
		const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
		expect(nameOf(content, headers, signedId)).toBe(name && `${name}:${digest.slice(0, 11)}`);
		const key = name === null ? undefined : `${name} ${digest}`;
		expect(read(content, headers, signedId)?.key).toBe(key);
	});

	const idHeaders = ['delivery', 'x-delivery-id', 'x-shopify-event-id'];
	it.each(idHeaders)('is read from the header %s, but not from one of attempts', (name) => {
		expect(nameOf({ a: 1 }, { [name]: ['h1', 'h2'] })).toMatch(/^h1:/);
		expect(nameOf({ a: 1 }, { [`${name}-attempt`]: '2' })).toBeNull();
	});

	it.each([
		['empty', ''],
		['no text', { a: 1 }],
		['the id of the webhook', SUBSCRIPTION.id],
		['the company’s number without zeros', 445790],
	])('is not %s', (_case, value) => {
		const text = typeof value === 'object' ? '' : String(value);
		expect(nameOf({ id: value }, { 'x-delivery-id': text }, signedBy(text))).toBeNull();
	});

	it('differs for each event of a list', () => {
		const events = read([{ id: 'e' }, { id: 'e' }], {}, signedBy('s1'))?.events ?? [];
		const names = events.map(({ deliveryId }) => deliveryId?.replace(/:.*:/, ':'));
		expect(names).toEqual(['s1:0', 's1:1']);
		// The ids in a list are those of its events.
		const unnamed = read([{ id: 'e' }]);
		expect([unnamed?.key, unnamed?.events[0].deliveryId]).toEqual([undefined, null]);
	});
});
