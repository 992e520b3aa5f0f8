// How the scheme that proved a refused delivery is described: by what is in each delivery of its sender.
import { createHmac } from 'node:crypto';

import type { DeliveryHeaders } from '../../../../nodes/CompanyRegistry/trigger/signatures/headers';
import {
	findCandidates,
	type Candidate,
} from '../../../../nodes/CompanyRegistry/trigger/signatures/search/schemeCandidates';
import { describeScheme } from '../../../../nodes/CompanyRegistry/trigger/signatures/search/describeScheme';

const now = 1_700_000_000;
const DIGEST = createHmac('sha256', 'x').update('').digest('hex');

const find = (headers: DeliveryHeaders) => findCandidates(headers, now);

const KEY = { text: 'secret', encoding: 'utf8' } as const;

/** With the time and the id whose texts these are. */
function describeIn(headers: DeliveryHeaders, { time, id }: { time?: string; id?: string } = {}) {
	const { signatures, times, ids } = find(headers);
	const withText = (list: Candidate[], text?: string) => list.find((one) => one.text === text);
	return describeScheme(headers, signatures[0], KEY, '{body}', {
		time: withText(times, time),
		id: withText(ids, id),
	});
}

const plain = {
	header: 'X-Foo',
	prefix: '',
	algorithm: 'sha256',
	encoding: 'hex',
	content: '{body}',
	timestampHeader: '',
	idHeader: '',
	secretEncoding: 'utf8',
};
const time = String(now);
const id = 'e76c';

it('is a prefix where the header holds nothing else that counts', () => {
	expect(describeIn({ 'x-foo': DIGEST })).toEqual(plain);
	expect(describeIn({ 'x-foo': `a=1,v3=${DIGEST}` })).toEqual({ ...plain, prefix: 'v3=' });
});

it.each([
	[`SHA256=${DIGEST}`, { prefix: 'SHA256=' }],
	[`ID=e76c7781:${DIGEST}`, { headerFormat: 'ID={id}:{signature}' }],
])('takes labels over as they are written: %s', (value, expected) => {
	expect(describeIn({ 'x-foo': value })).toEqual({ ...plain, ...expected });
});

it('names headers of their own', () => {
	const headers = { 'x-foo': DIGEST, 'x-sent-at': time, 'x-call-id': id };
	expect(describeIn(headers, { time, id })).toEqual({
		...plain,
		timestampHeader: 'X-Sent-At',
		idHeader: 'X-Call-Id',
	});
});

it.each([
	['a time', `t=${time},s=${DIGEST}`, 't={timestamp},s={signature}'],
	['both, of three', `t=${time},a=1,i=${id},s=${DIGEST}`, 't={timestamp},i={id},s={signature}'],
	['a digest that comes first', `s=${DIGEST};t=${time}`, 's={signature},t={timestamp}'],
	['parts without a label, by their place', `${time} x ${DIGEST}`, '{timestamp},-,{signature}'],
	[
		'parts of which one has a label, by their place',
		`t=${time},x,${DIGEST}`,
		't={timestamp},-,{signature}',
	],
	['two in one part', `${time}:${DIGEST}`, '{timestamp}:{signature}'],
	['a quoted digest', `sig="${DIGEST}"`, 'sig="{signature}"'],
])('has a format for %s', (_case, value, headerFormat) => {
	expect(describeIn({ 'x-foo': value }, { time, id })).toEqual({ ...plain, headerFormat });
});

it.each([
	'v1=',
	'v3:',
	'sha256=',
	'hmac-sha256=',
	'HMAC-SHA256:',
	'mac=',
	'd=',
	'signature_v1=',
	'hex:',
])('is a prefix where a label stands before the digest: %s', (prefix) => {
	expect(describeIn({ 'x-foo': `${prefix}${DIGEST}` })).toEqual({ ...plain, prefix });
});

const DATE = '2023-11-14T22:13:20.000Z';
const UUID = '0d1f8f56-9c2b-4b8e-8c3e-1f2a3b4c5d61';

it.each([
	['an id', `9f8e7dab:${DIGEST}`, '{id}:{signature}'],
	['a UUID', `${UUID}:${DIGEST}`, '{id}:{signature}'],
	['a key of letters', `AKIAKEYID:${DIGEST}`, '{id}:{signature}'],
	['a letter that could be a digit', `d:${DIGEST}`, '{id}:{signature}'],
	['base64', `abc/d+e==:${DIGEST}`, '{id}:{signature}'],
	['base64 that ends like a label', `abc/s:${DIGEST}`, '{id}:{signature}'],
	['base64 that begins with a sign', `/abc+e==:${DIGEST}`, '{id}:{signature}'],
	['a value behind a label', `id=9f8e7dab|v1=${DIGEST}`, 'id={id}|v1={signature}'],
	['a quoted value', `id="9f8e7dab":${DIGEST}`, 'id="{id}":{signature}'],
	['a time', `${time}:${DIGEST}`, '{timestamp}:{signature}'],
	['a time before a full stop', `${time}.${DIGEST}`, '{timestamp}.{signature}'],
	['milliseconds', `t=${time}123:${DIGEST}`, 't={timestamp}:{signature}'],
	['a date', `at=${DATE}|mac=${DIGEST}`, 'at={timestamp}|mac={signature}'],
	['an id and a time', `9f8e7dab:${time}:${DIGEST}`, '{id}:{timestamp}:{signature}'],
	['a value, in another part than the first', `a=1,9f8e7dab:${DIGEST}`, '-,{id}:{signature}'],
])('has a placeholder for what is not signed: %s', (_case, value, headerFormat) => {
	expect(describeIn({ 'x-foo': value })).toEqual({ ...plain, headerFormat });
});

it('has a placeholder for a value at the end of a part, with its own signs', () => {
	const value = `t=${time}:abc/,v1=${DIGEST}`;
	expect(describeIn({ 'x-foo': value }, { time })).toEqual({
		...plain,
		headerFormat: 't={timestamp}:{id},v1={signature}',
	});
});

it('keeps a placeholder to one meaning', () => {
	const value = `${time}:${DIGEST}`;
	const at = { 'x-at': String(now + 1) };
	expect(describeIn({ 'x-foo': value, ...at }, { time: String(now + 1) })).toEqual({
		...plain,
		headerFormat: '{id}:{signature}',
		timestampHeader: 'X-At',
	});
	expect(describeIn({ 'x-foo': `nonce7781:${value}` }, { time })).toEqual({
		...plain,
		headerFormat: '{id}:{timestamp}:{signature}',
	});
});

it.each([
	['an id beside the one that is signed', `9f8e7dab:${DIGEST}`, { id }],
	['two ids', `ab7c:${time},e8f9:${DIGEST}`, { time }],
	['braces', `{id}:${DIGEST}`, {}],
	['a quote within the digest', `${DIGEST.slice(0, 8)}"${DIGEST.slice(8)}`, {}],
])('there is none where a format cannot express %s', (_case, value, signed) => {
	const described = describeIn({ 'x-foo': value, 'x-call-id': id }, signed);
	expect(described?.headerFormat ?? '').not.toMatch(/9f8e|ab7c|e8f9/);
	expect(described).toBeUndefined();
});
