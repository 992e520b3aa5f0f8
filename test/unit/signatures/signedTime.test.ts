// How a signed time may be written, and how old it may be.
import { createHmac } from 'node:crypto';

import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { PLAIN_SCHEME } from '../../support/plainScheme';

const secret = 'secret of tests';
/** 2023-11-14T22:13:20Z */
const NOW = 1_700_000_000;

const scheme: CustomScheme = {
	...PLAIN_SCHEME,
	header: 'X-Signature',
	content: '{timestamp}.{body}',
	timestampHeader: 'X-Time',
};

/** The verdict on a delivery that is signed with this time. */
function verdictAt(time: string, now = NOW) {
	const signature = createHmac('sha256', secret).update(`${time}.{}`).digest('hex');
	const headers = { 'x-signature': signature, 'x-time': time };
	return verifyDelivery(Buffer.from('{}'), headers, secret, now, { tolerance: 0.6, scheme });
}

describe('a signed time', () => {
	it.each([
		'1700000000',
		'1700000000.5',
		'1699999999.500000001',
		'1700000000500',
		'1699999999500.25',
		'2023-11-14T22:13:20Z',
		'2023-11-14T22:13:20.5Z',
		'2023-11-14T22:13:20.123456789Z',
		'2023-11-14T22:13:20+00:00',
		'2023-11-14T23:43:20+01:30',
		'2023-11-14T10:13:20.25-12:00',
		'Tue, 14 Nov 2023 22:13:20 GMT',
	])('may be %s', (time) => {
		expect(verdictAt(time)).toEqual({ accepted: true });
	});

	it.each([
		'+1700000000',
		'1700000000.',
		'1.7e9',
		'0x6553f100',
		'1,700,000,000',
		'2023-11-14T22:13:20',
		'2023-11-14T22:13:20+0000',
		'2023-11-14T22:13:20Z (1)',
		'at 2023-11-14T22:13:20Z',
		'14 Nov 2023 22:13:20 GMT (2023-11-14T22:13:20Z',
		'2023-11-14 22:13:20Z',
		'Tue, 14 Nov 2023 22:13:20 UTC',
		'14 Nov 2023 22:13:20 GMT',
		'tue, 14 nov 2023 22:13:20 GMT',
		'now',
	])('that is "%s" is none, and stale', (time) => {
		expect(verdictAt(time)).toEqual({ accepted: false, reason: 'stale', age: NaN });
	});

	it('is one of milliseconds above a hundred thousand millions, where seconds are thousands of years ahead', () => {
		expect(verdictAt('100000000000', 100_000_000_000)).toEqual({ accepted: true });
		expect(verdictAt('100000000001', 100_000_000.001)).toEqual({ accepted: true });
		expect(verdictAt('100000000001', 100_000_000_001)).toEqual({
			accepted: false,
			reason: 'stale',
			age: 99_900_000_000.999,
		});
	});
});
