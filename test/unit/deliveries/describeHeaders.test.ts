// Headers of a refused delivery are described without quoting a value.
import fc from 'fast-check';

import { describeHeaders } from '../../../nodes/CompanyRegistry/trigger/deliveries/describeHeaders';

const hex = 'a1'.repeat(32);
const base64 = `${'Ab+/'.repeat(10)}YWI=`;

it.each([
	['64 hex characters', hex],
	['44 base64 characters', base64],
	['10 digits', '1795275000'],
	['UUID', '1B4E28BA-2FA1-11D2-883F-0016D3CCA427'],
	['date and time', '2026-11-21T16:00:00.000Z'],
	['date and time', 'Sat, 21 Nov 2026 16:00:00 GMT'],
	['empty', ' '],
	['3 characters', '*/*'],
	['1 character', '*'],
	['16 characters', 'application/json'],
	['t=‹10 digits›,v1=‹64 hex characters›', `t=1795275000,v1=${hex}`],
	['ts=‹13 digits›;h1=‹64 hex characters›', `ts=1795275000000;h1=${hex}`],
	['v1,‹44 base64 characters› v1,‹44 base64 characters›', `v1,${base64} v1,${base64}`],
	['sha256=‹64 hex characters›', `sha256=${hex}`],
	['‹13 digits›,‹64 hex characters›', `1795275000000,${hex}`],
])('says that a value looks like %s', (looks, value) => {
	expect(describeHeaders({ 'x-seal': value })).toBe(`x-seal (${looks})`);
});

it('lists all names, and what several values of one header look like', () => {
	expect(describeHeaders({ 'x-seal': [hex, hex], 'x-id': '7' })).toBe(
		'x-seal (‹64 hex characters›, ‹64 hex characters›); x-id (1 digit)',
	);
});

it.each(['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'x-webhook-token'])(
	'does not even say how long the value of %s is',
	(name) => {
		expect(describeHeaders({ [name]: hex })).toBe(`${name} (not shown)`);
	},
);

it('shortens a long list and long names', () => {
	const many = Object.fromEntries(Array.from({ length: 43 }, (_, n) => [`x-${n}`, '']));
	expect(describeHeaders(many)).toMatch(/^x-0 \(empty\); .*; x-39 \(empty\); and 3 more$/);
	expect(describeHeaders({ ['x'.repeat(500)]: '' })).toBe(`${'x'.repeat(80)} (empty)`);
});

it('quotes no value, whatever it is', () => {
	// Letters that are in no word of the description.
	const secret = fc.string({
		unit: fc.constantFrom(...'XYZQ'),
		minLength: 1,
		maxLength: 40,
	});
	const shapes = fc.constantFrom<(text: string) => string>(
		(text) => text,
		(text) => `${text}=`,
		(text) => `${text}=${text}`,
		(text) => `t=${text},${text}=1`,
		(text) => `v1=${text} ${text};${text}`,
		(text) => `Basic ${text}=`,
	);
	fc.assert(
		fc.property(secret, shapes, (text, shape) => {
			expect(describeHeaders({ 'x-seal': shape(text) })).not.toMatch(/[XYZQ]/);
		}),
	);
});
