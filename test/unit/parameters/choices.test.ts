// The code reads every choice of a form. An unknown value counts as the form's default.
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import {
	companiesFromSchema,
	optionsSchema,
} from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { triggerProperties } from '../../../nodes/CompanyRegistry/trigger/parameters/properties';
import { PLAIN_SCHEME } from '../../support/plainScheme';

const fieldNamed = (name: string, fields: INodeProperties[]) =>
	fields.filter((one) => one.name === name)[0];
const options = fieldNamed('options', triggerProperties).options as INodeProperties[];
const [scheme] = fieldNamed('signature', options).options as INodePropertyCollection[];

/** The value that is read where one field of a form is set. */
type Read = (name: string, value: unknown) => unknown;
const readOption: Read = (name, value) => (optionsSchema.parse({ [name]: value }) as never)[name];
const readScheme: Read = (name, value) => {
	const signature = { scheme: { [name]: value } };
	return (optionsSchema.parse({ signature }).signature.scheme as never)[name];
};

describe.each<[string, INodeProperties[], Read, string[]]>([
	[
		'Company Source',
		[fieldNamed('companiesFrom', triggerProperties)],
		(_name, value) => companiesFromSchema.parse(value),
		['companiesFrom'],
	],
	['Options', options, readOption, Object.keys(optionsSchema.shape)],
	['Custom Scheme', scheme.values, readScheme, Object.keys(PLAIN_SCHEME)],
])('under %s', (_form, fields, read, names) => {
	it('the code reads the fields of the form', () => {
		expect(fields.map(({ name }) => name).sort()).toEqual(names.sort());
	});

	const choices = fields
		.filter(({ type }) => type === 'options')
		.flatMap(({ name, options: all = [] }) =>
			(all as INodePropertyOptions[]).map(({ value }) => [name, value] as const),
		);
	it.each(choices)('%s may be %s', (name, value) => expect(read(name, value)).toBe(value));

	const plain = fields.filter(({ name }) => !['additionalEvents', 'signature'].includes(name));
	it.each(plain)('$name is $default by default and in place of an unknown value', (field) => {
		const { name, type, default: value } = field;
		expect(read(name, undefined)).toBe(value);
		// Anything but text counts as an empty text.
		expect(read(name, { odd: true })).toBe(type === 'string' ? '' : value);
		if (type === 'options') expect(read(name, 'odd')).toBe(value);
	});
});

it('texts lose the spaces around them, and the tolerance may be a text', () => {
	const set = { ...PLAIN_SCHEME, header: 'X-Seal', idHeader: 'X-Id', content: '{id}{body}' };
	const spaced = { ...set, header: ' X-Seal ', idHeader: 'X-Id\n', content: ' {id}{body} ' };
	const signature = { scheme: spaced, tolerance: { seconds: '60' } };
	const expected = { scheme: set, tolerance: { seconds: 60 } };
	expect(optionsSchema.parse({ signature }).signature).toMatchObject(expected);
});

it.each([0, -5, Infinity, 'soon'])('a tolerance of %p counts as 300 seconds', (seconds) => {
	const { signature } = optionsSchema.parse({ signature: { tolerance: { seconds } } });
	// Without a scheme, common formats are recognised.
	expect(signature).toEqual({ scheme: undefined, tolerance: { seconds: 300 } });
});
