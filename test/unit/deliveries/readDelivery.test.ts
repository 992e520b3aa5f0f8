import { createHash } from 'node:crypto';

import { readDelivery } from '../../../nodes/CompanyRegistry/trigger/deliveries/readDelivery';
import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';

const WEBHOOK = 'wh_1';

function read(body: unknown, headers: DeliveryHeaders = {}, signedId?: string) {
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
	const id = (content: unknown, headers?: DeliveryHeaders, signedId?: string) =>
		read(content, headers, signedId)?.events[0].deliveryId;

	it('is the signed one, else the header, else the body, else a digest', () => {
		expect(id(body, { 'x-acme-delivery': 'h1' }, 's1')).toBe('s1');
		expect(id(body, { 'x-acme-delivery': 'h1' })).toBe('h1');
		expect(id(body)).toBe('b1');
		expect(id({ event_id: 'b2', id: 'b3' })).toBe('b2');
		expect(id({ id: 'b3' })).toBe('b3');
		expect(id('{"a":1}')).toBe(digest('{"a":1}'));
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
		expect(id(content, { 'x-delivery-id': WEBHOOK }, WEBHOOK)).toBe(
			digest(JSON.stringify(content)),
		);
	});

	it('tells the events of one list apart', () => {
		const events = read([{ id: 'e' }, { id: 'e' }], {}, 's1')?.events;
		expect(events?.map(({ deliveryId }) => deliveryId)).toEqual(['s1:0', 's1:1']);
		expect(id('[{}]')).toBe(`${digest('[{}]')}:0`);
	});
});

describe('the key of a repeat', () => {
	const key = (...delivery: Parameters<typeof read>) => read(...delivery)?.repeatKey;
	const header = (value: string) => ({ 'x-delivery-id': value });

	it('is the signed id, whatever the body', () => {
		expect(key({ try: 1 }, header('h1'), 's1')).toBe(key({ try: 2 }, header('h2'), 's1'));
		expect(key({ try: 1 }, {}, 's1')).not.toBe(key({ try: 1 }, {}, 's2'));
	});

	it('is the body and an id that is not signed: neither alone makes a repeat', () => {
		expect(key({ n: 1 }, header('h1'))).toBe(key({ n: 1 }, header('h1')));
		expect(key({ n: 1 }, header('h1'))).not.toBe(key({ n: 2 }, header('h1')));
		expect(key({ n: 1 }, header('h1'))).not.toBe(key({ n: 1 }, header('h2')));
	});

	it('is the body where no id is sent: an id within it may name a filing', () => {
		expect(key({ id: 'filing', event: 'a' })).not.toBe(key({ id: 'filing', event: 'b' }));
		expect(key({ id: 'filing' })).toBe(key({ id: 'filing' }));
		expect(key({ n: 1 }, {}, WEBHOOK)).not.toBe(key({ n: 2 }, {}, WEBHOOK));
	});
});
