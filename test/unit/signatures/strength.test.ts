// Of several signatures or times in a delivery, the strongest decides.
import crypto, { createHmac } from 'node:crypto';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';

const secret = 'a secret, as text';
const now = 1_700_000_000;
const old = now - 86_400;
const body = '{"event":"filing.new"}';
const accepted = { accepted: true };
const wrong = { accepted: false, reason: 'wrong' };
const stale = { accepted: false, reason: 'stale', age: 86_400, timeHeader: expect.any(String) };

function sign(content: string, withSecret = secret): string {
	return createHmac('sha256', withSecret).update(content).digest('hex');
}

function verify(headers: DeliveryHeaders) {
	return verifyDelivery({ rawBody: Buffer.from(body), headers, secret, now, tolerance: 300 });
}

afterEach(() => jest.restoreAllMocks());

describe('the strongest claim decides', () => {
	const list = (time: number) => `t=${time},v1=${sign(`${time}.${body}`)}`;
	const bodyAlone = { 'x-hub-signature-256': `sha256=${sign(body)}` };

	it.each<[string, (time: number) => Record<string, string>]>([
		['a list', (time) => ({ 'acme-signature': list(time) })],
		['its own header', (time) => ({ 'x-signature': sign(`${time}:${body}`), 'x-time': `${time}` })],
		[
			'a family',
			(time) => {
				const signature = sign(`a.${time}.${body}`);
				return { 'svix-id': 'a', 'svix-timestamp': `${time}`, 'svix-signature': signature };
			},
		],
	])(
		'a stale time in %s refuses the delivery, despite a correct signature over the body',
		(_case, timed) => {
			expect(verify({ ...bodyAlone, ...timed(now) })).toMatchObject(accepted);
			expect(verify({ ...bodyAlone, ...timed(old) })).toEqual(stale);
			expect(verify({ ...timed(old), ...bodyAlone })).toEqual(stale);
		},
	);

	it('a stale time refuses the delivery even beside a current one', () => {
		expect(verify({ 'a-signature': list(now), 'b-signature': list(now - 1) })).toMatchObject(
			accepted,
		);
		expect(verify({ 'a-signature': list(now), 'b-signature': list(old) })).toEqual(stale);
	});

	it('an unsigned time says nothing', () => {
		for (const time of [now, old, old * 1000, 'Tue, 14 Nov 2023 10:00:00 GMT']) {
			expect(verify({ ...bodyAlone, 'x-hub-timestamp': String(time) })).toMatchObject(accepted);
			expect(verify({ ...bodyAlone, 'a-signature': `t=${time},v1=${sign('')}` })).toMatchObject(
				accepted,
			);
		}
	});

	it('claims beyond the limit refuse the delivery, because they could be stale', () => {
		const forged = (n: number) => `t=${old - n},v1=${sign('')},sig=${'ab'.repeat(64)}`;
		const current = { 'y-signature': list(now) };
		const stalest = { 'z-signature': list(old) };
		expect(verify({ ...current, 'x-0-signature': forged(0) })).toMatchObject(accepted);
		expect(verify({ ...current, ...stalest, 'x-0-signature': forged(0) })).toEqual(stale);

		const many = { ...current, 'x-0-signature': forged(0), 'x-1-signature': forged(1) };
		const hashes = jest.spyOn(crypto, 'createHmac');
		expect(verify(many)).toEqual(wrong);
		expect(hashes).toHaveBeenCalledTimes(16);
		// The stale one is found among any number of current ones.
		const fresh = [0, 1, 2, 3, 4].map((n) => [`x-${n}-signature`, list(now - n)]);
		expect(verify({ ...Object.fromEntries(fresh), ...stalest })).toEqual(stale);
	});
});

describe('two times', () => {
	it('in one header are both checked, and a stale one refuses the delivery', () => {
		const right = `t=${now},v1=${sign(`${now}.${body}`)}`;
		expect(verify({ 'a-signature': right })).toMatchObject(accepted);
		// The signed one counts, in any place.
		for (const other of [now + 1, old]) {
			const twice = { 'a-signature': `t=${other},${right}` };
			expect(verify({ ...twice, 'b-signature': sign(body) })).toMatchObject(accepted);
		}
		const both = `${right},t=${old},v1=${sign(`${old}.${body}`)}`;
		expect(verify({ 'a-signature': both, 'b-signature': sign(body) })).toEqual(stale);
	});

	it('may be the same in two sets, as during a change of the secret', () => {
		const set = (withSecret: string) => `t=${now},v1=${sign(`${now}.${body}`, withSecret)}`;
		for (const value of [`${set('new')} ${set(secret)}`, `${set(secret)}, ${set('new')}`]) {
			expect(verify({ 'a-signature': value })).toMatchObject(accepted);
		}
	});
});
