// What a user may enter as a company number, and what it becomes. readList.test.ts covers the forms of the register.
import fc from 'fast-check';

import {
	comparableNumber,
	invalidCompanyNumber,
	normaliseCompanyNumber,
} from '../../../nodes/CompanyRegistry/shared/companyNumber';

describe('normaliseCompanyNumber', () => {
	it.each([
		[445790, '00445790'],
		[' 0044 5790\n', '00445790'],
		['sc 1234', 'SC001234'],
		['R0000521', 'R0000521'],
		['IP000CUS', 'IP000CUS'],
		// Cells as spreadsheets write and copy them.
		["'00445790", '00445790'],
		['12,345,678', '12345678'],
		['445,790.0', '00445790'],
		['"00445790"', '00445790'],
		['\u202A44\u00AD5790\u202C', '00445790'],
		['="\u2060SC1234"', 'SC001234'],
		// One number among others in a list, these would be several.
		['1\u00A0234\u202F567', '01234567'],
		['sl 00911a', 'SL00911A'],
	])('%j becomes %s', (value, expected) => {
		expect(normaliseCompanyNumber(value)).toBe(expected);
	});

	it.each([
		...['BARCLAYS', 'Acme 1234', ''],
		// Fewer than six digits may be a count or a year.
		...['44579', 44579, '445.00', '1234 5678', 'SC12A'],
		...['00000000', 'SC0', 0, '123456789', '123,456,789', -445790, 2 ** 53],
		...['445790.5', '44,5790', '1,234 567', '="00445790', '00-445790', '00445790.'],
		// Still with a leading zero, another digit is missing.
		...['0912345', '0,912,345', 'SC01234', 'R00521'],
		// Upper case would turn the first letter into S.
		...['ſC123456', '１２３４５６７８', { value: '00445790' }],
	])('%j is refused', (value) => {
		expect(normaliseCompanyNumber(value)).toBeUndefined();
	});

	it('changes nothing the second time', () => {
		const anyCase = fc.stringMatching(/^[A-Za-z]{0,2}[0-9]{0,8}[A-Za-z ]{0,3}$/);
		fc.assert(
			fc.property(fc.oneof(anyCase, fc.nat(), fc.string()), (value) => {
				const number = normaliseCompanyNumber(value);
				if (number === undefined) return;
				expect(number).toMatch(/^[A-Z0-9]{8}$/);
				expect(normaliseCompanyNumber(number)).toBe(number);
			}),
		);
	});
});

it.each([
	[' 6499', '00006499'],
	['0912345', '00912345'],
	['sc1234', 'SC001234'],
	['DE999123', 'DE999123'],
	['HRB 1', 'HRB 1'],
])('%j, sent by the service, is compared as %s', (received, expected) => {
	expect(comparableNumber(received)).toBe(expected);
});

it.each([
	[null, "'Company Number' is empty"],
	[{ a: 1 }, '{"a":1} is not a company number'],
	['x'.repeat(41), `"${'x'.repeat(40)}…" is not a company number`],
])('the message calls %j what it is, shortened if it is long', (value, message) => {
	const description = expect.stringMatching(/^Enter .* such as 99000001 /);
	expect(invalidCompanyNumber(value)).toEqual({ message, description });
});
