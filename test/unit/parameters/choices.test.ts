// What a form offers is what the code reads, and what the search for a signature's settings may name.
// What is odd has the form's default.
import { createHmac } from 'node:crypto';

import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { findingInWords } from '../../../nodes/CompanyRegistry/trigger/deliveries/occasions';
import {
	companiesFromSchema,
	optionsSchema,
} from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { triggerProperties } from '../../../nodes/CompanyRegistry/trigger/parameters/properties';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { searchScheme } from '../../support/searchScheme';

const options = fieldNamed('options', triggerProperties).options as INodeProperties[];
const [scheme] = fieldNamed('signature', options).options as INodePropertyCollection[];

function fieldNamed(name: string, fields: INodeProperties[]): INodeProperties {
	const [field] = fields.filter((one) => one.name === name);
	return field;
}

function choicesOf(name: string, fields: INodeProperties[]): INodePropertyOptions[] {
	return fieldNamed(name, fields).options as INodePropertyOptions[];
}

/** What is read where one field of these is set. */
type Read = (name: string, value: unknown) => unknown;
const readOption: Read = (name, value) => (optionsSchema.parse({ [name]: value }) as never)[name];
const readScheme: Read = (name, value) => {
	const signature = { scheme: { [name]: value } };
	return (optionsSchema.parse({ signature }).signature.scheme as never)[name];
};

describe.each<[string, INodeProperties[], Read, string[]]>([
	[
		'Companies From',
		[fieldNamed('companiesFrom', triggerProperties)],
		(_name, value) => companiesFromSchema.parse(value),
		['companiesFrom'],
	],
	['Options', options, readOption, Object.keys(optionsSchema.shape)],
	['Custom Scheme', scheme.values, readScheme, Object.keys(PLAIN_SCHEME).concat('headerFormat')],
])('under %s', (_form, fields, read, names) => {
	it('every field is read, and every one that is read is offered', () => {
		expect(fields.map(({ name }) => name).sort()).toEqual(names.sort());
	});

	const choices = fields
		.filter(({ type }) => type === 'options')
		.flatMap(({ name }) => choicesOf(name, fields).map(({ value }) => [name, value] as const));
	it.each(choices)('%s may be %s', (name, value) => expect(read(name, value)).toBe(value));

	const plain = fields.filter(({ name }) => !['additionalEvents', 'signature'].includes(name));
	it.each(plain)(
		'$name is $default by default, and where what is set is odd',
		({ name, type, default: value }) => {
			expect(read(name, undefined)).toBe(value);
			// What is no text covers no more than was entered.
			expect(read(name, { odd: true })).toBe(type === 'string' ? '' : value);
			if (type === 'options') expect(read(name, 'odd')).toBe(value);
		},
	);
});

it('options are taken without spaces around, a tolerance as text too, and none is a custom scheme', () => {
	expect(optionsSchema.parse({}).signature).toEqual({});
	const set = { ...PLAIN_SCHEME, header: 'X-Seal', idHeader: 'X-Id', content: '{id}{body}' };
	const spaced = { ...set, header: ' X-Seal ', idHeader: 'X-Id\n', content: ' {id}{body} ' };
	const options = { includeRequest: true, signature: { scheme: spaced }, tolerance: '60' };
	expect(optionsSchema.parse(options)).toMatchObject({
		includeRequest: true,
		signature: { scheme: set },
		tolerance: 60,
	});
});

it.each([0, -5, Number.NaN, Infinity, '', 'soon'])('takes %p for no tolerance', (tolerance) => {
	expect(optionsSchema.parse({ tolerance }).tolerance).toBe(300);
});

describe('a signature', () => {
	const offered = (name: string) => choicesOf(name, scheme.values);
	const ways = offered('algorithm').flatMap((algorithm) =>
		offered('encoding').flatMap((encoding) =>
			offered('secretEncoding').map((secret) => [algorithm, encoding, secret]),
		),
	);

	it.each(ways.map((way) => [way.map(({ name }) => name).join(', '), way] as const))(
		'by %s is found and named in the words of the form',
		(_way, [algorithm, encoding, secretEncoding]) => {
			// Each way to read it gives another key.
			const secret = 'c0ffee00';
			const rawBody = Buffer.from('{"event":"filing.new"}');
			const key = Buffer.from(secret, secretEncoding.value as BufferEncoding);
			const signature = createHmac(String(algorithm.value), key)
				.update(rawBody)
				.digest(encoding.value as 'hex');
			const headers = { 'x-seal': signature };
			const finding = searchScheme({ rawBody, headers, secret, now: 0, tolerance: 300 });
			const settings = {
				algorithm: algorithm.value,
				encoding: encoding.value,
				secretEncoding: secretEncoding.value,
			};
			expect(finding).toMatchObject({ reason: 'custom', scheme: settings });
			for (const [name, value] of Object.entries(settings)) {
				const field = fieldNamed(name, scheme.values);
				const choice = offered(name).find((one) => one.value === value);
				const words = `${field.displayName} \`${choice?.name}\``;
				const told = findingInWords(finding, '', 0).split(/[,:.] /);
				expect(told.includes(words)).toBe(value !== field.default);
			}
		},
	);
});
