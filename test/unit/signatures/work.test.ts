// The work for a delivery grows with the length of its headers and no faster.
import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import type { DeliveryHeaders } from '../../../nodes/CompanyRegistry/trigger/signatures/headers';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { PLAIN_SCHEME } from '../../support/plainScheme';
import { searchScheme } from '../../support/searchScheme';

jest.setTimeout(120_000);

const secret = 'a secret, as text';
const rawBody = Buffer.from('{"event":"filing.new"}');
/** A captured digest: its sender does not know the secret. */
const digest = createHmac('sha256', secret).update(rawBody).digest('hex');
const now = 1_700_000_000;

/** Milliseconds of CPU for a refused delivery. */
function timeOf(headers: DeliveryHeaders): number {
	const custom = { ...PLAIN_SCHEME, header: 'a-signature', headerFormat: 't={id}.{signature}' };
	const before = process.cpuUsage();
	for (const scheme of [undefined, custom]) {
		const delivery = { rawBody, headers, secret, now, tolerance: 300, scheme };
		verifyDelivery(delivery);
		searchScheme(delivery);
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

const inFour = (value: string) =>
	Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}-signature`, value]));

it('for any headers', () => {
	const unit = fc.constantFrom(
		...['t=', 'a=', 'v1=', 'hmac-', 'sha256', 'id', '"', ':', '=', '|', '.', '!', '-', ',', ' '],
		...['{', '}', '1', '17000000', 'T', 'a', '+', '/', `,${digest}`],
	);
	const units = fc.array(unit, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(units, units, (text, end) => {
			const ofLength = (length: number) =>
				inFour(`${text.repeat(length).slice(0, length)}${end}=${digest}`);
			// The first run warms up. The HMACs of the search have a limit of their own.
			const short = Math.max(timeOf(ofLength(250)), timeOf(ofLength(250)));
			// Four headers of this length are all that Node takes.
			expect(timeOf(ofLength(4000))).toBeLessThan(64 * short + 500);
		}),
		{ numRuns: 40, seed: 37 },
	);
});
