// From a body to events: which event it is, its id, and what makes it a repeat.
import { createHash } from 'node:crypto';

import {
	readDelivery,
	type SignedId,
} from '../../../nodes/CompanyRegistry/trigger/deliveries/readDelivery';
import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';

const WEBHOOK = 'wh_1';

/** An id of a format that names its deliveries with it. */
const named = (value: string): SignedId => ({ value, namesDelivery: true });
/** What a custom scheme calls the id. */
const custom = (value: string): SignedId => ({ value, namesDelivery: false });

function read(body: unknown, headers: DeliveryHeaders = {}, signedId?: SignedId) {
	const bytes = Buffer.isBuffer(body)
		? body
		: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	return readDelivery(bytes, headers, signedId, WEBHOOK);
}

function digest(body: string) {
	return `sha256:${createHash('sha256').update(body).digest('hex')}`;
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

	it('may have 1000 levels and no more', () => {
		expect(read(nested(1000))?.events).toHaveLength(1);
		expect(read(`[${nested(1000)}]`)).toBeUndefined();
		expect(read(nested(200_000))).toBeUndefined();
	});

	it('keeps a key that is called __proto__ where it belongs', () => {
		const body =
			'{"__proto__":{"event":"psc.added","id":"evt_1","polluted":true},"constructor":{"prototype":1}}';
		const delivery = read(body);
		expect(delivery?.events).toEqual([
			{ event: null, deliveryId: digest(body), payload: JSON.parse(body) },
		]);
		expect(JSON.stringify(delivery?.events[0].payload)).toBe(body);
		expect({}).not.toHaveProperty('polluted');
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

	it.each(['x-acme-event', 'acme-event', 'event'])(
		'is read from the header %s where the body has none',
		(name) => {
			expect(read({ a: 1 }, { [name]: 'filing.new' })?.events[0].event).toBe('filing.new');
			expect(
				read([1, { event: 'psc.added' }], { [name]: 'filing.new' })?.events.map(
					({ event }) => event,
				),
			).toEqual(['filing.new', 'psc.added']);
		},
	);

	it.each([{ 'x-event-id': 'a' }, { 'x-acme-event': '' }, { 'x-eventful': 'a' }])(
		'is null with %j',
		(headers) => {
			expect(read({ a: 1 }, headers)?.events[0].event).toBeNull();
		},
	);
});

describe('the delivery id', () => {
	const body = { delivery_id: 'b1', event_id: 'b2', id: 'b3' };
	const id = (content: unknown, headers?: DeliveryHeaders, signedId?: SignedId) =>
		read(content, headers, signedId)?.events[0].deliveryId;

	/** How an id that may name something else is put out. */
	const withDigest = (value: string, content: unknown) =>
		`${value}:${digest(JSON.stringify(content)).slice('sha256:'.length, 'sha256:'.length + 16)}`;

	it('is the signed one, else the header, else the body with a digest, else a digest', () => {
		expect(id(body, { 'x-acme-delivery': 'h1' }, named('s1'))).toBe('s1');
		expect(id(body, { 'x-acme-delivery': 'h1' })).toBe('h1');
		expect(id(body)).toBe(withDigest('b1', body));
		for (const other of [{ event_id: 'b2', id: 'b3' }, { id: 'b2' }]) {
			expect(id(other)).toBe(withDigest('b2', other));
		}
		expect(id('{"a":1}')).toBe(digest('{"a":1}'));
	});

	it('tells two events of one company apart where its number is their id', () => {
		const event = { id: '00445790', event: 'officer.appointed', officer: 'A' };
		expect(id(event)).toMatch(/^00445790:[0-9a-f]{16}$/);
		expect(id({ ...event })).toBe(id(event));
		expect(id({ ...event, officer: 'B' })).not.toBe(id(event));
	});

	it('tells two deliveries apart where a custom scheme signs an id that is always the same', () => {
		expect(id(body, {}, custom('account-1'))).toBe(withDigest('account-1', body));
		expect(id({ n: 1 }, {}, custom('account-1'))).not.toBe(id({ n: 2 }, {}, custom('account-1')));
		expect(id(body, { 'x-acme-delivery': 'h1' }, custom('account-1'))).toBe('h1');
	});

	it.each([
		'x-acme-delivery',
		'linear-delivery',
		'delivery',
		'x-delivery-id',
		'x-shopify-event-id',
	])('is read from the header %s', (name) => {
		expect(id({ a: 1 }, { [name]: 'h1' })).toBe('h1');
	});

	it('is read from the first header that has one', () => {
		expect(id({ a: 1 }, { 'x-delivery': '', 'x-delivery-id': ['h1', 'h2'] })).toBe('h1');
	});

	it.each([
		['a number', { id: 1 }],
		['empty', { id: '' }],
		['the id of the webhook', { id: WEBHOOK }],
	])('is not taken from a body where it is %s', (_case, content) => {
		expect(id(content, { 'x-delivery-id': WEBHOOK }, named(WEBHOOK))).toBe(
			digest(JSON.stringify(content)),
		);
	});

	it('tells the events of one list apart', () => {
		const events = read([{ id: 'e' }, { id: 'e' }], {}, named('s1'))?.events;
		expect(events?.map(({ deliveryId }) => deliveryId)).toEqual(['s1:0', 's1:1']);
		expect(id('[{}]')).toBe(`${digest('[{}]')}:0`);
		const twice = [{ id: 'e' }, { id: 'e' }];
		expect(read(twice)?.events[1].deliveryId).toMatch(/^sha256:[0-9a-f]{64}:1$/);
	});
});

describe('the key of a repeat', () => {
	const key = (...delivery: Parameters<typeof read>) => read(...delivery)?.repeatKey;
	const header = (value: string) => ({ 'x-delivery-id': value });

	it('is the id by which a format names each delivery, whatever the body', () => {
		const named1 = key({ try: 1 }, header('h1'), named('s1'));
		expect(named1?.knownBy).toBe('id');
		expect(named1).toEqual(key({ try: 2 }, header('h2'), named('s1')));
		expect(named1?.text).not.toBe(key({ try: 1 }, header('h1'), named('s2'))?.text);
	});

	it('is the body and an id that is not signed: neither alone makes a repeat', () => {
		const one = key({ n: 1 }, header('h1'));
		expect(one?.knownBy).toBe('id');
		expect(one).toEqual(key({ n: 1 }, header('h1')));
		expect(one?.text).not.toBe(key({ n: 2 }, header('h1'))?.text);
		expect(one?.text).not.toBe(key({ n: 1 }, header('h2'))?.text);
	});

	it('is the body and the id of a custom scheme, which may always be the same', () => {
		const one = key({ n: 1 }, header('h1'), custom('s1'));
		expect(one?.knownBy).toBe('content');
		// Whoever has recorded a delivery can put another header on it, but not another signed id.
		expect(one).toEqual(key({ n: 1 }, header('h2'), custom('s1')));
		expect(one?.text).not.toBe(key({ n: 2 }, header('h1'), custom('s1'))?.text);
		expect(one?.text).not.toBe(key({ n: 1 }, header('h1'), custom('s2'))?.text);
	});

	it('is the body where no id is sent: an id within it may name a filing', () => {
		const one = key({ id: 'filing', event: 'a' });
		expect(one?.knownBy).toBe('content');
		expect(one).toEqual(key({ id: 'filing', event: 'a' }));
		expect(one?.text).not.toBe(key({ id: 'filing', event: 'b' })?.text);
		const always = named(WEBHOOK);
		expect(key({ n: 1 }, {}, always)?.text).not.toBe(key({ n: 2 }, {}, always)?.text);
	});
});
