// Whether a signed content could be cut into its parts in another way, and what is a time or an id.
import {
	isDate,
	isPlainId,
	isReadOneWay,
	parseContent,
} from '../../../nodes/CompanyRegistry/trigger/signatures/signedContent';

const TIME = '1700000000';
const DATE = '2023-11-14T22:13:20Z';
const UUID = '0b9a4f6e-2c1d-4d57-8f0a-7f3b1c9e5d42';

describe('a signed content is read one way', () => {
	const isClear = (content: string, body: string, values: { time?: string; id?: string } = {}) =>
		isReadOneWay(
			parseContent(content),
			{ '{timestamp}': values.time ?? TIME, '{id}': values.id ?? 'msg_1' },
			Buffer.from(body),
		);

	it.each<[string, string, boolean]>([
		['{body}', '{"a":1}', true],
		['{body}', '[{"a":1}]', true],
		['{body}', '[{"a":1}, 1]', true],
		['{body}', '[[1]]', true],
		['{body}', '["a"]', true],
		['{body}', '[]', true],
		['{body}', '[1700000000,{"a":1}]', false],
		['{body}', ' [ "1700000000", {"a":1}]', false],
		['{body}', '\uFEFF{"a":1}', true],
		['{body}', '\uFEFF[{"a":1}]', true],
		['{body}', '\uFEFF1700000000.{"a":1}', false],
		['{body}', ' \uFEFF{"a":1}', false],
		['{body}', '\uFEFF', true],
		['{timestamp}{body}', '\uFEFF{"a":1}', true],
		['{timestamp}{body}', '\uFEFF5{"a":1}', false],
		['{id}.{body}', '\uFEFF{"a":1}', true],
		['{body}{timestamp}', '\uFEFF{"a":1}', true],
		['{body}', ' \n{"a":1}', true],
		['{body}', 'Hello', true],
		['{body}', '', true],
		['{body}', '1700000000.{"a":1}', false],
		['{body}', ' text [1]', false],
		['{timestamp}.{body}', '{"a":1}', true],
		['{timestamp}.{body}', 'Hello', true],
		['{timestamp}.{body}', 'a5{"a":1}', true],
		['{timestamp}.{body}', '5{"a":1}', false],
		['{timestamp}.{body}', '5 and more [1]', false],
		['{timestamp}.{body}', '55', true],
		['{timestamp}:{body}', '5{"a":1}', true],
		['{timestamp}:{body}', 'Hello', true],
		['{timestamp}a5{body}', 'Hello', true],
		['{timestamp}5a{body}', 'Hello', true],
		['{timestamp}{body}', '{"a":1}', true],
		['{timestamp}{body}', '[1]', true],
		['{timestamp}{body}', '  {"a":1}', true],
		['{timestamp}{body}', 'Hello', false],
		['{timestamp}{body}', '5{"a":1}', false],
		['{timestamp}0.{body}', 'Hello', false],
		['{timestamp}..{body}', 'Hello', false],
		['{id}.{body}', '{"a":1}', true],
		['{id}.{body}', 'Hello', false],
		['{body}{timestamp}', '{"a":1}', true],
		['{body}{timestamp}', '[1] ', true],
		['{body}{timestamp}', 'Hello', false],
		['{body}.{id}', '{"a":1}', true],
		['{body}.{id}', 'Hello', false],
		['{id}.{timestamp}.{body}', '{"a":1}', true],
		['{id}{timestamp}{body}', '{"a":1}', false],
		['{timestamp}5{id}.{body}', '{"a":1}', false],
		['{timestamp}-{id}.{body}', '{"a":1}', true],
	])('%s with the body %s: %s', (content, body, expected) => {
		expect(isClear(content, body)).toBe(expected);
	});

	it.each<[string, { time?: string; id?: string }, boolean]>([
		['a date', { time: DATE }, true],
		['an HTTP date', { time: 'Tue, 14 Nov 2023 22:13:20 GMT' }, true],
		['an id that is a UUID', { id: UUID }, true],
		['an id that ends with a UUID', { id: `x${UUID}` }, false],
		['an id that begins with a UUID', { id: `${UUID}x` }, false],
		['neither', {}, false],
		['a time with a fraction', { time: '1700000000.5', id: UUID }, false],
		['a date with a fraction', { time: '2023-11-14T22:13:20.5Z' }, true],
	])('an id beside a time needs %s between them', (_what, values, expected) => {
		expect(isClear('{id}{timestamp}.{body}', '{}', values)).toBe(expected);
	});
});

it.each([
	[DATE, true],
	['2023-11-14T23:43:20.123456789+01:30', true],
	['Tue, 14 Nov 2023 22:13:20 GMT', true],
	['on Tue, 14 Nov 2023 22:13:20 GMT', false],
	['Tue, 14 Nov 2023 22:13:20 GMT+1', false],
	['14 Nov 2023', false],
	[TIME, false],
])('%s is a date: %s', (text, expected) => {
	expect(isDate(text)).toBe(expected);
});

describe('an id is plain', () => {
	it.each(['msg_1', UUID, 'é', 'a'.repeat(256)])('like %s', (id) => {
		expect(isPlainId(id)).toBe(true);
	});

	it.each(['', 'a b', 'a\n', '{', 'a{"b', 'a]', '["', 'a'.repeat(257)])('unlike %s', (id) => {
		expect(isPlainId(id)).toBe(false);
	});
});
