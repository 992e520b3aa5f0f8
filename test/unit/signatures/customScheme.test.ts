// A custom scheme: its claims, and what makes it unsound.
import { createHmac } from 'node:crypto';

import { compact } from 'lodash';

import {
	customSchemeProblem,
	findCustomClaims,
	type CustomScheme,
} from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { PLAIN_SCHEME } from '../../support/plainScheme';

const secret = 'whsec_c2VjcmV0IG9mIHRlc3Rz';
const body = Buffer.from('{"event":"filing.new"}');
const now = 1_700_000_000;

function sign(content: string | Buffer) {
	return createHmac('sha256', secret).update(content).digest();
}

function verify(headers: DeliveryHeaders, scheme: CustomScheme) {
	return verifyDelivery({ rawBody: body, headers, secret, now, tolerance: 300, scheme });
}

const plain: CustomScheme = { ...PLAIN_SCHEME, header: 'X-Acme-Auth' };

describe('a custom scheme', () => {
	const hex = sign(body).toString('hex');

	it.each(['hex', 'base64', 'base64url'] as const)(
		'counts a signature of its algorithm in %s',
		(encoding) => {
			const headers = { 'x-acme-auth': sign(body).toString(encoding) };
			expect(verify(headers, plain)).toMatchObject({ accepted: true });
			const expected = { accepted: false, reason: 'unsigned' };
			expect(verify(headers, { ...plain, algorithm: 'sha512' })).toEqual(expected);
		},
	);

	it.each([
		['no id', { 'x-id': undefined }],
		['no time', { 'x-time': undefined }],
	])('makes no claim with %s', (_case, changed) => {
		const content = '{id}.{timestamp}.{body}';
		const scheme = { ...plain, content, idHeader: 'X-Id', timestampHeader: 'X-Time' };
		const headers = { 'x-acme-auth': hex, 'x-id': 'id_1', 'x-time': String(now) };
		const claims = (sent: DeliveryHeaders) => findCustomClaims(sent, scheme);
		expect(claims(headers)).toHaveLength(1);
		expect(claims({ ...headers, ...changed })).toEqual([]);
	});

	// With more digits or a zone, an open time could go on into the id.
	it.each([
		['1700000000', true],
		['2023-11-14T22:13:20.25Z', true],
		['1700000000.25', false],
		['2023-11-14T22:13:20', false],
		['2023-11-14T22:13:20.25', false],
	])('reads an id behind the time %s: %s', (time, isRead) => {
		const headers = { 'x-acme-auth': hex, 'x-time': time, 'x-id': 'id_1' };
		const claims = (content: string) =>
			findCustomClaims(headers, { ...plain, content, timestampHeader: 'X-Time', idHeader: 'X-Id' });
		expect(claims('{timestamp}.{id}.{body}')).toHaveLength(isRead ? 1 : 0);
		expect(claims('{id}.{timestamp}.{body}')).toHaveLength(1);
	});

	const TIME_UNSET = "'Signed Content' contains {timestamp} but 'Timestamp Header' is empty";
	const TIME_UNUSED = "'Timestamp Header' is set but 'Signed Content' does not contain {timestamp}";
	const RUN_TOGETHER =
		"'Signed Content' needs a separator other than digits between {id} and {timestamp}";
	const NOTHING_BETWEEN = "'Header Format' has nothing between two of its parts";
	const beside = { timestampHeader: 'X-Time', idHeader: 'X-Id' };
	const joined = { headerFormat: '{timestamp}{signature}', content: '{timestamp}.{body}' };

	it.each<[Partial<CustomScheme>, string]>([
		[{ header: '' }, "'Header' is empty"],
		[{ content: '' }, "'Signed Content' does not contain {body}"],
		[{ content: '{Timestamp}{body}' }, TIME_UNSET],
		[{ timestampHeader: 'X-Time' }, TIME_UNUSED],
		[{ content: '{ID}{body}' }, "'Signed Content' contains {id} but 'ID Header' is empty"],
		[{ headerFormat: 'v1={id}' }, "'Header Format' does not contain {signature}"],
		[joined, NOTHING_BETWEEN],
		[{ content: '{ID}1{timestamp}{body}', ...beside }, RUN_TOGETHER],
		[{ content: '{timestamp}{id}.{body}', ...beside }, RUN_TOGETHER],
	])('with %j protects nothing and makes no claim', (change, problem) => {
		const scheme = { ...plain, ...change };
		expect(customSchemeProblem(scheme)).toBe(problem);
		const headers = { 'x-acme-auth': hex, 'x-time': String(now), 'x-id': 'id_1', '': hex };
		expect(findCustomClaims(headers, scheme)).toEqual([]);
		expect(verify(headers, scheme)).toEqual({ accepted: false, reason: 'unset' });
	});
});

describe('the format of a header', () => {
	const hex = sign(body).toString('hex');
	const other = sign('other').toString('hex');

	/** The signatures, time and id of each claim in a header; the content has all of them. */
	function read(headerFormat: string, value: string): string[] {
		const placeholders = ['{id}', '{timestamp}'].filter((one) => headerFormat.includes(one));
		const scheme = { ...plain, headerFormat, content: [...placeholders, '{body}'].join('.') };
		const claims = findCustomClaims({ 'x-acme-auth': value }, scheme);
		return claims.map(({ signatures, time, id }) =>
			compact([...signatures.map(({ bytes }) => bytes.toString('hex')), time?.text, id?.text]).join(
				' ',
			),
		);
	}

	it.each<[string, string, string[]]>([
		['t={timestamp}|{id}|{signature}', `t=17|msg_1|${hex}`, [`${hex} 17 msg_1`]],
		['t={timestamp}|{id}|{signature}', `t=17|msg_1.${hex}`, []],
		// Behind another one and a version.
		['v1,{signature}', `v1,${other} v1,${hex}`, [`${other} ${hex}`]],
		// A value ends where the next separator begins.
		['{id}|{signature}', `msg|1|${hex}`, []],
		['v1={signature}', hex, []],
		['v1={signature}', `v2=${hex}`, []],
		['', `v1=${hex}`, []],
		['{timestamp},{signature}', `${hex},17`, []],
		['{timestamp},{signature}', `17,${hex},17,${other}`, [`${hex} ${other} 17`]],
		['s={signature},t={timestamp}', `t=17; s=${hex}`, [`${hex} 17`]],
		['S={Signature}', `S=${hex}`, [hex]],
		['i={id},s={signature}', `s=${hex},i=msg_1,i=msg_1`, [`${hex} msg_1`]],
		['i={id},s={signature}', `s=${hex},i=msg_1,i=msg_2`, [`${hex} msg_1`, `${hex} msg_2`]],
		['i={id},s={signature}', `s=${hex}`, []],
	])('%s reads %s', (headerFormat, value, expected) => {
		expect(read(headerFormat, value)).toEqual(expected);
	});
});

it('a signed address has to be known', () => {
	const url = 'https://n8n.example/webhook';
	const scheme = { ...plain, content: '{url}{body}' };
	const headers = { 'x-acme-auth': sign(`${url}${body}`).toString('hex') };
	expect(findCustomClaims(headers, scheme, url)).toMatchObject([{ url }]);
	expect(findCustomClaims(headers, scheme)).toEqual([]);
});
