// From a body to events: which event it is, its id, and what makes it a repeat.
import { createHash } from 'node:crypto';

import { TrackRecord } from '../../../nodes/CompanyRegistry/trigger/deliveries/trackRecord';
import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { readBody, WEBHOOK } from '../../support/readBody';

type SignedId = Parameters<typeof readBody>[2];
/** An id of a format that names its deliveries with it. */
const named = (signedId: string): SignedId => ({ ...custom(signedId), idNamesDelivery: true });
/** What a custom scheme calls the id. */
const custom = (text: string): SignedId => ({ id: { text, header: 'x-id' } });

function read(body: unknown, headers?: DeliveryHeaders, signedId?: SignedId) {
	const bytes = Buffer.isBuffer(body)
		? body
		: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	return readBody(bytes, headers, signedId);
}

function digest(body: string) {
	return createHash('sha256').update(body).digest('base64url');
}

function nested(levels: number) {
	return `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`;
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
		['a number', '1'],
		['a text', '"text"'],
		['null', 'null'],
		['cut off', '{"a":1'],
		['followed by more', '{"a":1}{"b":2}'],
		['a form', 'event=filing.new'],
		['in Latin-1', Buffer.from('{"name":"caf\xe9"}', 'latin1')],
		['in UTF-16', Buffer.from('{"a":1}', 'utf16le')],
		['cut off within a character', Buffer.from('{"a":"é"}').subarray(0, 7)],
	])('must not be %s', (_case, body) => {
		expect(read(body)).toBeUndefined();
	});

	it('keeps a key that is called __proto__ where it belongs', () => {
		const body =
			'{"__proto__":{"event":"psc.added","id":"evt_1","polluted":true},"constructor":{"prototype":1}}';
		const delivery = read(body);
		expect(delivery?.events).toEqual([
			{ event: null, deliveryId: null, payload: JSON.parse(body) },
		]);
		expect(JSON.stringify(delivery?.events[0].payload)).toBe(body);
		expect({}).not.toHaveProperty('polluted');
	});

	it('may have 1000 levels and no more', () => {
		expect(read(nested(1000))?.events).toHaveLength(1);
		expect(read(`[${nested(1000)}]`)).toBeUndefined();
		expect(read(nested(200_000))).toBeUndefined();
	});

	it.each([['{'.repeat(2000)], [`"${'['.repeat(2000)}`], [`\\"${'['.repeat(2000)}\\`]])(
		'may have any brackets within a text: %#',
		(text) => expect(read({ text, [text]: [] })?.events).toHaveLength(1),
	);

	it('may have 10,000 events; a longer list is one', () => {
		const list = Array.from({ length: 10_000 }, (_, n) => ({ event: 'filing.new', n }));
		expect(read(list)?.events).toHaveLength(10_000);
		const longer = [...list, { event: 'psc.added' }];
		expect(read(longer, { 'x-delivery-id': 'h1' })?.events).toEqual([
			{ event: null, deliveryId: 'h1', payload: longer },
		]);
	});
});

describe('the event', () => {
	it.each([
		['event', { event: 'filing.new', type: 'other', event_type: 'other' }],
		['type', { type: 'filing.new', event_type: 'other' }],
		['event_type', { event_type: 'filing.new' }],
		['the next one when one is no name', { event: { a: 1 }, type: '', event_type: 'filing.new' }],
	])('is read from %s', (_case, body) => {
		expect(read(body, { 'x-acme-event': 'header' })?.events[0].event).toBe('filing.new');
	});

	it.each<[string, object, DeliveryHeaders?]>([
		['filing.new', { type: 'event', event_type: 'filing.new' }],
		['company.renamed', { event: 'change', type: 'company.renamed' }],
		['psc.added', { event: 'psc.added', type: 'filing.new' }],
		['change', { event: 'change', type: 'other' }],
		['event', { type: 'event' }, { 'x-acme-event': 'header' }],
		['filing.new', { type: 'event' }, { 'x-acme-event': 'filing.new' }],
	])('is %s in %j: a name that is known comes first', (name, body, headers = {}) => {
		expect(read(body, headers)?.events[0].event).toBe(name);
	});

	it.each(['x-acme-event', 'acme-event', 'event'])(
		'is read from the header %s where the body has none',
		(name) => {
			expect(read({ a: 1 }, { [name]: 'filing.new' })?.events[0].event).toBe('filing.new');
			const list = read([1, { event: 'psc.added' }], { [name]: 'filing.new' });
			expect(list?.events.map(({ event }) => event)).toEqual(['filing.new', 'psc.added']);
		},
	);

	it.each([{ 'x-event-id': 'a' }, { 'x-acme-event': '' }, { 'x-eventful': 'a' }])(
		'is null with %j',
		(headers) => expect(read({ a: 1 }, headers)?.events[0].event).toBeNull(),
	);
});

describe('the delivery id', () => {
	const body = { delivery_id: 'b1', event_id: 'b2', id: 'b3' };
	const id = (content: unknown, headers?: DeliveryHeaders, signedId?: SignedId) =>
		read(content, headers, signedId)?.events[0].deliveryId;

	it('is the signed one, else the header, else the body with a digest, else none', () => {
		expect(id(body, { 'x-acme-delivery': 'h1' }, named('s1'))).toBe('s1');
		expect(id(body, { 'x-acme-delivery': 'h1' })).toBe('h1');
		expect(id(body)).toBe(withDigest('b1', body));
		for (const other of [{ event_id: '17', id: 'b3' }, { id: '17' }, { id: 17 }]) {
			expect(id(other)).toBe(withDigest('17', other));
		}
		expect(id('{"a":1}')).toBeNull();
	});

	it('is none that is longer than a name', () => {
		const [longest, longer] = [256, 257].map((length) => 'x'.repeat(length));
		expect(id({ a: 1 }, { 'x-delivery-id': longest })).toBe(longest);
		expect(id({ a: 1 }, { 'x-delivery-id': longer })).toBeNull();
		expect(id({ id: longer })).toBeNull();
	});

	it('tells two deliveries apart where a custom scheme signs an id that is always the same', () => {
		expect(id(body, {}, custom('account-1'))).toBe(withDigest('account-1', body));
		expect(id(body, { 'x-acme-delivery': 'h1' }, custom('account-1'))).toBe('h1');
	});

	it.each([
		...['x-acme-delivery', 'linear-delivery', 'delivery', 'x-delivery-id', 'x-shopify-event-id'],
	])('is read from the header %s, if that has one', (name) => {
		expect(id({ a: 1 }, { [name]: 'h1' })).toBe('h1');
		expect(id({ a: 1 }, { 'x-delivery': '', [name]: ['h1', 'h2'] })).toBe('h1');
	});

	it.each([
		['empty', ''],
		['no text', { a: 1 }],
		['the id of the webhook', WEBHOOK.id],
		['the company’s number', '00445790'],
		['the company’s number without zeros', 445790],
	])('is none that is %s', (_case, value) => {
		const text = String(value);
		expect(id({ id: value }, { 'x-delivery-id': text }, named(text))).toBe(
			typeof value === 'object' ? text : null,
		);
		expect(id({ id: value })).toBeNull();
	});

	it('tells the events of one list apart', () => {
		const events = read([{ id: 'e' }, { id: 'e' }], {}, named('s1'))?.events;
		expect(events?.map(({ deliveryId }) => deliveryId)).toEqual(['s1:0', 's1:1']);
		const twice = [{ id: 'e' }, { id: 'e' }];
		expect(read(twice)?.events.map(({ deliveryId }) => deliveryId)).toEqual([null, null]);
	});
});

describe('the key of a repeat', () => {
	const DAY = 24 * 60 * 60_000;
	const QUARTER_OF_AN_HOUR = 15 * 60_000;
	const key = (...delivery: Parameters<typeof read>) => {
		const { key: text, keptFor } = read(...delivery) ?? {};
		return { text, keptFor };
	};
	const header = (value: string) => ({ 'x-delivery-id': value });

	it('is the id by which a format names each delivery, together with the body: it may be the one of something else', () => {
		const one = key({ n: 1 }, header('h1'), named('s1'));
		expect(one.keptFor).toBe(DAY);
		expect(one).toEqual(key({ n: 1 }, header('h2'), named('s1')));
		expect(one.text).not.toBe(key({ n: 2 }, header('h1'), named('s1')).text);
		expect(one.text).not.toBe(key({ n: 1 }, header('h1'), named('s2')).text);
	});

	it('is an id that is not signed together with the body: neither alone makes a repeat', () => {
		const one = key({ n: 1 }, header('h1'));
		expect(one.keptFor).toBe(DAY);
		expect(one).toEqual(key({ n: 1 }, header('h1')));
		expect(one.text).not.toBe(key({ n: 2 }, header('h1')).text);
		expect(one.text).not.toBe(key({ n: 1 }, header('h2')).text);
	});

	it('is the id of a custom scheme together with the body, because that may always be the same', () => {
		const one = key({ n: 1 }, header('h1'), custom('s1'));
		expect(one.keptFor).toBe(QUARTER_OF_AN_HOUR);
		// Whoever has recorded a delivery can put another header on it, but not another signed id.
		expect(one).toEqual(key({ n: 1 }, header('h2'), custom('s1')));
		expect(one.text).not.toBe(key({ n: 2 }, header('h1'), custom('s1')).text);
		expect(one.text).not.toBe(key({ n: 1 }, header('h1'), custom('s2')).text);
	});

	it('is an id within the body together with that: it may be the one of a filing', () => {
		const one = key({ id: 'filing', event: 'a' });
		expect(one).toEqual({ text: expect.any(String), keptFor: QUARTER_OF_AN_HOUR });
		expect(one).toEqual(key({ id: 'filing', event: 'a' }));
		expect(one.text).not.toBe(key({ id: 'filing', event: 'b' }).text);
	});

	it.each<[string, Parameters<typeof read>]>([
		['has no id', [{ event: 'officer.appointed', company_number: '00445790' }]],
		['has no other id than the company’s number', [{ id: '445790', event: 'a' }]],
		['has no other id than the webhook’s', [{ id: WEBHOOK.id }, header(WEBHOOK.id)]],
		['has no other id than its event’s', [{ id: 'filing.new' }, header('company.renamed')]],
		['signs the webhook’s id', [{ n: 1 }, {}, named(WEBHOOK.id)]],
		['is a list', [[{ id: 'e' }]]],
	])('is none where a delivery %s: nothing proves a repeat', (_what, delivery) => {
		expect(key(...delivery).text).toBeUndefined();
	});

	it('has the next id where one has come with another body, and none where all have', () => {
		const record = new TrackRecord();
		const next = () => {
			const bytes = Buffer.from('{"id":"b1"}');
			const delivery = readBody(bytes, header('h1'), named('s1'), record);
			return [delivery?.events[0].deliveryId, delivery?.key];
		};
		const of = digest('{"id":"b1"}');
		expect(next()).toEqual(['s1', `s1 ${of}`]);
		record.isNamedBy('s1', 'another');
		expect(next()).toEqual(['h1', `h1 ${of}`]);
		record.isNamedBy('h1', 'another');
		expect(next()).toEqual([withDigest('b1', { id: 'b1' }), `b1 ${of}`]);
		record.isNamedBy('b1', 'another');
		expect(next()).toEqual([null, undefined]);
	});
});

/** How an id that may name something else is put out. */
function withDigest(value: string, content: unknown) {
	return `${value}:${digest(JSON.stringify(content)).slice(0, 11)}`;
}
